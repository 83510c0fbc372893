/* Demangling (C++, Rust, D) by libiberty: the only file that includes it. */
#ifndef TRACESHIM_RENDER_DEMANGLE_H
#define TRACESHIM_RENDER_DEMANGLE_H

/*
 * The function's qualified name without parameters, return type, clone suffix (.isra.0, .cold) and Rust hash; template
 * arguments, lambdas and "(anonymous namespace)" stay. A name that is not mangled comes back as it is (a clone suffix
 * of a C name is cut too). Never NULL (aborts when memory is exhausted); the caller frees it.
 */
char *ts_demangle(const char *linkage_name);

#endif
