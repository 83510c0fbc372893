/*
 * A module's call frame information, as it lies in memory: .eh_frame by way of .eh_frame_hdr, the sorted table that the
 * linker made of it (Linux Standard Base, "Exception Frames"). Nothing outside the segment that holds it is read,
 * whatever it contains. Async-signal-safe.
 */
#ifndef TRACESHIM_PRELOAD_UNWIND_TABLE_H
#define TRACESHIM_PRELOAD_UNWIND_TABLE_H

#include "preload/cfa_program.h"

struct ts_unwind_table {
    uint64_t header; /* address of .eh_frame_hdr; 0: there is none */
    uint64_t low;    /* of the readable segment that holds it */
    uint64_t high;
};

/*
 * The rule for the CFA at the instruction that holds the byte at `address`. 0, or -1: the table does not tell it, or in
 * a form that is not known here.
 */
int ts_unwind_table_find(const struct ts_unwind_table *table, uint64_t address, struct ts_cfa_rule *rule);

#endif
