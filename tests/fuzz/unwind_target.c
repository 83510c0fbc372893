/*
 * A module's call frame information as it may lie in memory: the input is the segment, its first two bytes say where
 * .eh_frame_hdr begins in it. A mistake of the library here would end the traced program.
 */
#include "preload/unwind_table.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

static void run_program(const uint8_t *data, size_t size) {
    static const uint64_t distances[] = {0, 1, 100, UINT64_MAX / 2};
    for (unsigned i = 0; i < sizeof distances / sizeof *distances; i++) {
        struct ts_cfa_program program = {.address = 0x1000 + distances[i],
                                         .location = 0x1000,
                                         .code_factor = 1,
                                         .data_factor = -8,
                                         .return_register = 16,
                                         .rule = {.base = TS_CFA_NO_REGISTER}};
        ts_cfa_program_run(&program, (struct ts_byte_reader){data, data + size, 0});
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint16_t at = 0;
    if (size < sizeof at)
        return 0;
    memcpy(&at, data, sizeof at);
    data += sizeof at;
    size -= sizeof at;
    uint64_t low = (uint64_t)data, header = low + (size ? at % size : 0);
    struct ts_unwind_table table = {.header = header, .low = low, .high = low + size};
    struct ts_cfa_rule rule;
    for (size_t line = 0; line + sizeof(int32_t) <= size; line += sizeof(int32_t)) { /* every number that may be code */
        int32_t distance;
        memcpy(&distance, data + line, sizeof distance);
        for (unsigned i = 0; i < 2; i++)
            ts_unwind_table_find(&table, header + (uint64_t)(int64_t)distance + 4 * i, &rule);
    }
    run_program(data, size);
    return 0;
}
