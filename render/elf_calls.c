#include "render/elf_calls.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK_BYTES = 64 * 1024, INSTRUCTION_BYTES = 6 };

static void mark(struct ts_elf_slot *slots, size_t count, uint64_t address) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (slots[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < count && slots[low].address == address; low++)
        slots[low].is_called = true;
}

static void look(const uint8_t *block, size_t bytes, uint64_t address, struct ts_elf_slot *slots, size_t count) {
    const uint8_t *at = block, *end = block + bytes;
    while (end - at >= INSTRUCTION_BYTES && (at = memchr(at, 0xff, (size_t)(end - at) - INSTRUCTION_BYTES + 1))) {
        int32_t distance;
        if (at[1] == 0x15 || at[1] == 0x25) {
            memcpy(&distance, at + 2, sizeof distance);
            mark(slots, count, address + (uint64_t)(at - block) + INSTRUCTION_BYTES + (uint64_t)(int64_t)distance);
        }
        at++;
    }
}

void ts_elf_calls_find(int fd, uint64_t offset, uint64_t address, uint64_t bytes, struct ts_elf_slot *slots,
                       size_t count) {
    uint8_t block[BLOCK_BYTES];
    while (count && bytes >= INSTRUCTION_BYTES) {
        off_t data = lseek(fd, (off_t)offset, SEEK_DATA); /* there is nothing in a hole, however large it is */
        if (data > (off_t)offset) {
            uint64_t hole = (uint64_t)data - offset;
            if (hole >= bytes)
                return;
            offset += hole;
            address += hole;
            bytes -= hole;
        } else if (data < 0 && errno == ENXIO) {
            return;
        }
        size_t wanted = bytes < sizeof block ? bytes : sizeof block;
        ssize_t read = pread(fd, block, wanted, (off_t)offset);
        if (read < INSTRUCTION_BYTES)
            return;
        look(block, (size_t)read, address, slots, count);
        /* An instruction may lie across the edge of two blocks. */
        uint64_t done = (uint64_t)read - (INSTRUCTION_BYTES - 1);
        offset += done;
        address += done;
        bytes -= done;
    }
}
