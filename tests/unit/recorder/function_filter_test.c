/* Which functions TRACE_FUNCTIONS wants, of ELF files that are made here. Cannot find: what compilers emit beside. */
#include "preload/function_filter.h"
#include "tests/unit/recorder/scene.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(function_filter, .init = scene_make_directory, .fini = scene_end);

/* The filter asks the program's C++ runtime; the tests have none. */
char *__cxa_demangle(const char *name, char *buffer, size_t *length, int *status);
static void *runtime;

char *__cxa_demangle(const char *name, char *buffer, size_t *length, int *status) {
    char *(*demangle)(const char *, char *, size_t *, int *) = NULL;
    if (!runtime)
        runtime = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
    if (runtime)
        demangle = (char *(*)(const char *, char *, size_t *, int *))dlsym(runtime, "__cxa_demangle");
    *status = -2;
    return demangle ? demangle(name, buffer, length, status) : NULL;
}

struct function {
    const char *name;
    uint64_t address;
    unsigned char type;
};

#define FILE_MOST 131072
struct elf {
    uint8_t bytes[FILE_MOST];
    size_t size;
};

static Elf64_Shdr *section(struct elf *elf, unsigned index) {
    Elf64_Ehdr *header = (Elf64_Ehdr *)elf->bytes;
    return (Elf64_Shdr *)(elf->bytes + header->e_shoff) + index;
}

/* An ELF file with a symbol table of these functions: header, sections, symbols, names. */
static void make_elf(struct elf *elf, const struct function *functions, unsigned count, uint32_t table_type) {
    Elf64_Ehdr *header = (Elf64_Ehdr *)elf->bytes;
    memset(elf, 0, sizeof *elf);
    memcpy(header->e_ident, ELFMAG, SELFMAG);
    header->e_ident[EI_CLASS] = ELFCLASS64;
    header->e_ident[EI_DATA] = ELFDATA2LSB;
    header->e_shoff = sizeof *header;
    header->e_shentsize = sizeof(Elf64_Shdr);
    header->e_shnum = 3;
    size_t symbols_at = sizeof *header + 3 * sizeof(Elf64_Shdr);
    size_t names_at = symbols_at + (count + 1) * sizeof(Elf64_Sym), used = names_at + 1;
    Elf64_Sym *symbols = (Elf64_Sym *)(elf->bytes + symbols_at);
    for (unsigned i = 0; i < count; i++) {
        size_t length = strlen(functions[i].name) + 1;
        cr_assert_leq(used + length, FILE_MOST);
        memcpy(elf->bytes + used, functions[i].name, length);
        symbols[1 + i] = (Elf64_Sym){.st_name = (Elf64_Word)(used - names_at),
                                     .st_value = functions[i].address,
                                     .st_info = ELF64_ST_INFO(STB_GLOBAL, functions[i].type)};
        used += length;
    }
    *section(elf, 1) = (Elf64_Shdr){
        .sh_type = table_type, .sh_offset = symbols_at, .sh_size = (count + 1) * sizeof(Elf64_Sym), .sh_link = 2};
    *section(elf, 2) = (Elf64_Shdr){.sh_type = SHT_STRTAB, .sh_offset = names_at, .sh_size = used - names_at};
    elf->size = used;
}

#define BIAS UINT64_C(0x7f0000000000)

static int64_t add(const struct elf *elf) {
    scene_write_file("module", elf->bytes, elf->size);
    return ts_function_filter_add_module(scene_path("module"), BIAS, BIAS, BIAS + 0x10000);
}

static int64_t add_functions(const struct function *functions, unsigned count) {
    static struct elf elf;
    make_elf(&elf, functions, count, SHT_SYMTAB);
    return add(&elf);
}

static int wants(uint64_t address) {
    return ts_function_filter_wants(BIAS + address);
}

static const struct function c_names[] = {
    {"main", 0x1000, STT_FUNC},       {"parse_line", 0x1100, STT_FUNC}, {"parse_file", 0x1200, STT_FUNC},
    {"print_line", 0x1300, STT_FUNC}, {"parsed", 0x1400, STT_OBJECT},   {"parse_imported", 0, STT_FUNC},
};

Test(function_filter, unset_means_all) {
    ts_function_filter_begin(NULL);
    cr_assert_eq(ts_function_filter_is_on(), 0);
    cr_assert(wants(0x1000) && wants(0x123450));
}

Test(function_filter, named_functions_only) {
    ts_function_filter_begin("parse_*");
    cr_assert_eq(ts_function_filter_is_on(), 1);
    cr_assert_eq(add_functions(c_names, 6), 2);
    cr_assert(wants(0x1100) && wants(0x1200));
    cr_assert(!wants(0x1000) && !wants(0x1300) && !wants(0x1400) && !wants(0));
}

Test(function_filter, all_but_some) {
    ts_function_filter_begin("-parse_*");
    cr_assert_eq(add_functions(c_names, 6), 2);
    cr_assert(wants(0x1000) && wants(0x1300));
    cr_assert(!wants(0x1100) && !wants(0x1200));
}

Test(function_filter, functions_that_share_a_bit_are_told_apart) {
    struct function close_by[] = {{"want_a", 0x2000, STT_FUNC},
                                  {"skip_a", 0x2004, STT_FUNC},
                                  {"want_b", 0x2008, STT_FUNC},
                                  {"skip_b", 0x200c, STT_FUNC},
                                  {"want_c", 0x2010, STT_FUNC},
                                  {"want_d", 0x2014, STT_FUNC},
                                  {"skip_c", 0x2000 + 16 * (uint64_t)TS_FUNCTION_FILTER_BITS, STT_FUNC}};
    ts_function_filter_begin("want_*");
    cr_assert_eq(add_functions(close_by, 7), 4);
    cr_assert(wants(0x2000) && wants(0x2008) && wants(0x2010) && wants(0x2014));
    cr_assert(!wants(0x2004) && !wants(0x200c) && !wants(0x2000 + 16 * (uint64_t)TS_FUNCTION_FILTER_BITS));
    cr_assert_eq(ts_function_filter_listed(BIAS + 0x2000), 1);
}

Test(function_filter, many_shared_bits) {
    enum { COUNT = 2000 };
    static struct function functions[COUNT];
    static char names[COUNT][16];
    static struct elf elf;
    for (unsigned i = 0; i < COUNT; i++) {
        unsigned shuffled = i * 7 % COUNT;
        snprintf(names[i], sizeof names[i], "%s%u", shuffled % 2 ? "a" : "b", shuffled);
        functions[i] = (struct function){names[i], 0x3000 + 8 * (uint64_t)shuffled, STT_FUNC};
    }
    ts_function_filter_begin("a*");
    make_elf(&elf, functions, COUNT, SHT_SYMTAB);
    cr_assert_eq(add(&elf), COUNT / 2);
    for (unsigned i = 0; i < COUNT; i += 2) {
        cr_assert(!wants(0x3000 + 8 * (uint64_t)i), "b%u", i);
        cr_assert(wants(0x3000 + 8 * (uint64_t)(i + 1)), "a%u", i + 1);
    }
}

/* Bits are shared every 16 MiB: modules that lie so far apart share all of theirs. */
#define ONE_ROUND (16 * (uint64_t)TS_FUNCTION_FILTER_BITS)

Test(function_filter, a_wanted_function_stays_so_when_another_module_comes) {
    struct function first = {"want", 0x4000, STT_FUNC}, second = {"skip", 0x4000 + ONE_ROUND, STT_FUNC};
    ts_function_filter_begin("want");
    cr_assert_eq(add_functions(&first, 1), 1);
    cr_assert_eq(add_functions(&second, 1), 0);
    cr_assert(!wants(0x4000 + ONE_ROUND), "it is not selected");
    cr_assert(wants(0x4000), "it was wanted before that module came");
}

Test(function_filter, an_unwanted_function_stays_so_when_another_module_comes) {
    struct function first = {"skip", 0x4000, STT_FUNC}, second = {"want", 0x4000 + ONE_ROUND, STT_FUNC};
    ts_function_filter_begin("want");
    cr_assert_eq(add_functions(&first, 1), 0);
    cr_assert_eq(add_functions(&second, 1), 1);
    cr_assert(wants(0x4000 + ONE_ROUND));
    cr_assert(!wants(0x4000), "it was not wanted before that module came");
}

Test(function_filter, stripped_files_have_their_dynamic_symbols) {
    static struct elf elf;
    ts_function_filter_begin("parse_*");
    make_elf(&elf, c_names, 6, SHT_DYNSYM);
    cr_assert_eq(add(&elf), 2);
    cr_assert(wants(0x1100) && !wants(0x1300));
}

static const struct {
    const char *symbol;
    const char *name; /* as people write it */
} cxx_names[] = {
    {"_Z4loadi", "load"},
    {"_ZN4game4loadEi", "game::load"},
    {"_ZN4game5Actor4moveEv", "game::Actor::move"},
    {"_ZNK4game5Actor4nameEv", "game::Actor::name"},
    {"_ZN4game5ActorC1Ev", "game::Actor::Actor"},
    {"_ZN4game5ActorD1Ev", "game::Actor::~Actor"},
    {"_Z3addIiET_S0_S0_", "add<int>"},
    {"_ZN4game5ActorclEi", "game::Actor::operator()"},
    {"_ZN4game5ActorltERKS0_", "game::Actor::operator<"},
    {"_ZN4game5ActorcvbEv", "game::Actor::operator bool"},
    {"_ZN12_GLOBAL__N_14helpEv", "help"},
    {"_ZZ4mainENKUlvE_clEv", "main::{lambda()#1}::operator()"},
    {"_ZZ4mainENKUliE_clEi", "main::{lambda(int)#1}::operator()"},
    {"_ZN4game6my_opsEi", "game::my_ops"},
    {"_ZN4game11cooperatorsEi", "game::cooperators"},
};

Test(function_filter, cxx_functions_by_their_qualified_names) {
    char name[256];
    int status;
    if (!__cxa_demangle("_Z4loadi", NULL, NULL, &status))
        cr_skip_test("no C++ runtime on this machine");
    for (size_t i = 0; i < sizeof cxx_names / sizeof *cxx_names; i++) {
        struct function function = {cxx_names[i].symbol, 0x1000 + 64 * i, STT_FUNC};
        snprintf(name, sizeof name, "%s", cxx_names[i].name);
        ts_function_filter_begin(name);
        int64_t found = add_functions(&function, 1);
        cr_expect_eq(found, 1, "%s is not selected by \"%s\"", cxx_names[i].symbol, name);
    }
}

Test(function_filter, names_without_a_cxx_runtime_are_the_symbols) {
    struct function function = {"_ZN4game4loadEx_not_mangled", 0x1000, STT_FUNC};
    ts_function_filter_begin("_ZN4game*");
    cr_assert_eq(add_functions(&function, 1), 1);
}

Test(function_filter, a_file_that_cannot_be_read_is_recorded_unless_something_is_named) {
    ts_function_filter_begin("-main");
    cr_assert_eq(ts_function_filter_add_module("/nowhere", BIAS, BIAS + 0x5000, BIAS + 0x6000), -1);
    cr_assert(wants(0x5000) && wants(0x5ff0));
    cr_assert(!wants(0x4ff0) && !wants(0x6000));
    ts_function_filter_begin("main");
    cr_assert_eq(ts_function_filter_add_module("/nowhere", BIAS, BIAS + 0x8000, BIAS + 0x9000), -1);
    cr_assert(!wants(0x8000) && !wants(0x8ff0));
}

/* Every field of the file that leads somewhere, led elsewhere. */
Test(function_filter, damaged_files_are_refused) {
    static struct elf whole, elf;
    make_elf(&whole, c_names, 6, SHT_SYMTAB);
    ts_function_filter_begin("*");
    static const uint64_t values[] = {0, 1, 40, FILE_MOST, UINT32_MAX, UINT64_MAX, UINT64_MAX - 63, UINT64_C(1) << 63};
    size_t from = offsetof(Elf64_Ehdr, e_shoff), to = sizeof(Elf64_Ehdr) + 3 * sizeof(Elf64_Shdr);
    for (size_t at = from; at < to; at += 2)
        for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
            elf = whole;
            memcpy(elf.bytes + at, &values[i], at + 8 <= to ? 8 : 2);
            add(&elf); /* whatever it says: without a crash */
        }
    for (size_t size = 0; size < whole.size; size += 13) {
        elf = whole;
        elf.size = size;
        cr_assert_eq(add(&elf), -1, "cut at %zu", size);
    }
    elf = whole;
    elf.bytes[EI_CLASS] = ELFCLASS32;
    cr_assert_eq(add(&elf), -1);
    elf = whole;
    elf.bytes[elf.size - 1] = 'x';
    cr_assert_eq(add(&elf), -1, "the last name has no end");
    cr_assert_eq(add(&whole), 4);
}
