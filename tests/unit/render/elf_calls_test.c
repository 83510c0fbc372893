/* Calls through the GOT in code that is written here byte by byte. Cannot find: data that looks like a call. */
#include "render/elf_calls.h"

#include "tests/unit/render/compiled.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BYTES = 200000, ADDRESS = 0x400000, SLOTS = 5 };

static void put(uint8_t *code, size_t at, uint8_t second, uint64_t slot) {
    int32_t distance = (int32_t)(slot - (ADDRESS + at + 6));
    code[at] = 0xff;
    code[at + 1] = second;
    memcpy(code + at + 2, &distance, sizeof distance);
}

/* The call stands at every place around the edge of what is read at once, and at both ends. */
Test(elf_calls, wherever_a_call_stands, .timeout = 60) {
    static const size_t middles[] = {0, 65536, 131072, BYTES - 10};
    char *directory = compiled_directory();
    const char *path = compiled_path(directory, "code");
    uint8_t *code = malloc(BYTES);
    for (size_t i = 0; i < sizeof middles / sizeof *middles; i++) {
        for (size_t at = middles[i] > 12 ? middles[i] - 12 : 0; at < middles[i] + 12 && at + 6 <= BYTES; at++) {
            struct ts_elf_slot slots[SLOTS] = {{.address = 0x3ffff0},
                                               {.address = 0x500000},
                                               {.address = 0x500000},
                                               {.address = 0x500008},
                                               {.address = 0x600000}};
            memset(code, at % 2 ? 0x90 : 0xff, BYTES);
            put(code, at, at % 3 ? 0x15 : 0x25, 0x500000);
            compiled_write(path, code, BYTES);
            int fd = open(path, O_RDONLY);
            ts_elf_calls_find(fd, 0, ADDRESS, BYTES, slots, SLOTS);
            close(fd);
            for (int k = 0; k < SLOTS; k++)
                cr_expect_eq(slots[k].is_called, slots[k].address == 0x500000, "%zu: slot %d", at, k);
        }
    }
    free(code);
    compiled_remove(directory);
}

Test(elf_calls, other_instructions_and_cut_ones_are_none) {
    char *directory = compiled_directory();
    const char *path = compiled_path(directory, "code");
    uint8_t code[64];
    struct ts_elf_slot slot = {.address = 0x500000};
    memset(code, 0x90, sizeof code);
    put(code, 3, 0x35, 0x500000); /* push */
    put(code, 20, 0x15, 0x500001);
    put(code, 58, 0x15, 0x500000);
    compiled_write(path, code, sizeof code);
    int fd = open(path, O_RDONLY);
    ts_elf_calls_find(fd, 0, ADDRESS, 63, &slot, 1);
    cr_expect(!slot.is_called);
    ts_elf_calls_find(fd, 0, ADDRESS, UINT64_MAX, &slot, 0);
    ts_elf_calls_find(fd, 1 << 20, ADDRESS, UINT64_MAX, &slot, 1);
    cr_expect(!slot.is_called);
    ts_elf_calls_find(fd, 0, ADDRESS, UINT64_MAX, &slot, 1);
    cr_expect(slot.is_called, "as far as the file goes");
    close(fd);
    compiled_remove(directory);
}
