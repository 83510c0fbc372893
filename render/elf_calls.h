/* Which slots of the GOT a file's code calls through: calls that need no PLT (-fno-plt), found in the code itself. */
#ifndef TRACESHIM_RENDER_ELF_CALLS_H
#define TRACESHIM_RENDER_ELF_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ts_elf_slot {
    uint64_t address; /* in the file's own addresses */
    bool is_called;
};

/*
 * Sets is_called of those of `slots`, sorted by address, that x86-64 code calls or jumps through: `call *slot(%rip)`
 * (ff 15) and `jmp *slot(%rip)` (ff 25). The code are `bytes` bytes at `offset` of the file `fd`, loaded at `address`;
 * what cannot be read is skipped. Takes no memory for it; moves the offset of `fd`.
 */
void ts_elf_calls_find(int fd, uint64_t offset, uint64_t address, uint64_t bytes, struct ts_elf_slot *slots,
                       size_t count);

#endif
