/*
 * The merged call tree and the flat counts, fed by scripted calls. Finds wrong counts, times, paths and orders; what
 * they look like is checked in format_tree_test.c and report_test.c.
 */
#include "render/call_stats.h"
#include "render/call_tree.h"
#include "tests/unit/render/sink_script.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct sink_script *new_script(void) {
    struct sink_script *script = sink_script_new();
    sink_script_stream(script, sink_script_process(script, 100, "demo", 0, 1000), 100, "");
    return script;
}

/* The node at a path of names below the first stream's root; fails the test where there is none. */
static const struct ts_call_node *find(const struct ts_call_tree *tree, const char *const *path) {
    uint32_t at = tree->streams[0]->root;
    for (; *path; path++) {
        uint32_t child = tree->nodes[at].first_child;
        while (child != TS_NODE_NONE && strcmp(tree->rows.rows[tree->nodes[child].row].name, *path) != 0)
            child = tree->nodes[child].next_sibling;
        cr_assert_neq(child, TS_NODE_NONE, "no %s", *path);
        at = child;
    }
    return &tree->nodes[at];
}
#define FIND(tree, ...) find(tree, (const char *const[]){__VA_ARGS__, NULL})

static const struct ts_call_count *count_of(const struct ts_call_stats *stats, const char *name) {
    for (size_t i = 0; i < stats->counts_count; i++) {
        if (strcmp(stats->rows.rows[i].name, name) == 0)
            return &stats->counts[i];
    }
    cr_assert(0, "no %s", name);
    return NULL;
}

static void collect(struct sink_script *script, struct ts_call_tree *tree, struct ts_call_stats *stats) {
    struct ts_sink tree_sink = ts_call_tree_sink(tree);
    struct ts_sink stats_sink = ts_call_stats_sink(stats);
    sink_script_play(script, &tree_sink);
    sink_script_play(script, &stats_sink);
}

Test(call_tree, merges_calls_by_path) {
    struct sink_script *script = new_script();
    struct ts_call_tree tree = {0};
    struct ts_call_stats stats = {0};

    sink_script_enter(script, "main", "demo", 0);
    sink_script_enter(script, "a", "demo", 10);
    sink_script_call(script, "read", "libc", 11, 15);
    sink_script_leave(script, 20);
    sink_script_enter(script, "a", "demo", 30);
    sink_script_call(script, "read", "libc", 31, 41);
    sink_script_leave(script, 50);
    sink_script_call(script, "read", "libc", 60, 61);
    sink_script_leave(script, 100);
    collect(script, &tree, &stats);

    const struct ts_call_node *a = FIND(&tree, "main", "a");
    cr_expect_eq(a->calls, 2u);
    cr_expect_eq(a->total, 30u);
    cr_expect_eq(a->minimum, 10u);
    cr_expect_eq(a->maximum, 20u);
    cr_expect_eq(ts_call_tree_self(&tree, a), 16u);
    cr_expect_eq(FIND(&tree, "main", "a", "read")->calls, 2u);
    cr_expect_eq(FIND(&tree, "main", "read")->total, 1u);
    cr_expect_eq(ts_call_tree_self(&tree, FIND(&tree, "main")), 69u);
    cr_expect_eq(tree.node_count, 5u); /* a root and four paths */

    cr_expect_eq(count_of(&stats, "read")->calls, 3u);
    cr_expect_eq(count_of(&stats, "read")->total, 15u);
    cr_expect_eq(count_of(&stats, "read")->minimum, 1u);
    cr_expect_eq(count_of(&stats, "main")->self, 69u);
    ts_call_tree_free(&tree);
    ts_call_stats_free(&stats);
    sink_script_free(script);
}

Test(call_stats, recursion_adds_its_outermost_call_to_total) {
    struct sink_script *script = new_script();
    struct ts_call_tree tree = {0};
    struct ts_call_stats stats = {0};

    /* f > g > f, and f > f: of each nest only the outer f counts in total, every call in self, min and max. */
    sink_script_enter(script, "f", "demo", 0);
    sink_script_enter(script, "g", "demo", 10);
    sink_script_call(script, "f", "demo", 20, 50);
    sink_script_leave(script, 60);
    sink_script_leave(script, 100);
    sink_script_enter(script, "f", "demo", 200);
    sink_script_call(script, "f", "demo", 210, 220);
    sink_script_leave(script, 300);
    collect(script, &tree, &stats);

    const struct ts_call_count *f = count_of(&stats, "f");
    cr_expect_eq(f->calls, 4u);
    cr_expect_eq(f->total, 200u);
    cr_expect_eq(f->durations, 240u);
    cr_expect_eq(f->self, 50u + 30u + 90u + 10u);
    cr_expect_eq(f->minimum, 10u);
    cr_expect_eq(f->maximum, 100u);
    cr_expect_eq(count_of(&stats, "g")->self, 20u);
    ts_call_tree_free(&tree);
    ts_call_stats_free(&stats);
    sink_script_free(script);
}

/* Tracks of one thread interleave: each has its own open calls. */
Test(call_stats, recursion_is_per_stream) {
    struct sink_script *script = new_script();
    struct ts_session *session = sink_script_session(script);
    struct ts_stream *own = session->streams[0];
    struct ts_call_tree tree = {0};
    struct ts_call_stats stats = {0};

    sink_script_enter(script, "f", "demo", 0);
    struct ts_stream *track = sink_script_stream(script, session->processes[0], 100, "");
    track->track = 1;
    sink_script_enter(script, "f", "demo", 10);
    sink_script_select(script, own);
    sink_script_leave(script, 20);
    sink_script_select(script, track);
    sink_script_leave(script, 30);
    collect(script, &tree, &stats);

    cr_expect_eq(count_of(&stats, "f")->total, 40u);
    cr_expect_eq(tree.stream_count, 2u);
    cr_expect_eq(tree.nodes[tree.nodes[tree.streams[1]->root].first_child].total, 20u);
    ts_call_tree_free(&tree);
    ts_call_stats_free(&stats);
    sink_script_free(script);
}

Test(call_tree, counts_unfinished_unwound_and_inherited_apart) {
    struct sink_script *script = new_script();
    struct ts_call_tree tree = {0};
    struct ts_call_stats stats = {0};

    sink_script_enter_as(script, sink_script_function(script, "main", "demo"), 0, TS_ENTER_INHERITED);
    sink_script_enter(script, "a", "demo", 10);
    sink_script_leave_as(script, 20, TS_LEAVE_UNWOUND);
    sink_script_enter(script, "a", "demo", 30);
    sink_script_leave_as(script, 100, TS_LEAVE_UNFINISHED);
    sink_script_leave_as(script, 100, TS_LEAVE_UNFINISHED);
    collect(script, &tree, &stats);

    const struct ts_call_node *main_node = FIND(&tree, "main");
    cr_expect_eq(main_node->calls, 0u);
    cr_expect_eq(main_node->inherited, 1u);
    cr_expect_eq(main_node->total, 100u);
    cr_expect_eq(FIND(&tree, "main", "a")->unwound, 1u);
    cr_expect_eq(FIND(&tree, "main", "a")->unfinished, 1u);
    cr_expect_eq(count_of(&stats, "main")->calls, 0u);
    cr_expect_eq(count_of(&stats, "main")->self, 20u);
    cr_expect_eq(stats.calls, 2u);
    cr_expect_eq(stats.inherited, 1u);
    ts_call_tree_free(&tree);
    ts_call_stats_free(&stats);
    sink_script_free(script);
}

Test(call_tree, functions_of_one_name_and_scope_are_one_row) {
    struct sink_script *script = new_script();
    struct ts_call_tree tree = {0};
    struct ts_call_stats stats = {0};

    for (uint64_t i = 0; i < 3; i++) {
        static const char *const scopes[] = {"liba", "liba", "libb"};
        sink_script_enter_as(script, sink_script_function(script, "init", scopes[i]), i * 10, 0);
        sink_script_leave(script, i * 10 + 5);
    }
    collect(script, &tree, &stats);

    cr_expect_eq(stats.counts_count, 2u);
    cr_expect_eq(stats.counts[0].calls, 2u);
    cr_expect_eq(stats.counts[1].calls, 1u);
    cr_expect_eq(tree.nodes[tree.streams[0]->root].child_count, 2u);
    ts_call_tree_free(&tree);
    ts_call_stats_free(&stats);
    sink_script_free(script);
}

#define PARENTS 300
#define MANY 300

/* Children of a parent. Uneven, so that the numbers of parents are: even ones never meet in the table. */
static int children_of(int parent) {
    return 20 + parent * parent % 61;
}

/* More children than are walked, from many parents: every child is found again, and none of another parent. */
Test(call_tree, finds_the_child_among_many) {
    struct sink_script *script = new_script();
    struct ts_call_tree tree = {0};
    struct ts_call_stats stats = {0};
    struct ts_function *functions[MANY];
    char names[MANY][8];
    uint64_t time = 0;

    for (int i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof names[i], "f%d", i);
        functions[i] = sink_script_function(script, names[i], "demo");
    }
    for (int visit = 0; visit < 2 * PARENTS; visit++) {
        sink_script_enter_as(script, functions[visit % PARENTS], ++time, 0);
        for (int i = 0; i < children_of(visit % PARENTS); i++) {
            sink_script_enter_as(script, functions[i], ++time, 0);
            sink_script_leave(script, ++time);
            sink_script_enter_as(script, functions[0], ++time, 0); /* an old one among new ones */
            sink_script_leave(script, ++time);
        }
        sink_script_leave(script, ++time);
    }
    collect(script, &tree, &stats);
    ts_call_tree_sort(&tree);

    size_t nodes = 1 + PARENTS;
    for (int parent = 0; parent < PARENTS; parent++) {
        int children = children_of(parent);
        nodes += (size_t)children;
        for (int i = 0; i < children; i++)
            cr_assert_eq(FIND(&tree, names[parent], names[i])->calls, i ? 2u : 2u + 2u * (unsigned)children);
    }
    cr_expect_eq(tree.node_count, nodes);
    ts_call_tree_free(&tree);
    ts_call_stats_free(&stats);
    sink_script_free(script);
}

Test(call_tree, sorts_by_total_then_name_then_scope) {
    struct sink_script *script = new_script();
    struct ts_call_tree tree = {0};
    struct ts_call_stats stats = {0};
    static const char *const expected[] = {"long", "a", "b", "b", "short"};
    static const char *const scopes[] = {"demo", "demo", "liba", "libb", "demo"};

    sink_script_call(script, "short", "demo", 0, 1);
    sink_script_call(script, "b", "libb", 10, 15);
    sink_script_call(script, "b", "liba", 20, 25);
    sink_script_call(script, "long", "demo", 30, 90);
    sink_script_call(script, "a", "demo", 100, 105);
    collect(script, &tree, &stats);
    ts_call_tree_sort(&tree);

    uint32_t at = tree.nodes[tree.streams[0]->root].first_child;
    for (size_t i = 0; i < 5; i++) {
        const struct ts_function_row *row = &tree.rows.rows[tree.nodes[at].row];
        cr_expect_str_eq(row->name, expected[i]);
        cr_expect_str_eq(row->scope, scopes[i]);
        at = tree.nodes[at].next_sibling;
    }
    cr_expect_eq(at, TS_NODE_NONE);
    ts_call_tree_free(&tree);
    ts_call_stats_free(&stats);
    sink_script_free(script);
}

#define DEEP 1000000

Test(call_tree, a_million_deep) {
    struct sink_script *script = new_script();
    struct ts_call_tree tree = {0};
    struct ts_call_stats stats = {0};
    struct ts_function *function = sink_script_function(script, "f", "demo");

    for (uint64_t i = 0; i < DEEP; i++)
        sink_script_enter_as(script, function, i, 0);
    for (uint64_t i = 0; i < DEEP; i++)
        sink_script_leave(script, DEEP + i);
    collect(script, &tree, &stats);
    ts_call_tree_sort(&tree);

    cr_expect_eq(tree.node_count, 1u + DEEP);
    cr_expect_eq(stats.counts[0].calls, (uint64_t)DEEP);
    cr_expect_eq(stats.counts[0].total, 2u * DEEP - 1);
    cr_expect_eq(stats.counts[0].self, 2u * DEEP - 1);
    ts_call_tree_free(&tree);
    ts_call_stats_free(&stats);
    sink_script_free(script);
}

/* What a broken replay might do must not crash: a leave without its enter, events before any stream, time backwards. */
Test(call_tree, survives_misuse) {
    struct sink_script *script = sink_script_new();
    struct ts_call_tree tree = {0};
    struct ts_call_stats stats = {0};

    sink_script_call(script, "f", "demo", 0, 1);
    sink_script_stream(script, sink_script_process(script, 1, "demo", 0, 9), 1, "");
    sink_script_leave(script, 3);
    sink_script_call(script, "f", "demo", 9, 4);
    collect(script, &tree, &stats);
    cr_expect_eq(stats.calls, 1u);
    cr_expect_eq(stats.counts[0].total, 0u);
    ts_call_tree_free(&tree);
    ts_call_stats_free(&stats);
    sink_script_free(script);
}
