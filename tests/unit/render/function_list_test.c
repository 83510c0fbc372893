/*
 * The functions of ELF files that are made here, and which of them globs select. Cannot find: how names are made
 * (demangle_test.c) and read (symbols_test.c).
 */
#include "render/function_list.h"

#include "tests/unit/render/compiled.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static char *directory;

static void set_up(void) {
    directory = compiled_directory();
}

static void tear_down(void) {
    compiled_remove(directory);
}

TestSuite(function_list, .init = set_up, .fini = tear_down, .timeout = 60);

/* A library with a function for each of these symbols, in this order. */
static struct ts_symbols *make(const char *const *names, size_t count, const char *flags) {
    struct ts_error error = {""};
    char *source = NULL;
    size_t bytes;
    FILE *out = open_memstream(&source, &bytes);
    fputs(".text\n", out);
    for (size_t i = 0; i < count; i++)
        fprintf(out, ".globl \"%s\"\n.type \"%s\", %%function\n.balign 16\n\"%s\":\n.long 0\n.size \"%s\", 4\n",
                names[i], names[i], names[i], names[i]);
    fputs(".section .note.GNU-stack, \"\", %progbits\n", out);
    fclose(out);
    compiled_write(compiled_path(directory, "names.s"), source, bytes);
    free(source);
    compiled_run(directory, "cc -shared -nostdlib -o \"$D/names.so\" \"$D/names.s\" %s", flags);
    struct ts_symbols *symbols = ts_symbols_open(compiled_path(directory, "names.so"), NULL, 0, &error);
    cr_assert(symbols, "%s", error.text);
    return symbols;
}

/* What is written, without the addresses; valid until the next call. */
static const char *listed(const struct ts_symbols *symbols, const char *globs, bool all) {
    static char *text;
    size_t bytes;
    free(text);
    FILE *out = open_memstream(&text, &bytes);
    ts_function_list_write(symbols, globs, all, out);
    fclose(out);
    char *to = text;
    uint64_t before = 0;
    for (char *line = text, *next; *line; line = next) {
        next = strchr(line, '\n') + 1;
        uint64_t address = strtoull(line + 1, NULL, 16);
        cr_assert_eq(line[17], ' ');
        cr_assert_gt(address, before, "by address");
        before = address;
        *to++ = *line;
        memmove(to, line + 18, (size_t)(next - line - 18));
        to += next - line - 18;
    }
    *to = '\0';
    return text;
}

Test(function_list, selected_and_others) {
    static const char *const names[] = {"main", "parse_line", "parse_file", "print_line"};
    struct ts_symbols *symbols = make(names, 4, "");
    cr_expect_str_eq(listed(symbols, NULL, false), "+main\n+parse_line\n+parse_file\n+print_line\n");
    cr_expect_str_eq(listed(symbols, "parse_*", false), "+parse_line\n+parse_file\n");
    cr_expect_str_eq(listed(symbols, "parse_*,-*_file", true), "-main\n+parse_line\n-parse_file\n-print_line\n");
    cr_expect_str_eq(listed(symbols, "-parse_*", true), "+main\n-parse_line\n-parse_file\n+print_line\n");
    cr_expect_str_eq(listed(symbols, "nothing_is_called_so", false), "");
    ts_symbols_close(symbols);
}

static const struct {
    const char *symbol;
    const char *name; /* as people write it */
} mangled[] = {
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
    {"_ZN4game6my_opsEi", "game::my_ops"},
    {"_ZN4game11cooperatorsEi", "game::cooperators"},
    {"_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write"},
    {"_RNvCs1234_7mycrate3foo", "mycrate::foo"},
    {"_D4demo4workFiZv", "demo.work"},
    {"copy.isra.0", "copy"},
};
enum { MANGLED = sizeof mangled / sizeof *mangled };

Test(function_list, names_are_those_that_people_write) {
    const char *symbols_of_file[MANGLED];
    char wanted[256];
    for (size_t i = 0; i < MANGLED; i++)
        symbols_of_file[i] = mangled[i].symbol;
    struct ts_symbols *symbols = make(symbols_of_file, MANGLED, "");
    for (size_t i = 0; i < MANGLED; i++) {
        snprintf(wanted, sizeof wanted, "+%s\n", mangled[i].name);
        cr_expect_str_eq(listed(symbols, mangled[i].name, false), wanted);
    }
    cr_expect_str_eq(listed(symbols, "_Z*", false), "", "no name begins so");
    ts_symbols_close(symbols);
}

Test(function_list, a_function_with_several_symbols_is_listed_once) {
    static const char *const names[] = {"one"};
    struct ts_symbols *symbols = make(names, 1, "-Wl,--defsym,zero=one");
    cr_expect_str_eq(listed(symbols, NULL, false), "+one\n");
    cr_expect_str_eq(listed(symbols, "zero", true), "-one\n", "tree and report call it one");
    ts_symbols_close(symbols);
}

Test(function_list, names_are_shown_safely) {
    static const char *const names[] = {"evil\033[2J"};
    struct ts_symbols *symbols = make(names, 1, "");
    cr_expect_str_eq(listed(symbols, "evil*", false), "+evil\\x1b[2J\n");
    ts_symbols_close(symbols);
}
