/*
 * DWARF's call frame instructions (DWARF 5, section 6.4.2, with the extensions of the Linux Standard Base and of the
 * DWARF for the Arm 64-bit Architecture), run for what is asked here: where the canonical frame address (CFA) is at an
 * instruction, and where the return address and the frame pointer were saved. Other registers are passed over.
 * Async-signal-safe; the instructions may be any bytes.
 */
#ifndef TRACESHIM_PRELOAD_CFA_PROGRAM_H
#define TRACESHIM_PRELOAD_CFA_PROGRAM_H

#include "preload/byte_reader.h"

/* CFA = register + offset, or the word that lies there. */
struct ts_cfa_rule {
    uint32_t base; /* DWARF's number of the register */
    int indirect;
    int64_t offset;         /* bytes */
    int64_t return_offset;  /* from the CFA to the slot of the return address; 0: not saved, or in another form */
    int64_t pointer_offset; /* the same of the frame pointer; 0: it is as it was */
    int pointer_by_pointer; /* that slot is counted from where the frame pointer points */
    int pointer_is_lost;    /* it was saved in another form */
    int is_first;           /* there is no return address: nothing has called this function */
    int is_signal;          /* what the kernel made for a handler to return to */
};

#define TS_CFA_NO_REGISTER UINT32_MAX
#define TS_CFA_REMEMBERED 8

struct ts_cfa_program {
    uint64_t address;     /* the rule for the instruction here is wanted */
    uint64_t location;    /* that the instructions have come to; past `address`: no more of them count */
    uint64_t code_factor; /* of the common information entry */
    int64_t data_factor;
    uint64_t return_register;
    uint64_t pointer_register;
    int64_t return_offset_at_entry; /* what restoring that register brings back */
    struct ts_cfa_rule rule;        /* base TS_CFA_NO_REGISTER: none of this form */
    unsigned remembered_count;
    struct ts_cfa_rule remembered[TS_CFA_REMEMBERED];
};

/* Runs instructions up to `address`. 0, or -1 for bytes that are no instructions, or none that is known here. */
int ts_cfa_program_run(struct ts_cfa_program *program, struct ts_byte_reader instructions);

#endif
