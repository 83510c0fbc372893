#include "collector/glob.h"
#include "collector/hook_definitions.h"
#include "collector/text.h"

enum reason { RETURNS_TWICE, LEAVES, PASSED, REGISTERS, LOADER, TRACER, UNWINDER, SANITIZER };

/* Here and below characters, not pointers to them, which would have to be relocated at each start. */
static const char reasons[][48] = {
    [RETURNS_TWICE] = "it returns twice on one stack",
    [LEAVES] = "it leaves by another way than its return",
    [PASSED] = "the shim passes it through itself",
    [REGISTERS] = "it is called with a convention of its own",
    [LOADER] = "it is part of the loader",
    [TRACER] = "compilers call it to trace or profile",
    [UNWINDER] = "it is part of the unwinder",
    [SANITIZER] = "it is part of a sanitizer",
};

/*
 * Returns-twice functions: those of gcc (special_function_p in gcc/calls.cc), as libc exports them. Contexts: of libc
 * and of Boost; libunwind's getcontext keeps the registers of its caller as libc's does.
 */
static const struct {
    char pattern[24];
    uint8_t reason;
} refusals[] = {
    {"setjmp", RETURNS_TWICE},
    {"_setjmp", RETURNS_TWICE},
    {"__setjmp", RETURNS_TWICE},
    {"sigsetjmp", RETURNS_TWICE},
    {"__sigsetjmp", RETURNS_TWICE},
    {"savectx", RETURNS_TWICE},
    {"vfork", RETURNS_TWICE},
    {"__vfork", RETURNS_TWICE},
    {"__libc_vfork", RETURNS_TWICE},
    {"getcontext", RETURNS_TWICE},
    {"__getcontext", RETURNS_TWICE},
    {"_U*_getcontext", RETURNS_TWICE},

    {"longjmp", LEAVES},
    {"_longjmp", LEAVES},
    {"__longjmp", LEAVES},
    {"siglongjmp", LEAVES},
    {"*__longjmp_chk", LEAVES},
    {"__libc_longjmp", LEAVES},
    {"__libc_siglongjmp", LEAVES},
    {"setcontext", LEAVES},
    {"__setcontext", LEAVES},
    {"swapcontext", LEAVES},
    {"__swapcontext", LEAVES},
    {"*_fcontext", LEAVES},

    {"makecontext", PASSED},
    {"__makecontext", PASSED},
    {"dlopen", PASSED},
    {"dlmopen", PASSED},
    {"dlsym", PASSED},
    {"dlvsym", PASSED},
    {"__libc_dlopen*", PASSED},
    {"__libc_dlsym", PASSED},
    {"__libc_dlvsym", PASSED},

    {"__morestack*", REGISTERS},
    {"__rust_probestack", REGISTERS},
    {"__probestack", REGISTERS},
    {"___chkstk*", REGISTERS},
    {"__x86_indirect_thunk*", REGISTERS},
    {"__x86_return_thunk*", REGISTERS},
    {"__x86.get_pc_thunk*", REGISTERS},
    {"_ITM_*", REGISTERS},

    {"__tls_get_addr*", LOADER},
    {"___tls_get_addr*", LOADER},
    {"__tls_get_offset", LOADER},
    {"_dl_*", LOADER},
    {"__libc_start_*", LOADER},
    {"__libc_early_init", LOADER},
    {"__libc_init_first", LOADER},
    {"__libc_csu_*", LOADER},
    {"__cxa_finalize", LOADER},
    {"__gmon_start__", LOADER},
    {"_start", LOADER},
    {"_init", LOADER},
    {"_fini", LOADER},

    {"mcount", TRACER},
    {"_mcount", TRACER},
    {"__mcount", TRACER},
    {"__gnu_mcount_nc", TRACER},
    {"__fentry__", TRACER},
    {"__return__", TRACER},
    {"__cyg_profile_func_*", TRACER},
    {"__sanitizer_cov_*", TRACER},

    {"_Unwind_*", UNWINDER},
    {"__gcc_personality_*", UNWINDER},
    {"__gxx_personality_*", UNWINDER},

    {"__asan_*", SANITIZER},
    {"__hwasan_*", SANITIZER},
    {"__lsan_*", SANITIZER},
    {"__msan_*", SANITIZER},
    {"__tsan_*", SANITIZER},
    {"__ubsan_*", SANITIZER},
    {"__sanitizer_*", SANITIZER},
};

static int ends_with(const char *symbol, size_t length, const char *end) {
    size_t bytes = ts_text_length(end);
    return length >= bytes && ts_text_equal(symbol + length - bytes, end);
}

static int is_refused(const char *pattern, const char *symbol) {
    while (*pattern && *pattern != '*' && *pattern == *symbol)
        pattern++, symbol++;
    return *pattern == '*' ? ts_glob_matches(pattern, ts_text_length(pattern), symbol) : !*pattern && !*symbol;
}

/* All hooks are asked of, and most are told by the first character. A star at the beginning is the only one there. */
const char *ts_hook_refusal(const char *symbol) {
    size_t length = ts_text_length(symbol);
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        const char *pattern = refusals[i].pattern;
        if (pattern[0] == '*' ? ends_with(symbol, length, pattern + 1)
                              : pattern[0] == symbol[0] && is_refused(pattern, symbol))
            return reasons[refusals[i].reason];
    }
    return NULL;
}
