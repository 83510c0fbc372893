/* Frames from stacks, as a sink sees them, and records that lie. Cannot find: what libdw says of a real program. */
#include "tests/unit/render/replay_text.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct seen {
    char text[65536];
    size_t bytes;
    char open[4096]; /* '(' a call, '<' a frame */
    size_t depth;
};

static void add(struct seen *seen, char kind, uint64_t address) {
    cr_assert_lt(seen->depth, sizeof seen->open);
    seen->open[seen->depth++] = kind;
    seen->bytes +=
        (size_t)snprintf(seen->text + seen->bytes, sizeof seen->text - seen->bytes, "%c%x ", kind, (unsigned)address);
}

static void take(struct seen *seen, char kind, char closing) {
    cr_assert(seen->depth > 0 && seen->open[--seen->depth] == kind, "%s", seen->text);
    seen->bytes += (size_t)snprintf(seen->text + seen->bytes, sizeof seen->text - seen->bytes, "%c ", closing);
}

static void enter(void *context, struct ts_function *function, uint64_t start_ns, unsigned flags) {
    (void)start_ns, (void)flags;
    add(context, '(', function->address);
}

static void leave(void *context, uint64_t end_ns, enum ts_leave_how how) {
    (void)end_ns, (void)how;
    take(context, '(', ')');
}

static void frame_enter(void *context, struct ts_function *function) {
    add(context, '<', function->address);
}

static void frame_leave(void *context) {
    take(context, '<', '>');
}

static void frame(struct trace_builder *builder, uint32_t number, uint32_t outer, uint32_t address) {
    struct ts_record_frame record = {.frame = number, .outer = outer, .address = {address + 1, 0}};
    trace_builder_record(builder, TS_RECORD_FRAME, &record, sizeof record, NULL, 0);
}

/* A call that is made from this frame; 0: nothing is told. */
static void call(struct trace_builder *builder, uint64_t ns, uint64_t function, uint32_t number) {
    struct ts_record_stack record = {.frame = number};
    trace_builder_enter(builder, TRACE_NS(ns), function);
    if (number)
        trace_builder_record(builder, TS_RECORD_STACK, &record, sizeof record, NULL, 0);
}

static void leaf(struct trace_builder *builder, uint64_t ns, uint64_t function, uint32_t number) {
    call(builder, ns, function, number);
    trace_builder_exit(builder, TRACE_NS(ns + 5));
}

static struct trace_builder *begin(void) {
    struct trace_builder *builder = trace_builder_new(100);
    trace_builder_executable(builder, "/nowhere/demo", 0x10000);
    trace_builder_window(builder, 1, TRACE_NS(1000));
    return builder;
}

static void expect(struct trace_builder *builder, const char *wanted) {
    struct seen *seen = calloc(1, sizeof *seen);
    struct ts_session *session = replay_open(builder);
    struct ts_sink sink = {
        .context = seen, .enter = enter, .leave = leave, .frame_enter = frame_enter, .frame_leave = frame_leave};
    ts_replay(session, &sink, NULL);
    cr_assert_eq(seen->depth, 0, "%s", seen->text);
    if (wanted)
        cr_assert_str_eq(seen->text, wanted);
    replay_close(session);
    free(seen);
}

Test(callers, frames_that_calls_share_stay_open) {
    struct trace_builder *builder = begin();
    frame(builder, 4, TS_FRAME_NOTHING, 0x10400);
    frame(builder, 5, 4, 0x10500);
    frame(builder, 6, 4, 0x10600);
    leaf(builder, 1100, 0x10a00, 5);
    leaf(builder, 1200, 0x10b00, 5);
    leaf(builder, 1300, 0x10c00, 6);
    leaf(builder, 1400, 0x10d00, 0);
    expect(builder, "<400 <500 (a00 ) (b00 ) > <600 (c00 ) > > (d00 ) ");
}

Test(callers, frames_lie_in_the_open_call_and_end_before_it) {
    struct trace_builder *builder = begin();
    frame(builder, 4, TS_FRAME_CALL, 0x10400);
    frame(builder, 5, 4, 0x10500);
    call(builder, 1100, 0x10400, 0);
    leaf(builder, 1110, 0x10a00, 4); /* made by the open call itself */
    leaf(builder, 1120, 0x10b00, 5);
    trace_builder_exit(builder, TRACE_NS(1130));
    leaf(builder, 1140, 0x10c00, 5);
    expect(builder, "(400 (a00 ) <500 (b00 ) > ) <500 (c00 ) > ");
}

Test(callers, a_window_tells_its_own_frames) {
    struct trace_builder *builder = begin();
    frame(builder, 4, TS_FRAME_NOTHING, 0x10400);
    leaf(builder, 1100, 0x10a00, 4);
    trace_builder_window(builder, 1, TRACE_NS(2000));
    leaf(builder, 2100, 0x10b00, 4); /* not told here */
    trace_builder_window(builder, 1, TRACE_NS(3000));
    frame(builder, 4, TS_FRAME_NOTHING, 0x10400);
    leaf(builder, 3100, 0x10c00, 4);
    expect(builder, "<400 (a00 ) > (b00 ) <400 (c00 ) > ");
}

Test(callers, records_that_lie_do_no_harm) {
    struct trace_builder *builder = begin();
    struct ts_record_stack stray = {.frame = 4};
    frame(builder, 4, 5, 0x10400); /* each other's callers */
    frame(builder, 5, 4, 0x10500);
    frame(builder, 6, 6, 0x10600);
    frame(builder, 0, 4, 0x10600);
    frame(builder, TS_FRAME_NUMBERS_END, 4, 0x10600);
    frame(builder, UINT32_MAX, 4, 0x10600);
    frame(builder, 7, UINT32_MAX, 0x10700);
    trace_builder_record(builder, TS_RECORD_STACK, &stray, sizeof stray, NULL, 0);
    for (uint32_t number = 0; number < 12; number++)
        leaf(builder, 1100 + 20 * number, 0x10a00, number);
    leaf(builder, 1500, 0x10a00, TS_FRAME_NUMBERS_END);
    leaf(builder, 1600, 0x10a00, UINT32_MAX);
    call(builder, 1700, 0x10b00, 4); /* never left */
    call(builder, 1800, 0x10c00, 5);
    expect(builder, NULL);
}
