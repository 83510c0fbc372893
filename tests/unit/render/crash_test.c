/* Crash records as no recorder writes them. Cannot find: wrong frames of a real crash (tests/e2e/110, 111). */
#include "render/crash.h"
#include "render/record.h"

#include <criterion/criterion.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 512 };

static void read_and_write(const uint32_t *words, uint32_t count, uint16_t machine) {
    struct ts_functions *functions = ts_functions_new();
    struct ts_module_map *modules = ts_module_map_new();
    struct ts_module module = {.low = 0x1000,
                               .high = 0x100000,
                               .bias = 0x1000,
                               .object = ts_functions_object(functions, "/proc/self/exe", NULL, 0)};
    struct ts_crash crash;
    struct ts_attribute attributes[TS_CRASH_ATTRIBUTES];
    struct ts_crash_texts texts;
    ts_module_map_load(modules, &module);
    ts_module_map_finish(modules);
    ts_crash_read(&crash, 1, words, count);
    ts_crash_resolve(&crash, machine, modules, functions);
    cr_assert_leq(crash.frame_count, TS_CRASH_FRAMES_MOST);
    cr_assert_leq(ts_crash_attributes(&crash, attributes, &texts), TS_CRASH_ATTRIBUTES);
    FILE *out = fopen("/dev/null", "w");
    ts_crash_write(&crash, out);
    fclose(out);
    free(texts.stack);
    ts_crash_free(&crash);
    ts_module_map_free(modules);
    ts_functions_free(functions);
}

Test(crash, any_bytes_are_harmless) {
    uint32_t words[WORDS];
    srand(1);
    for (int round = 0; round < 300; round++) {
        struct ts_record_crash *record = (struct ts_record_crash *)words;
        for (unsigned i = 0; i < WORDS; i++)
            words[i] = round % 3 ? (uint32_t)rand() & 0xfffff : (uint32_t)rand();
        if (round % 3 == 1) { /* a stack that points into code and into itself */
            record->register_bytes = 17 * 8;
            record->stack_bytes = 1024;
            record->stack_address = (struct ts_u64){0x200000, 0};
            for (unsigned i = 50; i < WORDS; i += 2)
                words[i] = i % 3 ? 0x2000 + i * 7 : 0x200000 + (i * 8) % 1024, words[i + 1] = 0;
        }
        uint32_t count = sizeof *record / 4 + (uint32_t)rand() % (WORDS - sizeof *record / 4);
        read_and_write(words, count, round % 2 ? EM_X86_64 : round % 5 ? EM_AARCH64 : (uint16_t)rand());
    }
}

Test(crash, sizes_beyond_the_record_are_cut) {
    uint32_t words[20] = {0};
    struct ts_record_crash *record = (struct ts_record_crash *)words;
    struct ts_crash crash;
    record->register_bytes = UINT32_MAX;
    record->stack_bytes = UINT32_MAX;
    ts_crash_read(&crash, 1, words, 20);
    cr_assert_eq(crash.register_count, 2);
    cr_assert_eq(crash.stack_bytes, 0);
    ts_crash_free(&crash);
}

Test(crash, codes_have_names_by_signal) {
    cr_assert_str_eq(ts_crash_code_name(11, 1), "SEGV_MAPERR");
    cr_assert_str_eq(ts_crash_code_name(8, 1), "FPE_INTDIV");
    cr_assert_str_eq(ts_crash_code_name(15, 0), "SI_USER");
    cr_assert_null(ts_crash_code_name(15, 1));
}
