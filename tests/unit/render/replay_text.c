#include "tests/unit/render/replay_text.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is checked of a stream; its `user`. */
struct checked_stream {
    uint64_t last_ns;
    uint64_t depth;
    uint64_t failed_at; /* last_ns when a call had failed that is still open */
    int entered;
};

struct checker {
    struct ts_session *session;
    FILE *out; /* NULL: no text */
    struct ts_stream *stream;
    uint64_t events;
};

static struct checked_stream *checked(struct checker *checker) {
    cr_assert_not_null(checker->stream, "an event before any stream was selected");
    return checker->stream->user;
}

static void token(struct checker *checker, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void token(struct checker *checker, const char *format, ...) {
    va_list arguments;
    if (!checker->out)
        return;
    if (ftell(checker->out))
        putc(' ', checker->out);
    va_start(arguments, format);
    vfprintf(checker->out, format, arguments);
    va_end(arguments);
}

static void check_time(struct checker *checker, uint64_t ns) {
    struct checked_stream *stream = checked(checker);
    if (ns <= stream->last_ns)
        cr_assert_fail("time does not increase: %" PRIu64 " after %" PRIu64, ns, stream->last_ns);
    stream->last_ns = ns;
    checker->events++;
}

static void on_select(void *context, struct ts_stream *stream) {
    struct checker *checker = context;
    cr_assert_neq(stream, checker->stream, "selected twice in a row");
    checker->stream = stream;
    if (!stream->user)
        stream->user = calloc(1, sizeof(struct checked_stream));
    token(checker, "[%u/%u]", stream->thread, stream->track);
}

static void on_enter(void *context, struct ts_function *function, uint64_t start_ns, unsigned flags) {
    struct checker *checker = context;
    check_time(checker, start_ns);
    checked(checker)->depth++;
    checked(checker)->entered = 1;
    if (function->address == UINT64_MAX && !checker->out)
        abort(); /* reads it */
    token(checker, "%s0x%" PRIx64 "@%" PRIu64 "%s%s", function->object ? "" : "*", function->address, start_ns,
          flags & TS_ENTER_INHERITED ? "i" : "", flags & TS_ENTER_DROPPED ? "d" : "");
}

static void on_leave(void *context, uint64_t end_ns, enum ts_leave_how how) {
    struct checker *checker = context;
    check_time(checker, end_ns);
    cr_assert_gt(checked(checker)->depth, 0, "left a call that was not entered");
    checked(checker)->depth--;
    token(checker, ")@%" PRIu64 "%s", end_ns, how == TS_LEAVE_UNWOUND ? "u" : how == TS_LEAVE_UNFINISHED ? "?" : "");
}

static void on_calls(void *context, const struct ts_call_event *events, size_t count) {
    struct checker *checker = context;
    cr_assert_gt(count, 0, "no events together");
    for (size_t i = 0; i < count; i++)
        if (events[i].function == TS_CALL_ENDS)
            on_leave(context, events[i].ns, TS_LEAVE_EXIT);
        else
            on_enter(context, ts_functions_at(checker->session->functions, events[i].function), events[i].ns, 0);
}

/* In a way that can be read to the end; free() it. */
static char *attribute_text(const struct ts_attribute *attribute) {
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    ts_attribute_write_text(attribute, out);
    fclose(out);
    return text;
}

/* Only of open calls. */
static void on_attribute(void *context, const struct ts_attribute *attribute) {
    struct checker *checker = context;
    cr_assert_gt(checked(checker)->depth, 0, "an attribute of no call");
    char *text = attribute_text(attribute);
    token(checker, "%s", text);
    free(text);
}

static void on_moment(void *context, const struct ts_moment *moment) {
    struct checker *checker = context;
    check_time(checker, moment->ns);
    cr_assert_lt(moment->kind, TS_MOMENT_KINDS);
    token(checker, "%s^%s@%" PRIu64, moment->is_error ? "!" : "", ts_function_name(moment->function), moment->ns);
    for (size_t i = 0; i < moment->attribute_count; i++) {
        char *text = attribute_text(&moment->attributes[i]);
        token(checker, "%s", text);
        free(text);
    }
}

static void on_failure(void *context, const struct ts_failure *failure) {
    struct checker *checker = context;
    struct checked_stream *stream = checked(checker);
    cr_assert_gt(stream->depth, 0, "no call has failed");
    cr_assert_neq(stream->failed_at, stream->last_ns, "a call has failed twice");
    stream->failed_at = stream->last_ns;
    if (failure->name)
        token(checker, "!%s", failure->name);
    else
        token(checker, "!%" PRId64, failure->code);
}

static void on_outer_unknown(void *context, uint64_t count) {
    struct checker *checker = context;
    cr_assert_not(checked(checker)->entered, "outer_unknown after the first enter");
    token(checker, "outer=%" PRIu64, count);
}

static void on_finish(void *context, struct ts_stream *stream) {
    struct checker *checker = context;
    struct checked_stream *state = stream->user;
    cr_assert_not_null(state, "finished a stream that was never selected");
    cr_assert_eq(state->depth, 0, "finished with open calls");
    free(state);
    stream->user = NULL;
    token(checker, "[%u/%u]$", stream->thread, stream->track);
}

static uint64_t run(struct ts_session *session, FILE *out, bool together) {
    struct checker checker = {.session = session, .out = out};
    const struct ts_sink sink = {.context = &checker,
                                 .select = on_select,
                                 .enter = on_enter,
                                 .leave = on_leave,
                                 .calls = together ? on_calls : NULL,
                                 .outer_unknown = on_outer_unknown,
                                 .finish = on_finish,
                                 .attribute = on_attribute,
                                 .failure = on_failure,
                                 .moment = on_moment};
    ts_replay(session, &sink, NULL);
    return checker.events;
}

static char *text_of(struct ts_session *session, bool together) {
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    cr_assert_not_null(out);
    run(session, out, together);
    fclose(out);
    return text;
}

char *replay_text(struct ts_session *session) {
    char *text = text_of(session, false); /* the first replay alone finds streams */
    char *together = text_of(session, true);
    struct ts_totals totals = session->totals;
    char *one_by_one = text_of(session, false);
    cr_assert_str_eq(together, one_by_one, "events that are told together are others");
    cr_assert_arr_eq(&totals, &session->totals, sizeof totals);
    free(together);
    free(one_by_one);
    return text;
}

uint64_t replay_checked(struct ts_session *session) {
    uint64_t events = run(session, NULL, true);
    cr_assert_eq(run(session, NULL, false), events);
    return events;
}

struct ts_session *replay_open(struct trace_builder *builder) {
    struct ts_error error;
    char *directory = trace_builder_make_directory();
    trace_builder_save(builder, directory, NULL);
    trace_builder_free(builder);
    struct ts_session *session = ts_session_open(directory, &error);
    cr_assert_not_null(session, "%s", session ? "" : error.text);
    free(directory);
    return session;
}

void replay_close(struct ts_session *session) {
    char *directory = strdup(session->directory);
    cr_assert_not_null(directory);
    ts_session_close(session);
    trace_builder_remove_directory(directory);
}

char *replay_of(struct trace_builder *builder) {
    struct ts_session *session = replay_open(builder);
    char *text = replay_text(session);
    replay_close(session);
    return text;
}

int replay_warns(const struct ts_session *session, const char *text) {
    for (size_t i = 0; i < session->warning_count; i++)
        if (strstr(session->warnings[i], text))
            return 1;
    return 0;
}
