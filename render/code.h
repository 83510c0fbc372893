/*
 * The machine code of a function, as far as its control flow needs it: where instructions begin and where they go on.
 * One decoder for each machine that traceshim records on, chosen by the file that is read.
 */
#ifndef TRACESHIM_RENDER_CODE_H
#define TRACESHIM_RENDER_CODE_H

#include <stddef.h>
#include <stdint.h>

enum ts_code_kind {
    TS_CODE_OTHER,       /* goes on behind itself */
    TS_CODE_CALL,        /* the same, mostly */
    TS_CODE_CONDITIONAL, /* goes on at its target or behind itself */
    TS_CODE_JUMP,        /* goes on at its target */
    TS_CODE_INDIRECT,    /* a jump to where it is not told: through a table, or to another function */
    TS_CODE_END,         /* a return, or a trap */
};

struct ts_code_instruction {
    uint32_t bytes;
    enum ts_code_kind kind;
    /*
     * Of a jump: where to. Of a call: what tells its callee from others; its address, or that of the slot that it calls
     * through with TS_CODE_SLOT. 0: not known.
     */
    uint64_t target;
};

#define TS_CODE_SLOT (UINT64_C(1) << 63)

/*
 * Decodes the instruction at `code`, which lies at `address`; there are `bytes` bytes. 0, or -1 where there is none
 * (the rest of the function cannot be read).
 */
typedef int ts_code_decode(const uint8_t *code, size_t bytes, uint64_t address,
                           struct ts_code_instruction *instruction);

/* By ELF's e_machine; NULL: none. */
ts_code_decode *ts_code_decoder(unsigned machine);

ts_code_decode ts_code_decode_x86_64;
ts_code_decode ts_code_decode_aarch64;

#endif
