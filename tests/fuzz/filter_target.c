/*
 * An ELF file by what the library reads of it inside the traced program: its symbols, for TRACE_FUNCTIONS. The part
 * under test is included, to take back what it keeps as long as a program runs.
 */
#include "preload/function_filter.c"

#include "tests/fuzz/fuzz.h"

#define BIAS UINT64_C(0x7f0000000000)

static void forget(void) {
    if (listed)
        ts_system_munmap(listed, sizeof(struct list) + listed->count * sizeof(uint64_t));
    listed = NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *path = fuzz_file(data, size);
    ts_function_filter_begin("-*cold*,a*,*::operator*,[a-m]*,?x*");
    int64_t count = ts_function_filter_add_module(path, BIAS, BIAS, BIAS + 4096);
    if (count > 0 && !ts_function_filter_wants(listed->addresses[0]))
        __builtin_trap();
    forget();
    return 0;
}
