/* Functions by address: aliases, sizes, nesting, limits. */
#include "render/symbol_table.h"

#include <criterion/criterion.h>
#include <string.h>

static void expect(const struct ts_symbol_table *table, uint64_t address, const char *name) {
    const struct ts_symbol_entry *entry = ts_symbol_table_find(table, address);
    if (!name)
        cr_expect_null(entry, "%#lx is %s", (unsigned long)address, entry ? entry->name : "");
    else
        cr_expect(entry && !strcmp(entry->name, name), "%#lx is %s, not %s", (unsigned long)address,
                  entry ? entry->name : "nothing", name);
}

Test(symbol_table, an_empty_table_knows_nothing) {
    struct ts_symbol_table table = {.count = 0};
    ts_symbol_table_finish(&table);
    expect(&table, 0, NULL);
    expect(&table, UINT64_MAX, NULL);
    ts_symbol_table_free(&table);
}

Test(symbol_table, the_best_alias_wins_whatever_the_order) {
    static const struct {
        const char *name;
        enum ts_symbol_rank rank;
    } aliases[] = {{"weak", TS_SYMBOL_WEAK},
                   {"__global", TS_SYMBOL_GLOBAL},
                   {"local", TS_SYMBOL_LOCAL},
                   {"global", TS_SYMBOL_GLOBAL},
                   {"label", TS_SYMBOL_LABEL}};
    enum { COUNT = sizeof aliases / sizeof *aliases };
    for (size_t first = 0; first < COUNT; first++) {
        struct ts_symbol_table table = {.count = 0};
        for (size_t i = 0; i < COUNT; i++)
            ts_symbol_table_add(&table, aliases[(first + i) % COUNT].name, 0x100, 16, 0x1000,
                                aliases[(first + i) % COUNT].rank);
        ts_symbol_table_finish(&table);
        cr_expect_eq(table.count, 1);
        expect(&table, 0x100, "global");
        ts_symbol_table_free(&table);
    }
}

Test(symbol_table, sizes_are_respected) {
    struct ts_symbol_table table = {.count = 0};
    ts_symbol_table_add(&table, "sized", 0x100, 16, 0x1000, TS_SYMBOL_GLOBAL);
    ts_symbol_table_add(&table, "unsized", 0x200, 0, 0x1000, TS_SYMBOL_GLOBAL);
    ts_symbol_table_add(&table, "next", 0x300, 16, 0x1000, TS_SYMBOL_GLOBAL);
    ts_symbol_table_add(&table, "last", 0xf00, 0, 0x1000, TS_SYMBOL_GLOBAL);
    ts_symbol_table_finish(&table);
    expect(&table, 0xff, NULL);
    expect(&table, 0x100, "sized");
    expect(&table, 0x10f, "sized");
    expect(&table, 0x110, NULL);
    expect(&table, 0x2ff, "unsized");
    expect(&table, 0x310, NULL);
    expect(&table, 0xfff, "last");
    expect(&table, 0x1000, NULL);
    ts_symbol_table_free(&table);
}

Test(symbol_table, a_size_that_only_an_alias_knows_counts) {
    struct ts_symbol_table table = {.count = 0};
    ts_symbol_table_add(&table, "global", 0x100, 0, 0x1000, TS_SYMBOL_GLOBAL);
    ts_symbol_table_add(&table, "local", 0x100, 16, 0x1000, TS_SYMBOL_LOCAL);
    ts_symbol_table_finish(&table);
    expect(&table, 0x10f, "global");
    expect(&table, 0x110, NULL);
    ts_symbol_table_free(&table);
}

Test(symbol_table, a_function_may_lie_inside_another) {
    struct ts_symbol_table table = {.count = 0};
    ts_symbol_table_add(&table, "outer", 0x100, 0x100, 0x1000, TS_SYMBOL_GLOBAL);
    ts_symbol_table_add(&table, "inner", 0x140, 0x10, 0x1000, TS_SYMBOL_LOCAL);
    ts_symbol_table_add(&table, "label", 0x160, 0, 0x1000, TS_SYMBOL_LABEL);
    ts_symbol_table_add(&table, "bare", 0x200, 0, 0x1000, TS_SYMBOL_LABEL);
    ts_symbol_table_finish(&table);
    expect(&table, 0x13f, "outer");
    expect(&table, 0x145, "inner");
    expect(&table, 0x150, "outer");
    expect(&table, 0x165, "outer");
    expect(&table, 0x200, "bare");
    ts_symbol_table_free(&table);
}

Test(symbol_table, sizes_beyond_the_section_or_the_address_space_are_cut) {
    struct ts_symbol_table table = {.count = 0};
    ts_symbol_table_add(&table, "long", 0x100, UINT64_MAX, 0x200, TS_SYMBOL_GLOBAL);
    ts_symbol_table_add(&table, "outside", 0x300, 16, 0x200, TS_SYMBOL_GLOBAL);
    ts_symbol_table_add(&table, "top", UINT64_MAX - 8, 100, UINT64_MAX, TS_SYMBOL_GLOBAL);
    ts_symbol_table_finish(&table);
    expect(&table, 0x1ff, "long");
    expect(&table, 0x200, NULL);
    expect(&table, 0x300, NULL);
    expect(&table, UINT64_MAX - 8, "top");
    ts_symbol_table_free(&table);
}
