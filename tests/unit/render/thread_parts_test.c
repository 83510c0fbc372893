/*
 * A thread's windows decoded in parts give the same outputs, byte by byte, as one after another, whatever lies at the
 * cuts. Cannot find a race (make unit SAN=thread can).
 */
#include "render/formats.h"
#include "render/report.h"
#include "tests/unit/render/replay_text.h"

#include <criterion/criterion.h>
#include <sched.h>
#include <stdlib.h>

/* What a trace holds besides calls. */
enum { UNWINDS = 1, THROWS = 2, LOSSES = 4, RESULTS = 8, LATE_MODULES = 16, CALLERS = 32, DETAILS = 64 };

#define FRAMES 12u
#define SITE 0x10500u

static uint32_t roll(uint64_t *state, uint32_t sides) {
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(*state >> 33) % sides;
}

/* Some of the frames, each in one of before or around none. */
static void add_frames(struct trace_builder *builder, uint64_t *state) {
    for (uint32_t number = TS_FRAME_NUMBERS; number < TS_FRAME_NUMBERS + FRAMES; number++) {
        uint32_t outer = roll(state, number);
        struct ts_record_frame record = {
            .frame = number, .outer = outer, .address = {0x10001 + 0x40 * (1 + roll(state, 9)), 0}};
        if (roll(state, 8))
            trace_builder_record(builder, TS_RECORD_FRAME, &record, sizeof record, NULL, 0);
    }
}

/* Where the call, throw or catch just before comes from. */
static void add_caller(struct trace_builder *builder, uint64_t *state) {
    struct ts_record_stack stack = {.frame = TS_FRAME_NUMBERS + roll(state, FRAMES)};
    struct ts_record_call_site site = {.address = SITE};
    if (roll(state, 3))
        trace_builder_record(builder, TS_RECORD_STACK, &stack, sizeof stack, NULL, 0);
    else
        trace_builder_record(builder, TS_RECORD_CALL_SITE, &site, sizeof site, NULL, 0);
}

/* A throw and its catch, or one of them; a jump. */
static void add_exception(struct trace_builder *builder, uint64_t *state, uint64_t now, unsigned kinds) {
    if (roll(state, 8))
        trace_builder_exception(builder, TS_RECORD_EXCEPTION_THROW, TRACE_NS(now), SITE, 0x10, 0, "i", NULL);
    if (kinds & CALLERS)
        add_caller(builder, state);
    if (roll(state, 8))
        trace_builder_exception(builder, TS_RECORD_EXCEPTION_CATCH, TRACE_NS(now), SITE, 0x10, 0, NULL, NULL);
    if (!roll(state, 4))
        trace_builder_jump(builder, TRACE_NS(now), SITE, 1);
}

static void add_event(struct trace_builder *builder, uint64_t *state, unsigned *depth, uint64_t now, unsigned kinds) {
    uint32_t what = roll(state, 100);
    if (kinds & DETAILS && !roll(state, 200)) {
        add_exception(builder, state, now, kinds);
    } else if (what < 4 && kinds & UNWINDS && *depth > 1) {
        uint32_t count = 1 + roll(state, *depth - 1);
        trace_builder_unwind(builder, TRACE_NS(now), count, roll(state, 4));
        *depth -= count;
    } else if (what < 6 && kinds & THROWS) {
        trace_builder_throw(builder, TRACE_NS(now));
    } else if (what < 8 && kinds & THROWS) {
        trace_builder_catch(builder, TRACE_NS(now));
    } else if (what < 9 && kinds & LOSSES) {
        trace_builder_lost(builder, TRACE_NS(now), 3, 1);
    } else if (what < 20 && kinds & RESULTS && *depth > 0) {
        trace_builder_result(builder, TRACE_NS(now), TS_RESULT_FAILED | 2, 0, &(struct trace_values){.count = 0});
        --*depth;
    } else if (what < 58 && *depth < 40) {
        trace_builder_enter(builder, TRACE_NS(now), 0x10000 + 0x40 * (1 + roll(state, 9)));
        if (kinds & CALLERS && roll(state, 3))
            add_caller(builder, state);
        ++*depth;
    } else if (*depth > 0) {
        trace_builder_exit(builder, TRACE_NS(now));
        --*depth;
    } else {
        trace_builder_enter(builder, TRACE_NS(now), 0x10800);
        ++*depth;
    }
}

/* Windows of one thread; time sometimes stands still, also across a cut. */
static struct ts_session *make(uint64_t seed, unsigned kinds) {
    struct trace_builder *builder = trace_builder_new(100);
    uint64_t state = seed, now = 1000;
    unsigned depth = 0;
    trace_builder_executable(builder, "/nowhere/demo", 0x10000);
    for (int window = 0; window < 24; window++) {
        trace_builder_window(builder, 1, TRACE_NS(now));
        if (kinds & LATE_MODULES && window % 7 == 3)
            trace_builder_load(builder, TRACE_NS(now + 5), 0x900000, 0x900000, 0x910000, (uint32_t)window, 0, "/x.so");
        if (kinds & CALLERS)
            add_frames(builder, &state);
        for (uint32_t events = roll(&state, 120); events > 0; events--) {
            now += roll(&state, 4) ? roll(&state, 50) : 0;
            add_event(builder, &state, &depth, now, kinds);
        }
        now += roll(&state, 2);
    }
    return replay_open(builder);
}

/* The report and the merged tree. */
static char *outputs(struct ts_session *session, uint64_t part_bytes) {
    const struct ts_report_options report = {.layout = TS_REPORT_JSON};
    const struct ts_format_options tree = {.view = TS_TREE_MERGED};
    struct ts_error error;
    char *text;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    session->part_bytes = part_bytes;
    cr_assert_eq(ts_report_write(session, &report, out, &error), 0);
    cr_assert_eq(ts_format_tree(session, &tree, out, &error), 0);
    for (size_t why = 0; why < TS_CLOSED_BY_COUNT; why++)
        fprintf(out, "%lu ", session->totals.closed_by[why]);
    fprintf(out, "%lu %lu %lu ", session->totals.call_sites, session->totals.stacks, session->totals.whole_stacks);
    fprintf(out, "%lu %lu %lu %lu %lu\n", session->totals.calls, session->totals.unfinished, session->totals.unwound,
            session->totals.misnested, session->totals.damaged_windows);
    fclose(out);
    return text;
}

static uint64_t expect_same(uint64_t seed, unsigned kinds) {
    struct ts_session *session = make(seed, kinds);
    char *whole = outputs(session, UINT64_MAX);
    cr_assert_eq(session->parts_joined, 0);
    for (uint64_t part_bytes = 1; part_bytes < 200000; part_bytes = part_bytes * 50 + 20000) {
        char *joined = outputs(session, part_bytes);

        cr_assert_str_eq(joined, whole, "seed %lu, kinds %u, parts of %lu bytes", seed, kinds, part_bytes);
        free(joined);
    }
    uint64_t parts_joined = session->parts_joined;
    free(whole);
    replay_close(session);
    return parts_joined;
}

static int has_processors(void) {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 1;
}

Test(thread_parts, calls_alone_join_nearly_everywhere) {
    uint64_t parts_joined = 0;
    for (uint64_t seed = 1; seed <= 12; seed++)
        parts_joined += expect_same(seed, 0);
    if (has_processors())
        cr_expect(parts_joined > 12 * 2 * 20, "%lu parts were joined", parts_joined);
}

Test(thread_parts, callers_join_nearly_everywhere) {
    uint64_t parts_joined = 0;
    for (uint64_t seed = 1; seed <= 12; seed++)
        parts_joined += expect_same(seed, CALLERS);
    if (has_processors())
        cr_expect(parts_joined > 12 * 2 * 20, "%lu parts were joined", parts_joined);
}

Test(thread_parts, whatever_else_a_trace_holds) {
    const unsigned kinds[] = {UNWINDS,
                              THROWS,
                              LOSSES,
                              RESULTS,
                              DETAILS,
                              LATE_MODULES,
                              UNWINDS | RESULTS,
                              0x1f,
                              CALLERS | DETAILS | UNWINDS | RESULTS,
                              0x7f};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (uint64_t seed = 1; seed <= 8; seed++)
            expect_same(100 * seed + i, kinds[i]);
}
