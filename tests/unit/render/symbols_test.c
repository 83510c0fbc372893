/*
 * Symbols and sources of real ELF files, built here, and of damaged ones. Cannot find: wrong answers for damaged files
 * (only that there is no crash, hang or leak), and separate debug files under /usr/lib/debug, which a test must not
 * write.
 */
#include "render/symbols.h"

#include "tests/unit/render/compiled.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define BUILD "-w -shared -fPIC -nostdlib -o \"$D/names.so\" tests/unit/render/fixtures/names.c"

static char *directory;

static void set_up(void) {
    directory = compiled_directory();
}

static void tear_down(void) {
    compiled_remove(directory);
}

TestSuite(symbols, .init = set_up, .fini = tear_down, .timeout = 120);

static struct ts_symbols *open_ok(const char *path) {
    struct ts_error error = {""};
    struct ts_symbols *symbols = ts_symbols_open(path, NULL, 0, &error);
    cr_assert(symbols != NULL, "%s", error.text);
    return symbols;
}

static void expect_name(struct ts_symbols *symbols, uint64_t address, const char *name) {
    struct ts_symbol symbol = {.linkage_name = "nothing"};
    int found = ts_symbols_find(symbols, address, &symbol);
    if (name)
        cr_expect(found == 0 && !strcmp(symbol.linkage_name, name), "%#lx is %s, not %s", (unsigned long)address,
                  symbol.linkage_name, name);
    else
        cr_expect(found == -1, "%#lx is %s", (unsigned long)address, symbol.linkage_name);
}

static void expect_source(struct ts_symbols *symbols, uint64_t address, const char *file, uint32_t line) {
    struct ts_source source = {.file = "nothing"};
    int found = ts_symbols_source(symbols, address, &source);
    cr_expect(found == 0 && strstr(source.file, file) && source.line == line, "%#lx is at %s:%u, not %s:%u",
              (unsigned long)address, source.file, source.line, file, line);
}

static void expect_refused(const char *path, const uint8_t *build_id, uint32_t bytes, const char *text) {
    struct ts_error error = {""};
    struct ts_symbols *symbols = ts_symbols_open(path, build_id, bytes, &error);
    cr_expect_null(symbols);
    cr_expect(strstr(error.text, text), "'%s' does not tell '%s'", error.text, text);
    cr_expect(strchr(error.text, '\n') == NULL);
}

Test(symbols, finds_every_kind_of_function) {
    compiled_run(directory, "cc " BUILD);
    const char *path = compiled_path(directory, "names.so");
    struct ts_symbols *symbols = open_ok(path);
    static const char *const names[] = {"hidden", "shown", "strong_name", "sized", "outer", "inner", "unsized", "last"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        expect_name(symbols, compiled_address(path, names[i]), names[i]);
    expect_name(symbols, compiled_address(path, "weak_name"), "strong_name");
    expect_name(symbols, compiled_address(path, "local_name"), "strong_name");

    uint64_t sized = compiled_address(path, "sized"), outer = compiled_address(path, "outer");
    expect_name(symbols, sized + 15, "sized");
    expect_name(symbols, sized + 16, NULL);
    expect_name(symbols, outer + 16, "inner");
    expect_name(symbols, outer + 40, "outer");
    expect_name(symbols, outer + 48, "bare");
    expect_name(symbols, compiled_address(path, "unsized") + 15, "unsized");
    expect_name(symbols, compiled_address(path, "last") + 16, NULL);
    expect_name(symbols, compiled_address(path, "counter"), NULL);
    expect_name(symbols, 0, NULL);
    expect_name(symbols, UINT64_MAX, NULL);

    struct ts_symbol symbol;
    cr_expect_eq(ts_symbols_find(symbols, sized + 3, &symbol), 0);
    cr_expect_eq(symbol.address, sized);
    cr_expect_eq(symbol.bytes, 16);
    ts_symbols_close(symbols);
}

Test(symbols, a_stripped_library_has_its_dynamic_symbols) {
    compiled_run(directory, "cc " BUILD);
    const char *path = compiled_path(directory, "names.so");
    uint64_t shown = compiled_address(path, "shown"), hidden = compiled_address(path, "hidden");
    compiled_run(directory, "strip \"$D/names.so\"");
    struct ts_symbols *symbols = open_ok(path);
    expect_name(symbols, shown, "shown");
    expect_name(symbols, hidden, NULL);
    struct ts_source source;
    cr_expect_eq(ts_symbols_source(symbols, shown, &source), -1);
    ts_symbols_close(symbols);
}

/* The place of the debug file, and whether a build-id or only the checksum vouches for it. */
static void check_debug_link(const char *place, const char *build_id, int tampered) {
    compiled_run(directory,
                 "cc -g -Wl,--build-id=%s " BUILD " && mkdir -p \"$D/%s\" && cd \"$D\" && "
                 "objcopy --only-keep-debug names.so \"%s/names.debug\" && cp names.so full.so && strip names.so && "
                 "objcopy --add-gnu-debuglink=\"%s/names.debug\" names.so",
                 build_id, place, place, place);
    if (tampered)
        compiled_run(directory, "printf x >>\"$D/%s/names.debug\"", place);
    uint64_t hidden = compiled_address(compiled_path(directory, "full.so"), "hidden");
    struct ts_symbols *symbols = open_ok(compiled_path(directory, "names.so"));
    expect_name(symbols, hidden, tampered ? NULL : "hidden");
    struct ts_source source;
    if (tampered)
        cr_expect_eq(ts_symbols_source(symbols, hidden, &source), -1);
    else
        expect_source(symbols, hidden, "names.c", 5);
    ts_symbols_close(symbols);
}

Test(symbols, follows_a_debug_link_beside_the_file) {
    check_debug_link(".", "sha1", 0);
}

Test(symbols, follows_a_debug_link_into_dot_debug_by_checksum) {
    check_debug_link(".debug", "none", 0);
}

Test(symbols, refuses_a_debug_file_with_another_checksum) {
    check_debug_link(".", "none", 1);
}

Test(symbols, refuses_a_debug_file_with_another_build_id) {
    compiled_run(directory, "cc -g -Wl,--build-id=0x010203 " BUILD " && cd \"$D\" && cp names.so full.so && "
                            "objcopy --only-keep-debug names.so names.debug && strip names.so && "
                            "objcopy --add-gnu-debuglink=names.debug names.so && "
                            "objcopy --only-keep-debug --remove-section=.note.gnu.build-id full.so names.debug");
    uint64_t hidden = compiled_address(compiled_path(directory, "full.so"), "hidden");
    struct ts_symbols *symbols = open_ok(compiled_path(directory, "names.so"));
    expect_name(symbols, hidden, NULL);
    ts_symbols_close(symbols);
}

Test(symbols, tells_why_there_are_no_names) {
    compiled_run(directory,
                 "cc -Wl,--build-id=0x01020304 " BUILD " && mkfifo \"$D/fifo\" && echo text >\"$D/text\" && "
                 "cc -static -w -nostdlib -Wl,-e,0 -o \"$D/stripped\" -xc - </dev/null && strip \"$D/stripped\"");
    const uint8_t same[] = {1, 2, 3, 4}, other[] = {1, 2, 3, 5};
    const char *path = compiled_path(directory, "names.so");
    struct ts_symbols *symbols = ts_symbols_open(path, same, sizeof same, &(struct ts_error){""});
    cr_expect_not_null(symbols);
    ts_symbols_close(symbols);
    expect_refused(path, other, sizeof other,
                   "names.so was rebuilt since the trace (build-id differs; keep the old file)");
    expect_refused(path, same, 3, "was rebuilt");
    expect_refused(compiled_path(directory, "missing"), NULL, 0, "missing is gone");
    expect_refused(compiled_path(directory, "text/below"), NULL, 0, "is gone");
    expect_refused(compiled_path(directory, "fifo"), NULL, 0, "is no ELF file");
    expect_refused(compiled_path(directory, "text"), NULL, 0, "is no ELF file");
    expect_refused(directory, NULL, 0, "is no ELF file");
    expect_refused(compiled_path(directory, "stripped"), NULL, 0, "has no symbols");
}

static void check_sources(const char *compiler_and_flags) {
    compiled_run(directory, "%s " BUILD, compiler_and_flags);
    const char *path = compiled_path(directory, "names.so");
    struct ts_symbols *symbols = open_ok(path);
    expect_source(symbols, compiled_address(path, "shown"), "fixtures/names.c", 10);
    expect_source(symbols, compiled_address(path, "shown") + 2, "fixtures/names.c", 10);
    expect_source(symbols, compiled_address(path, "hidden"), "fixtures/names.c", 5);
    struct ts_source source;
    cr_expect_eq(ts_symbols_source(symbols, 1, &source), -1);
    cr_expect_eq(ts_symbols_source(symbols, UINT64_MAX, &source), -1);
    ts_symbols_close(symbols);
}

Test(symbols, sources_by_gcc) {
    check_sources("cc -g");
    check_sources("cc -g -gdwarf-4 -O2");
    check_sources("cc -g -gz");
    check_sources("cc -g -ffunction-sections -fdebug-types-section");
}

/* clang writes no .debug_aranges. */
Test(symbols, sources_by_clang) {
    if (!compiled_have("clang"))
        cr_skip_test("clang is not installed");
    check_sources("clang -g -gdwarf-4");
    check_sources("clang -g -gdwarf-5");
}

Test(symbols, sources_of_methods_and_namespaces) {
    compiled_run(directory, "c++ -g -w -o \"$D/names\" tests/unit/render/fixtures/names.cc");
    const char *path = compiled_path(directory, "names");
    struct ts_symbols *symbols = open_ok(path);
    expect_source(symbols, compiled_address(path, "_ZN5alpha6helperEi"), "names.cc", 7);
    expect_source(symbols, compiled_address(path, "_ZN5alpha5timesIiLi3EEET_S1_"), "names.cc", 17);
    expect_source(symbols, compiled_address(path, "_ZN5alpha3FooclEic"), "names.cc", 55);
    expect_source(symbols, compiled_address(path, "main"), "names.cc", 94);
    ts_symbols_close(symbols);
}

Test(symbols, without_declarations_the_line_table_tells) {
    compiled_run(directory,
                 "printf '.text\\n.globl f\\n.type f,@function\\nf:\\n nop\\n ret\\n.size f,.-f\\n' >\"$D/f.s\" && "
                 "cc -g -shared -nostdlib -o \"$D/f.so\" \"$D/f.s\"");
    const char *path = compiled_path(directory, "f.so");
    struct ts_symbols *symbols = open_ok(path);
    expect_source(symbols, compiled_address(path, "f"), "f.s", 5);
    ts_symbols_close(symbols);
}

/* Asks everything of a file that may be broken in any way. */
static void exercise(const char *path) {
    struct ts_error error;
    struct ts_symbol symbol;
    struct ts_source source;
    struct ts_symbols *symbols = ts_symbols_open(path, NULL, 0, &error);
    if (!symbols)
        return;
    for (uint64_t address = 0; address < 0x2000; address += 16) {
        if (ts_symbols_find(symbols, address, &symbol) == 0)
            cr_assert(strlen(symbol.linkage_name) > 0);
        if (address % 128 == 0 && ts_symbols_source(symbols, address, &source) == 0)
            cr_assert(strlen(source.file) < 1 << 20);
    }
    ts_symbols_close(symbols);
}

static uint8_t *build_small(size_t *bytes) {
    compiled_run(directory, "cc -g -O1 " BUILD);
    return compiled_read(compiled_path(directory, "names.so"), bytes);
}

Test(symbols, files_cut_anywhere) {
    size_t bytes;
    uint8_t *content = build_small(&bytes);
    const char *path = compiled_path(directory, "cut.so");
    for (size_t length = 0; length < bytes; length += 64) {
        compiled_write(path, content, length);
        exercise(path);
    }
    free(content);
}

Test(symbols, files_with_flipped_bits) {
    size_t bytes;
    uint8_t *content = build_small(&bytes), *damaged = malloc(bytes);
    const char *path = compiled_path(directory, "flipped.so");
    unsigned state = 1;
    for (int round = 0; round < 2000; round++) {
        memcpy(damaged, content, bytes);
        for (int flip = 0; flip < 1 + round % 24; flip++) {
            state = state * 1103515245 + 12345;
            damaged[(state >> 8) % bytes] ^= (uint8_t)(1u << (state >> 28) % 8);
        }
        compiled_write(path, damaged, bytes);
        exercise(path);
    }
    free(damaged);
    free(content);
}

/* Every section header, one field at a time, set to values that make sections overlap, run past the end or wrap. */
Test(symbols, files_with_overlapping_sections) {
    static const uint64_t values[] = {0, 1, 64, 0x1000, UINT32_MAX, UINT64_MAX, UINT64_MAX - 64, UINT64_C(1) << 62};
    enum { FIELDS = 8, HEADER_BYTES = 64 };
    size_t bytes;
    uint8_t *content = build_small(&bytes);
    const char *path = compiled_path(directory, "overlapping.so");
    uint64_t table;
    uint16_t count;
    memcpy(&table, content + 40, sizeof table); /* e_shoff */
    memcpy(&count, content + 60, sizeof count); /* e_shnum */
    cr_assert(table + (uint64_t)count * HEADER_BYTES <= bytes, "the fixture is no 64-bit file");
    for (size_t field = 0; field < count * (size_t)FIELDS; field++) {
        for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
            uint8_t saved[8];
            uint8_t *at = content + table + field * 8;
            memcpy(saved, at, 8);
            memcpy(at, &values[i], 8);
            compiled_write(path, content, bytes);
            exercise(path);
            memcpy(at, saved, 8);
        }
    }
    free(content);
}

Test(symbols, a_library_function_whose_address_is_in_the_program) {
    compiled_run(directory,
                 "cd \"$D\" && echo 'int far(void) { return 1; }' >far.c && cc -shared -fPIC far.c -o libfar.so && "
                 "echo 'int far(void); int (*p)(void); int main(void) { p = far; return p(); }' >near.c && "
                 "cc -fno-pie -no-pie near.c ./libfar.so -o near");
    struct ts_symbols *symbols = open_ok(compiled_path(directory, "near"));
    unsigned found = 0;
    for (size_t i = 0; i < ts_symbols_count(symbols); i++) {
        struct ts_symbol symbol = ts_symbols_at(symbols, i);
        if (strcmp(symbol.linkage_name, "far") != 0)
            continue;
        found++;
        expect_name(symbols, symbol.address, "far");
        expect_name(symbols, symbol.address + 15, "far");
    }
    cr_expect_eq(found, 1);
    ts_symbols_close(symbols);
}

static bool returns_value(const char *path, const char *function) {
    struct ts_symbols *symbols = open_ok(path);
    struct ts_source_rows rows = {.count = 0};
    uint64_t low = compiled_address(path, function);
    cr_assert_eq(ts_symbols_rows(symbols, low, low + 8, &rows), 0);
    free(rows.rows);
    ts_symbols_close(symbols);
    return rows.returns_value;
}

/* What the unit says of its functions may be in a file of its own, at offsets of its own. */
Test(symbols, rows_know_whether_the_function_returns_a_value) {
    static const char *const kinds[] = {"-g", "-g -gsplit-dwarf"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        compiled_run(directory,
                     "printf 'int one(int x) { return x + 1; }\\nvoid none(int *x) { ++*x; }\\n"
                     "int two(int x) { return x + 2; }\\n' >\"$D/returns.c\" && "
                     "cc -O0 %s -shared -fPIC -o \"$D/returns.so\" \"$D/returns.c\" -dumpdir \"$D/\"",
                     kinds[i]);
        const char *path = compiled_path(directory, "returns.so");
        cr_expect(returns_value(path, "one"), "%s", kinds[i]);
        cr_expect_not(returns_value(path, "none"), "%s", kinds[i]);
        cr_expect(returns_value(path, "two"), "%s", kinds[i]);
    }
}
