/* Relocations by which the loader fills a pointer to a function of another object. */
#ifndef TRACESHIM_PRELOAD_RELOCATIONS_H
#define TRACESHIM_PRELOAD_RELOCATIONS_H

#include <elf.h>
#include <stdint.h>

#define TS_RELOCATION_IS_CALL(type) ((type) == R_X86_64_JUMP_SLOT)
#define TS_RELOCATION_IS_ADDRESS(type) ((type) == R_X86_64_GLOB_DAT)
#define TS_RELOCATION_IS_DATA(type) ((type) == R_X86_64_64)
#define TS_RELOCATION_IS_POINTER(type) (TS_RELOCATION_IS_CALL(type) || TS_RELOCATION_IS_ADDRESS(type))

/* Every function has the one calling convention that the stubs keep to. */
#define TS_SYMBOL_MAY_BE_HOOKED(symbol) ((void)(symbol), 1)

/* The function that an IFUNC's resolver chooses. */
#define TS_CALL_RESOLVER(address) (((uint64_t(*)(void))(address))())

typedef int32_t ts_displacement __attribute__((aligned(1), may_alias));

/*
 * Looks for instructions in [low, high) that name one of the slots between `lowest` and `highest`: `call *slot(%rip)`
 * is ff 15, `jmp` ff 25; any other operation with such an operand reads the slot as a value. `use` is called with what
 * may be such an instruction; what only looks like one is for the caller to sort out by the address.
 */
static inline void ts_relocation_uses(uint64_t low, uint64_t high, uint64_t lowest, uint64_t highest,
                                      void (*use)(void *context, uint64_t slot, int is_call), void *context) {
    const uint8_t *at = (const uint8_t *)low + 1, *end = (const uint8_t *)high - 4;
    for (; at < end; at++) {
        if ((*at & 0xc7) != 0x05) /* ModRM: rip + 32 bits, which follow */
            continue;
        int32_t distance = *(const ts_displacement *)(at + 1);
        uint64_t slot = (uint64_t)(at + 5) + (uint64_t)(int64_t)distance;
        if (slot - lowest <= highest - lowest)
            use(context, slot, at[-1] == 0xff && (*at == 0x15 || *at == 0x25));
    }
}

#endif
