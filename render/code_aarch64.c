/* Control flow of A64, by the encodings of the Arm Architecture Reference Manual, C4.1 "A64 instruction set encoding".
 */
#include "render/code.h"

#include <string.h>

/* A signed field of `bits` bits from bit `low` on, in words. */
static uint64_t offset_of(uint32_t word, unsigned low, unsigned bits) {
    uint64_t field = word >> low & ((UINT32_C(1) << bits) - 1), sign = UINT64_C(1) << (bits - 1);
    return ((field ^ sign) - sign) * 4;
}

int ts_code_decode_aarch64(const uint8_t *code, size_t bytes, uint64_t address,
                           struct ts_code_instruction *instruction) {
    uint32_t word;
    if (bytes < sizeof word)
        return -1;
    memcpy(&word, code, sizeof word);
    *instruction = (struct ts_code_instruction){.bytes = sizeof word, .kind = TS_CODE_OTHER};
    if ((word & 0x7c000000) == 0x14000000) { /* b, bl */
        instruction->kind = word >> 31 ? TS_CODE_CALL : TS_CODE_JUMP;
        instruction->target = address + offset_of(word, 0, 26);
    } else if ((word & 0xff000000) == 0x54000000 || (word & 0x7e000000) == 0x34000000) { /* b.cond, cbz, cbnz */
        instruction->kind = TS_CODE_CONDITIONAL;
        instruction->target = address + offset_of(word, 5, 19);
    } else if ((word & 0x7e000000) == 0x36000000) { /* tbz, tbnz */
        instruction->kind = TS_CODE_CONDITIONAL;
        instruction->target = address + offset_of(word, 5, 14);
    } else if ((word & 0xfe000000) == 0xd6000000) { /* br, blr, ret, eret, ... */
        uint32_t operation = word >> 21 & 7;        /* with pointer authentication too */
        instruction->kind = operation == 0 ? TS_CODE_INDIRECT : operation == 1 ? TS_CODE_CALL : TS_CODE_END;
    } else if ((word & 0xffe0001f) == 0xd4200000 || word >> 16 == 0) { /* brk, udf */
        instruction->kind = TS_CODE_END;
    }
    return 0;
}
