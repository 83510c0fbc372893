#include "code_use.h"
#include "relocations.h"

/* ldr x, [x, #12 bits * 8] */
#define IS_LOAD(instruction) (((instruction)&0xffc00000) == 0xf9400000)
#define IS_PAGE(instruction) (((instruction)&0x9f000000) == 0x90000000) /* adrp */

/* The page that an adrp at `at` names. */
static uint64_t page_of(uint64_t at, uint32_t instruction) {
    uint64_t pages = (instruction >> 5 & 0x7ffff) << 2 | (instruction >> 29 & 3);
    return (at & ~UINT64_C(4095)) + ((((pages ^ 0x100000) - 0x100000) & (UINT64_MAX >> 12)) << 12);
}

void ts_relocation_uses(uint64_t low, uint64_t high, uint64_t lowest, uint64_t highest,
                        void (*use)(void *context, uint64_t slot, int is_call), void *context) {
    uint64_t pages[32] = {0}; /* by register: of the last adrp before, in the order of the code */
    low = (low + 3) & ~UINT64_C(3);
    const uint32_t *code = (const uint32_t *)low, *end = code + (high - low) / sizeof *code;
    for (const uint32_t *at = code; at < end; at++) {
        if (IS_PAGE(*at))
            pages[*at & 31] = page_of((uint64_t)at, *at);
        if (!IS_LOAD(*at) || (*at & 31) == 31)
            continue;
        uint64_t slot = pages[*at >> 5 & 31] + (*at >> 10 & 0xfff) * 8;
        if (slot - lowest <= highest - lowest) {
            unsigned uses = ts_code_use(code, end, at + 1, *at & 31);
            if (uses & TS_CODE_CALLS)
                use(context, slot, 1);
            if (uses != TS_CODE_CALLS)
                use(context, slot, 0);
        }
    }
}
