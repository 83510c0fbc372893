/* What threads were made by. Cannot find: what the recorder fails to write. */
#include "render/session_links.h"
#include "tests/unit/render/replay_text.h"

#include <criterion/criterion.h>

static char *directory;
static struct trace_builder *builder;

static void setup(void) {
    directory = trace_builder_make_directory();
    builder = trace_builder_new(100);
    trace_builder_executable(builder, "/usr/bin/demo", 0x10000);
}

static void teardown(void) {
    trace_builder_free(builder);
    trace_builder_remove_directory(directory);
}

TestSuite(session_links, .init = setup, .fini = teardown);

static void add_thread(uint32_t thread, uint64_t ns, uint32_t maker, uint64_t made_ns) {
    trace_builder_window(builder, thread, TRACE_NS(ns));
    if (maker) {
        struct ts_record_thread_create record = {.thread = maker};
        trace_builder_split(&record.clock, TRACE_NS(made_ns));
        trace_builder_record(builder, TS_RECORD_THREAD_CREATE, &record, sizeof(record), NULL, 0);
    }
    trace_builder_enter(builder, TRACE_NS(ns + 10), 0x10400);
    trace_builder_exit(builder, TRACE_NS(ns + 20));
}

static struct ts_session *open_links(struct ts_links *links) {
    struct ts_error error;
    trace_builder_save(builder, directory, NULL);
    struct ts_session *session = ts_session_open(directory, &error);
    cr_assert_not_null(session, "%s", session ? "" : error.text);
    ts_links_make(links, session);
    return session;
}

Test(session_links, a_thread_has_its_maker) {
    struct ts_links links;
    size_t count;
    add_thread(1, 1000, 0, 0);
    add_thread(2, 3000, 1, 2000);
    add_thread(3, 5000, 1, 2500);
    add_thread(4, 6000, 2, 5500);
    struct ts_session *session = open_links(&links);
    cr_assert_eq(links.count, 3);
    const struct ts_link *made = ts_links_from(&links, session->streams[0], &count);
    cr_assert_eq(count, 2);
    cr_assert_str_eq(made[0].what, "thread");
    cr_assert_eq(made[0].from_ns, 2000);
    cr_assert_eq(made[0].to_thread, 2);
    cr_assert_eq(made[1].to_thread, 3);
    const struct ts_link *into = ts_links_to(&links, session->streams[3]);
    cr_assert_not_null(into);
    cr_assert_eq(into->from_thread, 2);
    cr_assert_eq(into->to_ns, 6000, "the first known time of the thread");
    cr_assert_null(ts_links_to(&links, session->streams[0]));
    cr_assert_eq(session->streams[0]->maker_tid, 0);
    cr_assert_eq(session->streams[3]->maker_tid, session->streams[1]->tid);
    ts_links_free(&links);
    ts_session_close(session);
}

Test(session_links, a_maker_that_is_not_there_or_later_does_no_harm) {
    struct ts_links links;
    add_thread(1, 1000, 1, 500);
    add_thread(2, 3000, 99, 2000);
    add_thread(3, 5000, UINT32_MAX, UINT64_MAX >> 2);
    struct ts_session *session = open_links(&links);
    for (size_t i = 0; i < links.count; i++)
        cr_assert_lt(links.links[i].from_ns, links.links[i].to_ns);
    cr_assert_eq(session->streams[1]->maker_tid, 0);
    cr_assert_eq(session->streams[2]->maker_tid, 0);
    ts_links_free(&links);
    ts_session_close(session);
}
