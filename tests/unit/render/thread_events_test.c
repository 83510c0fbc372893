/*
 * Level 3: records of exceptions, jumps and signals into moments, failures and calls. Cannot find: what the recorder
 * writes (e2e/195 to 202). Rows A43, C19.
 */
#include "tests/unit/render/replay_text.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define SITE UINT64_C(0x200500)
#define HANDLER UINT64_C(0x200700)
#define STUB UINT64_C(0x7f0000100000)

static struct trace_builder *program(void) {
    struct trace_builder *builder = trace_builder_new(100);
    trace_builder_executable(builder, "/usr/bin/demo", 0x200000);
    trace_builder_control_window(builder, 1, TRACE_NS(500));
    const struct trace_hook hook = {
        .stub = STUB, .target = HANDLER, .name = "signal", .module = "", .flags = TS_HOOK_HANDLES_SIGNALS};
    trace_builder_hook(builder, TRACE_NS(600), &hook);
    trace_builder_window(builder, 1, TRACE_NS(1000));
    return builder;
}

static void expect(struct trace_builder *builder, const char *expected) {
    char *text = replay_of(builder);
    cr_assert_str_eq(text, expected);
    free(text);
}

static void throws(struct trace_builder *builder, uint64_t ns, uint64_t header, uint32_t flags, const char *type,
                   const char *message) {
    trace_builder_exception(builder, TS_RECORD_EXCEPTION_THROW, TRACE_NS(ns), SITE, header, flags, type, message);
}

static void catches(struct trace_builder *builder, uint64_t ns, uint64_t header) {
    trace_builder_exception(builder, TS_RECORD_EXCEPTION_CATCH, TRACE_NS(ns), SITE, header, 0, NULL, NULL);
}

Test(thread_events, a_throw_is_a_moment_and_what_it_leaves_says_by_which) {
    struct trace_builder *builder = program();
    trace_builder_enter(builder, TRACE_NS(1100), 0x200100);
    trace_builder_enter(builder, TRACE_NS(1200), 0x200200);
    throws(builder, 1300, 0x10, 0, "St13runtime_error", "deep");
    trace_builder_exit(builder, TRACE_NS(1400));
    catches(builder, 1500, 0x10);
    trace_builder_exit(builder, TRACE_NS(1600));
    expect(builder, "[1/0] 0x100@1100 0x200@1200 ^throw@1300 exception.type='std::runtime_error' "
                    "exception.message='deep' from='demo+0x4ff' exception.type='std::runtime_error' "
                    "exception.message='deep' !exception )@1400 ^catch@1500 exception.type='std::runtime_error' "
                    "in='demo+0x4ff' )@1600 [1/0]$");
}

Test(thread_events, without_detail_nothing_is_told) {
    struct trace_builder *builder = program();
    trace_builder_enter(builder, TRACE_NS(1100), 0x200100);
    trace_builder_throw(builder, TRACE_NS(1300));
    trace_builder_exit(builder, TRACE_NS(1400));
    trace_builder_catch(builder, TRACE_NS(1500));
    expect(builder, "[1/0] 0x100@1100 !exception )@1400 [1/0]$");
}

Test(thread_events, unwound_calls_say_it_too) {
    struct trace_builder *builder = program();
    trace_builder_enter(builder, TRACE_NS(1100), 0x200100);
    throws(builder, 1300, 0x10, TS_EXCEPTION_RETHROWN, "i", NULL);
    trace_builder_unwind(builder, TRACE_NS(1400), 1, TS_UNWIND_EXCEPTION);
    catches(builder, 1500, 0x10);
    expect(builder, "[1/0] 0x100@1100 ^rethrow@1300 exception.type='int' from='demo+0x4ff' exception.type='int' "
                    "!exception )@1400u ^catch@1500 exception.type='int' in='demo+0x4ff' [1/0]$");
}

Test(thread_events, a_catch_finds_its_own_exception) {
    struct trace_builder *builder = program();
    throws(builder, 1100, 0x10, 0, "1A", NULL);
    throws(builder, 1200, 0x20, 0, "1B", NULL);
    catches(builder, 1300, 0x20);
    throws(builder, 1400, 0x30, 0, "1C", NULL); /* its catch is not seen */
    catches(builder, 1500, 0x10);
    catches(builder, 1600, 0x10); /* nothing is on its way */
    trace_builder_enter(builder, TRACE_NS(1700), 0x200100);
    trace_builder_exit(builder, TRACE_NS(1800));
    expect(builder, "[1/0] ^throw@1100 exception.type='A' from='demo+0x4ff' ^throw@1200 exception.type='B' "
                    "from='demo+0x4ff' ^catch@1300 exception.type='B' in='demo+0x4ff' ^throw@1400 exception.type='C' "
                    "from='demo+0x4ff' ^catch@1500 exception.type='A' in='demo+0x4ff' ^catch@1600 in='demo+0x4ff' "
                    "0x100@1700 )@1800 [1/0]$");
}

Test(thread_events, an_exception_whose_catch_is_not_seen_fails_nothing) {
    struct trace_builder *builder = program();
    trace_builder_enter(builder, TRACE_NS(1100), 0x200100);
    throws(builder, 1200, 0x10, TS_EXCEPTION_FOREIGN | TS_EXCEPTION_UNTRACKED, "Rust panic", NULL);
    trace_builder_exit(builder, TRACE_NS(1300));
    expect(builder, "[1/0] 0x100@1100 ^throw@1200 exception.type='Rust panic' from='demo+0x4ff' )@1300 [1/0]$");
}

Test(thread_events, texts_longer_than_the_record_are_none) {
    struct trace_builder *builder = program();
    struct ts_record_exception_detail record = {.type_bytes = 1000, .message_bytes = UINT32_MAX};
    trace_builder_split(&record.clock, TRACE_NS(1100));
    trace_builder_record(builder, TS_RECORD_EXCEPTION_THROW, &record, sizeof record, "1A", 2);
    record.type_bytes = UINT32_MAX;
    record.message_bytes = 2;
    trace_builder_split(&record.clock, TRACE_NS(1200));
    trace_builder_record(builder, TS_RECORD_EXCEPTION_THROW, &record, sizeof record, "1A", 2);
    replay_checked(replay_open(builder));
}

Test(thread_events, a_cut_type_is_shown_as_it_is) {
    struct trace_builder *builder = program();
    throws(builder, 1100, 0, TS_EXCEPTION_TYPE_CUT, "St6vectorISt", NULL);
    expect(builder, "[1/0] ^throw@1100 exception.type='St6vectorISt…' from='demo+0x4ff' [1/0]$");
}

Test(thread_events, a_jump_names_what_it_left) {
    struct trace_builder *builder = program();
    trace_builder_enter(builder, TRACE_NS(1100), 0x200100);
    trace_builder_enter(builder, TRACE_NS(1200), 0x200200);
    trace_builder_enter(builder, TRACE_NS(1300), 0x200300);
    trace_builder_jump(builder, TRACE_NS(1400), SITE, 7);
    trace_builder_unwind(builder, TRACE_NS(1500), 2, TS_UNWIND_JUMP);
    trace_builder_jump(builder, TRACE_NS(1600), SITE, -1);
    trace_builder_exit(builder, TRACE_NS(1700));
    expect(builder, "[1/0] 0x100@1100 0x200@1200 0x300@1300 ^longjmp@1400 value=7 from='demo+0x4ff' "
                    "left=['demo+0x300', 'demo+0x200'] )@1500u )@1501u ^longjmp@1600 value=-1 from='demo+0x4ff' "
                    ")@1700 [1/0]$");
}

Test(thread_events, a_jump_at_the_end_of_a_window) {
    struct trace_builder *builder = program();
    trace_builder_enter(builder, TRACE_NS(1100), 0x200100);
    trace_builder_jump(builder, TRACE_NS(1400), SITE, 1);
    trace_builder_window(builder, 1, TRACE_NS(1450));
    trace_builder_unwind(builder, TRACE_NS(1500), 1, TS_UNWIND_JUMP);
    trace_builder_jump(builder, TRACE_NS(1600), SITE, 2);
    expect(builder, "[1/0] 0x100@1100 ^longjmp@1400 value=1 from='demo+0x4ff' left=['demo+0x100'] )@1500u "
                    "^longjmp@1600 value=2 from='demo+0x4ff' [1/0]$");
}

static void signals(struct trace_builder *builder, uint64_t ns, uint32_t words) {
    struct trace_values values = {.count = 0};
    const uint32_t arguments[] = {11, 1, 0, 0x10, 0x20};
    for (uint32_t i = 0; i < words; i++)
        trace_values_word(&values, arguments[i]);
    trace_builder_enter_values(builder, TRACE_NS(ns), STUB, &values);
}

Test(thread_events, a_signal_is_a_call_of_its_handler) {
    struct trace_builder *builder = program();
    signals(builder, 1100, 5);
    trace_builder_exit(builder, TRACE_NS(1200));
    signals(builder, 1300, 1);
    trace_builder_exit(builder, TRACE_NS(1400));
    signals(builder, 1500, 0);
    trace_builder_exit(builder, TRACE_NS(1600));
    struct ts_session *session = replay_open(builder);
    char *text = replay_text(session);
    cr_assert_str_eq(text, "[1/0] 0x200700@1100 handler='demo+0x700' code=SEGV_MAPERR address=0x2000000010 )@1200 "
                           "0x200700@1300 handler='demo+0x700' )@1400 *0x200700@1500 handler='demo+0x700' )@1600 "
                           "[1/0]$");
    int found = 0;
    for (uint32_t id = 0; id < ts_functions_count(session->functions); id++) {
        struct ts_function *function = ts_functions_at(session->functions, id);
        found += !strcmp(ts_function_name(function), "SIGSEGV") && !strcmp(ts_function_scope(function), "demo");
    }
    cr_assert_eq(found, 1);
    free(text);
    replay_close(session);
}
