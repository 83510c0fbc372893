/* Relocations by which the loader fills a pointer to a function of another object (ELF for the Arm 64-bit
 * Architecture). */
#ifndef TRACESHIM_PRELOAD_RELOCATIONS_H
#define TRACESHIM_PRELOAD_RELOCATIONS_H

#include <elf.h>
#include <stdint.h>
#include <sys/auxv.h>

#define TS_RELOCATION_IS_CALL(type) ((type) == R_AARCH64_JUMP_SLOT)
#define TS_RELOCATION_IS_ADDRESS(type) ((type) == R_AARCH64_GLOB_DAT)
#define TS_RELOCATION_IS_DATA(type) ((type) == R_AARCH64_ABS64)
#define TS_RELOCATION_IS_POINTER(type) (TS_RELOCATION_IS_CALL(type) || TS_RELOCATION_IS_ADDRESS(type))

/*
 * Functions of a variant calling convention have arguments in scalable vectors, of which the kernel keeps the first 128
 * bits through a system call: nothing may be called on the way to them.
 */
#ifndef STO_AARCH64_VARIANT_PCS
#define STO_AARCH64_VARIANT_PCS 0x80
#endif
#define TS_SYMBOL_MAY_BE_HOOKED(symbol) (!((symbol)->st_other & STO_AARCH64_VARIANT_PCS))

/*
 * The function that an IFUNC's resolver chooses. It is given AT_HWCAP, with the bit that says that a second argument is
 * there (System V ABI for the Arm 64-bit Architecture, "GNU indirect functions").
 */
static inline uint64_t ts_relocation_resolve(uint64_t resolver) {
    struct {
        unsigned long bytes, hwcap, hwcap2;
    } argument = {sizeof argument, getauxval(AT_HWCAP), getauxval(AT_HWCAP2)};
    return ((uint64_t(*)(uint64_t, const void *))resolver)(argument.hwcap | UINT64_C(1) << 62, &argument);
}
#define TS_CALL_RESOLVER(address) ts_relocation_resolve(address)

/*
 * Looks for instructions in [low, high) that load one of the slots between `lowest` and `highest`: `adrp` and `ldr`,
 * behind which `blr` or `br` call what was loaded. `use` is called for each load; `is_call`: nothing else is done with
 * it, as far as the code that follows can be followed (code_use.h). What is a load of another slot is for the caller to
 * sort out by the address.
 */
void ts_relocation_uses(uint64_t low, uint64_t high, uint64_t lowest, uint64_t highest,
                        void (*use)(void *context, uint64_t slot, int is_call), void *context);

#endif
