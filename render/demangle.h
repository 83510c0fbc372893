/* Demangling (C++, Rust, D) by libiberty: the only file that includes it. */
#ifndef TRACESHIM_RENDER_DEMANGLE_H
#define TRACESHIM_RENDER_DEMANGLE_H

/*
 * The function's qualified name without parameters, return type, clone suffix (.isra.0, .cold) and Rust hash; template
 * arguments and lambdas stay, unnamed namespaces go. A name that is not mangled comes back as it is (a clone suffix
 * and a symbol version, @@GLIBC_2.14, are cut off a C name too); so does one whose text would be absurdly long. Never
 * NULL (aborts when memory is exhausted); the caller frees it.
 */
char *ts_demangle(const char *linkage_name);

/* The same for a C++ type, by std::type_info::name(): `St13runtime_error` is std::runtime_error. */
char *ts_demangle_type(const char *name);

#endif
