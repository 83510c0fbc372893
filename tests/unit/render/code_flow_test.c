/* Counts of blocks that have no counter follow from those that have. Cannot find: what compilers make of code. */
#include "render/code_flow.h"
#include "render/line_count.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define AT UINT64_C(0x1000)
#define CALLBACK UINT64_C(0x2000)

/* A function that decides, does one thing or the other, and returns; callbacks where `counted` says so. */
struct code {
    uint8_t bytes[32];
    size_t count;
};

static void add(struct code *code, const char *bytes, size_t count) {
    memcpy(code->bytes + code->count, bytes, count);
    code->count += count;
}

static void add_block(struct code *code, int counted) {
    int32_t distance = (int32_t)(CALLBACK - (AT + code->count + 5));
    uint8_t call[5] = {0xe8};
    memcpy(call + 1, &distance, sizeof distance);
    add(code, counted ? (const char *)call : "\x0f\x1f\x44\x00\x00", 5); /* a nop of as many bytes */
}

static struct code diamond(int other_counted, int end_counted) {
    struct code code = {.count = 0};
    add_block(&code, 1); /* 0 */
    add(&code, "\x74\x07", 2);
    add_block(&code, 1); /* 7 */
    add(&code, "\xeb\x05", 2);
    add_block(&code, other_counted); /* 14 */
    add_block(&code, end_counted);   /* 19 */
    add(&code, "\xc3", 1);
    return code;
}

static uint64_t count_at(const void *context, uint64_t address) {
    (void)context;
    switch (address - AT) {
    case 5:
        return 10;
    case 12:
        return 3;
    case 19:
        return 7;
    case 24:
        return 10;
    default:
        cr_assert_fail("there is no callback at %llx", (unsigned long long)address);
        return 0;
    }
}

static void solve(struct ts_code_flow *flow, const struct code *code, size_t counters) {
    struct ts_code_counters callbacks = {.targets = NULL};
    ts_code_counters_add(&callbacks, CALLBACK);
    cr_assert_eq(ts_code_flow_read(flow, ts_code_decode_x86_64, code->bytes, code->count, AT, &callbacks), counters);
    ts_code_flow_solve(flow, count_at, NULL);
    free(callbacks.targets);
}

static void check(int other_counted, int end_counted) {
    struct ts_code_flow flow = {.blocks = NULL};
    struct code code = diamond(other_counted, end_counted);
    solve(&flow, &code, 2 + (size_t)other_counted + (size_t)end_counted);
    cr_assert_eq(flow.block_count, 4);
    const uint64_t counts[] = {10, 3, 7, 10};
    for (size_t i = 0; i < 4; i++) {
        cr_assert(flow.blocks[i].known, "block %zu", i);
        cr_assert_eq(flow.blocks[i].count, counts[i], "block %zu: %llu", i, (unsigned long long)flow.blocks[i].count);
    }
    cr_assert_eq(flow.arcs[flow.blocks[0].went_on].count, 3);
    cr_assert_eq(flow.arcs[flow.blocks[0].jumped].count, 7);
    ts_code_flow_free(&flow);
}

Test(code_flow, every_block_has_a_counter) {
    check(1, 1);
}

Test(code_flow, what_has_none_follows) {
    check(0, 1);
}

Test(code_flow, code_without_callbacks_is_not_read) {
    struct ts_code_flow flow = {.blocks = NULL};
    struct ts_code_counters none = {.targets = NULL};
    struct code code = diamond(1, 1);
    cr_assert_eq(ts_code_flow_read(&flow, ts_code_decode_x86_64, code.bytes, code.count, AT, &none), 0);
    cr_assert_eq(flow.block_count, 0);
    ts_code_flow_free(&flow);
}

/* Cut anywhere, and with any byte changed: nothing out of bounds. */
Test(code_flow, hostile_code) {
    struct ts_code_flow flow = {.blocks = NULL};
    struct ts_code_counters callbacks = {.targets = NULL};
    struct code code = diamond(1, 1);
    ts_code_counters_add(&callbacks, CALLBACK);
    for (size_t cut = 0; cut <= code.count; cut++)
        for (unsigned value = 0; value < 256; value += 5) {
            struct code other = code;
            other.bytes[cut % code.count] = (uint8_t)value;
            uint8_t *exact = malloc(cut + 1);
            memcpy(exact, other.bytes, cut);
            if (ts_code_flow_read(&flow, ts_code_decode_x86_64, exact, cut, AT, &callbacks))
                for (size_t i = 0; i < flow.arc_count; i++)
                    cr_assert(flow.arcs[i].from <= flow.block_count && flow.arcs[i].to <= flow.block_count);
            free(exact);
        }
    free(callbacks.targets);
    ts_code_flow_free(&flow);
}

/* gcc: a line is entered where its blocks are, and counted again for each round inside it. */
Test(code_flow, lines) {
    struct ts_code_flow flow = {.blocks = NULL};
    struct code code = diamond(1, 1);
    solve(&flow, &code, 4);
    char file[] = "a.c";
    struct ts_source_row one_line[] = {{AT, file, 5, 1}}, lines[] = {
                                                              {AT, file, 1, 1},
                                                              {AT + 7, file, 2, 1},
                                                              {AT + 14, file, 3, 1},
                                                              {AT + 19, file, 4, 1},
                                                          };
    struct ts_line_counts counts = {.lines = NULL};
    ts_line_counts_find(&counts, &flow, &(struct ts_source_rows){.rows = lines, .count = 4}, NULL);
    cr_assert_eq(counts.count, 4);
    const uint64_t wanted[] = {10, 3, 7, 10};
    for (size_t i = 0; i < 4; i++)
        cr_assert(counts.lines[i].line == i + 1 && counts.lines[i].count == wanted[i], "line %zu", i + 1);
    cr_assert_eq(counts.branch_count, 1);
    cr_assert(counts.branches[0].known && counts.branches[0].counts[0] == 3 && counts.branches[0].counts[1] == 7);
    ts_line_counts_find(&counts, &flow, &(struct ts_source_rows){.rows = one_line, .count = 1}, NULL);
    cr_assert(counts.count == 1 && counts.lines[0].count == 10);
    ts_line_counts_free(&counts);
    ts_code_flow_free(&flow);
}
