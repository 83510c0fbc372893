/*
 * An ELF file with whatever DWARF it has, by all that reads one: names and source positions of addresses, the list of
 * its functions, what the loader would bind, and which of its calls would be hooked. libelf and libdw are not
 * instrumented: of their mistakes only crashes and what the allocator sees are found.
 */
#include "render/demangle.h"
#include "render/function_list.h"
#include "render/hook_binding.h"
#include "render/hook_option.h"
#include "render/symbols.h"
#include "tests/fuzz/fuzz.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

enum { ADDRESSES = 64 };

static void look_up(struct ts_symbols *symbols, uint64_t address) {
    struct ts_symbol symbol;
    struct ts_source source;
    if (ts_symbols_find(symbols, address, &symbol) == 0) {
        char *name = ts_demangle(symbol.linkage_name);
        if (!name[0])
            abort();
        free(name);
    }
    if (ts_symbols_source(symbols, address, &source) == 0 && !source.file[strlen(source.file)])
        address++;
}

static void list_functions(const struct ts_symbols *symbols) {
    char *text = NULL;
    size_t bytes, lines = 0;
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        return;
    ts_function_list_write(symbols, "-*cold*,a*,*::operator*,[a-m]*,?x*", true, out);
    fclose(out);
    for (size_t i = 0; i < bytes; i++)
        lines += text[i] == '\n';
    if (lines != ts_symbols_count(symbols))
        abort();
    free(text);
}

/* Words of the file itself: addresses are among them. */
static void use_symbols(const char *path, const uint8_t *data, size_t size) {
    struct ts_error error;
    struct ts_symbols *symbols = ts_symbols_open(path, NULL, 0, &error);
    if (!symbols)
        return;
    Elf64_Ehdr header;
    memcpy(&header, data, size < sizeof header ? size : sizeof header);
    size_t step = (size / ADDRESSES + 8) & ~(size_t)7;
    for (size_t at = 0; at + sizeof(uint64_t) <= size; at += step) {
        uint64_t address;
        memcpy(&address, data + at, sizeof address);
        look_up(symbols, address);
    }
    for (unsigned i = 0; size >= sizeof header && i < ADDRESSES; i++)
        look_up(symbols, header.e_entry + 16 * i);
    list_functions(symbols);
    ts_symbols_close(symbols);
}

static void bind_calls(struct ts_load_order *order, const char *selection_text) {
    struct ts_hook_selection selection;
    struct ts_hook_bindings bindings;
    char *wrong;
    ts_hook_option_parse(&selection, selection_text, &wrong);
    ts_hook_bindings_find(&bindings, order, &selection);
    ts_hook_bindings_free(&bindings);
    free(selection.rules);
    free(wrong);
}

/* The same file is the program and a library that it needs. */
static void use_hooks(const char *path) {
    struct ts_error error;
    struct ts_elf_file *file = ts_elf_file_open(path, &error);
    if (!file)
        return;
    struct ts_load_module program = {.file = file, .name = "program"}, library = {.file = file, .name = "library"};
    struct ts_load_module *modules[] = {&program, &library};
    struct ts_load_order order = {.modules = modules, .count = 2};
    bind_calls(&order, "*");
    bind_calls(&order, "zlib,puts@program,external,none,-*@library");
    ts_elf_file_close(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *path = fuzz_file(data, size);
    use_symbols(path, data, size);
    use_hooks(path);
    return 0;
}
