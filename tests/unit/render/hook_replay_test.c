/*
 * Records of hooked calls into calls, attributes and failures; exceptions on their way. Cannot find: how a value looks
 * (hook_values_test.c), what an output makes of it (hook_outputs_test.c). Rows A21, C19.
 */
#include "tests/unit/render/replay_text.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define OPEN UINT64_C(0x7f0000100000) /* stubs, inside the shim */
#define READ (OPEN + 16)
#define FORK (OPEN + 32)

static const struct trace_values no_values;

static void hook(struct trace_builder *builder, uint64_t clock, uint64_t stub, const char *name,
                 const char *signature) {
    const struct trace_hook hook = {
        .stub = stub, .target = 0x30400, .name = name, .module = "/lib/libc.so.6", .signature = signature};
    trace_builder_hook(builder, clock, &hook);
}

/* A program, the shim, libc, hooks of three functions, and a window of thread 1. */
static struct trace_builder *hooked(void) {
    struct trace_builder *builder = trace_builder_new(100);
    trace_builder_executable(builder, "/usr/bin/demo", 0x200000);
    trace_builder_load(builder, 0, OPEN - 0x1000, OPEN - 0x1000, OPEN + 0x1000, 2, 0, "/lib/libtraceshim.so");
    trace_builder_load(builder, 0, 0x30000, 0x30000, 0x40000, 3, 0, "/lib/libc.so.6");
    trace_builder_control_window(builder, 1, TRACE_NS(500));
    hook(builder, TRACE_NS(600), OPEN, "open", "(path:path)=fd|-1");
    hook(builder, TRACE_NS(600), READ, "read", "(fd:fd buffer:skip size:size)=size|-1");
    hook(builder, TRACE_NS(600), FORK, "fork", "()=pid|-1");
    trace_builder_window(builder, 1, TRACE_NS(1000));
    return builder;
}

static void enter_open(struct trace_builder *builder, uint64_t clock, const char *path) {
    struct trace_values values = {.count = 0};
    trace_values_text(&values, path);
    trace_builder_enter_values(builder, clock, OPEN, &values);
}

static void enter_read(struct trace_builder *builder, uint64_t clock, uint32_t fd) {
    struct trace_values values = {.count = 0};
    trace_values_word(&values, fd);
    trace_values_long(&values, 512);
    trace_builder_enter_values(builder, clock, READ, &values);
}

static void result(struct trace_builder *builder, uint64_t clock, uint64_t value) {
    trace_builder_result(builder, clock, 0, value, &no_values);
}

static void expect(struct trace_builder *builder, const char *expected) {
    char *text = replay_of(builder);
    cr_assert_str_eq(text, expected);
    free(text);
}

/* Names and scopes instead of addresses, in the order in which functions are interned by their first call. */
static void expect_names(struct trace_builder *builder, const char *expected) {
    struct ts_session *session = replay_open(builder);
    char *names = NULL;
    size_t bytes;
    replay_checked(session);
    FILE *out = open_memstream(&names, &bytes);
    for (uint32_t id = 0; id < ts_functions_count(session->functions); id++) {
        struct ts_function *function = ts_functions_at(session->functions, id);
        fprintf(out, "%s%s{%s}", id ? " " : "", ts_function_name(function), ts_function_scope(function));
    }
    fclose(out);
    cr_assert_str_eq(names, expected);
    free(names);
    replay_close(session);
}

Test(hook_replay, a_call_with_arguments_and_result) {
    struct trace_builder *builder = hooked();
    enter_open(builder, TRACE_NS(1100), "/etc/passwd");
    result(builder, TRACE_NS(1200), 3);
    expect(builder, "[1/0] 0x400@1100 path='/etc/passwd' result=3 )@1200 [1/0]$");
}

Test(hook_replay, names_and_scopes_come_from_the_record) {
    struct trace_builder *builder = hooked();
    enter_open(builder, TRACE_NS(1100), "/etc/passwd");
    result(builder, TRACE_NS(1200), 3);
    /* The shim's own functions and instrumented ones go by their symbols. */
    trace_builder_enter_wide(builder, TRACE_NS(1300), OPEN + 8);
    trace_builder_exit(builder, TRACE_NS(1400));
    expect_names(builder, "open{libc.so.6} read{libc.so.6} fork{libc.so.6} libtraceshim.so+0x1008{libtraceshim.so}");
}

Test(hook_replay, short_records_know_a_stub_by_its_lower_half) {
    struct trace_builder *builder = hooked();
    trace_builder_enter(builder, TRACE_NS(1100), FORK);
    result(builder, TRACE_NS(1200), 77);
    trace_builder_enter(builder, TRACE_NS(1300), FORK);
    trace_builder_exit(builder, TRACE_NS(1400));
    expect(builder, "[1/0] 0x400@1100 result=77 )@1200 0x400@1300 )@1400 [1/0]$");
}

Test(hook_replay, without_the_shims_own_module) {
    struct trace_builder *builder = trace_builder_new(100);
    trace_builder_executable(builder, "/usr/bin/demo", 0x200000);
    hook(builder, TRACE_NS(600), FORK, "fork", "()=pid|-1");
    trace_builder_window(builder, 1, TRACE_NS(1000));
    trace_builder_enter(builder, TRACE_NS(1100), FORK);
    result(builder, TRACE_NS(1200), 77);
    expect(builder, "[1/0] 0x0@1100 result=77 )@1200 [1/0]$");
}

Test(hook_replay, a_stub_is_used_again) {
    struct trace_builder *builder = hooked();
    enter_open(builder, TRACE_NS(1100), "/x");
    result(builder, TRACE_NS(1200), 3);
    trace_builder_control_window(builder, 1, TRACE_NS(1300));
    hook(builder, TRACE_NS(1500), OPEN, "open", "(other:path)=fd|-1");
    trace_builder_window(builder, 1, TRACE_NS(1400));
    enter_open(builder, TRACE_NS(1450), "/y");
    result(builder, TRACE_NS(1460), 3);
    enter_open(builder, TRACE_NS(1600), "/z");
    result(builder, TRACE_NS(1700), 3);
    expect(builder, "[1/0] 0x400@1100 path='/x' result=3 )@1200 0x400@1450 path='/y' result=3 )@1460 "
                    "0x400@1600 other='/z' result=3 )@1700 [1/0]$");
}

Test(hook_replay, failures_have_a_name_or_a_code) {
    struct trace_builder *builder = hooked();
    enter_open(builder, TRACE_NS(1100), "/x");
    trace_builder_result(builder, TRACE_NS(1200), TS_RESULT_FAILED | 2, UINT64_MAX, &no_values);
    enter_read(builder, TRACE_NS(1300), 9);
    trace_builder_result(builder, TRACE_NS(1400), TS_RESULT_FAILED, 14, &no_values);
    trace_builder_enter(builder, TRACE_NS(1500), FORK);
    trace_builder_result(builder, TRACE_NS(1600), TS_RESULT_FAILED | 0xfff0, UINT64_MAX, &no_values);
    expect(builder, "[1/0] 0x400@1100 path='/x' !ENOENT )@1200 0x400@1300 fd=9 size=512 !14 )@1400 "
                    "0x400@1500 !65520 )@1600 [1/0]$");
}

Test(hook_replay, a_result_of_a_call_that_no_hook_names_ends_it) {
    struct trace_builder *builder = hooked();
    trace_builder_enter(builder, TRACE_NS(1100), 0x200400);
    result(builder, TRACE_NS(1200), 3);
    trace_builder_enter_wide(builder, TRACE_NS(1300), 0x99999999);
    trace_builder_result(builder, TRACE_NS(1400), TS_RESULT_FAILED | 13, 3, &no_values);
    expect(builder, "[1/0] 0x400@1100 )@1200 *0x99999999@1300 !EACCES )@1400 [1/0]$");
}

Test(hook_replay, a_result_without_a_call_is_dropped) {
    struct trace_builder *builder = hooked();
    result(builder, TRACE_NS(1100), 3);
    enter_open(builder, TRACE_NS(1200), "/x");
    result(builder, TRACE_NS(1300), 3);
    struct ts_session *session = replay_open(builder);
    char *text = replay_text(session);
    cr_assert_str_eq(text, "[1/0] 0x400@1200 path='/x' result=3 )@1300 [1/0]$");
    cr_assert_eq(session->totals.misnested, 1);
    free(text);
    replay_close(session);
}

Test(hook_replay, descriptors_hold_until_the_window_ends) {
    struct trace_builder *builder = hooked();
    trace_builder_descriptor(builder, 3, "/etc/passwd", NULL, 0, NULL, 0);
    enter_read(builder, TRACE_NS(1100), 3);
    result(builder, TRACE_NS(1200), 512);
    trace_builder_descriptor(builder, 3, "pipe:[7]", NULL, 0, NULL, 0);
    enter_read(builder, TRACE_NS(1300), 3);
    result(builder, TRACE_NS(1400), 0);
    trace_builder_window(builder, 1, TRACE_NS(1500));
    enter_read(builder, TRACE_NS(1600), 3);
    result(builder, TRACE_NS(1700), 0);
    expect(builder, "[1/0] 0x400@1100 fd=3 fd.path='/etc/passwd' size=512 result=512 )@1200 "
                    "0x400@1300 fd=3 fd.type='pipe' size=512 result=0 )@1400 "
                    "0x400@1600 fd=3 size=512 result=0 )@1700 [1/0]$");
}

Test(hook_replay, a_result_after_the_window_in_which_the_call_began) {
    struct trace_builder *builder = hooked();
    enter_open(builder, TRACE_NS(1100), "/x");
    trace_builder_window(builder, 1, TRACE_NS(1500));
    result(builder, TRACE_NS(1600), 3);
    expect(builder, "[1/0] 0x400@1100 path='/x' result=3 )@1600 [1/0]$");
}

Test(hook_replay, a_result_of_a_call_that_only_a_header_names) {
    struct trace_builder *builder = hooked();
    enter_open(builder, TRACE_NS(1100), "/x");
    struct ts_window_header *window = trace_builder_window(builder, 1, TRACE_NS(1500));
    window->previous = 55; /* what came before is gone */
    result(builder, TRACE_NS(1600), 3);
    size_t bytes;
    uint8_t *data = trace_builder_bytes(builder, &bytes);
    memset(data + 2 * TRACE_BLOCK_BYTES, 0, TRACE_BLOCK_BYTES);
    expect(builder, "[1/0] 0x400@1100d result=3 )@1600 [1/0]$");
}

Test(hook_replay, fork_returns_in_both_processes) {
    struct trace_builder *builder = hooked();
    trace_builder_enter(builder, TRACE_NS(1100), FORK);
    trace_builder_forked_window(builder, 2, 2, 1, TRACE_NS(1150))->parent_process = 1;
    result(builder, TRACE_NS(1160), 0);
    enter_open(builder, TRACE_NS(1170), "/x");
    result(builder, TRACE_NS(1180), 3);
    trace_builder_window(builder, 1, TRACE_NS(1200));
    result(builder, TRACE_NS(1300), 101);
    expect(builder, "[1/0] 0x400@1100 result=101 )@1300 [1/0]$ "
                    "[2/0] 0x400@1150i result=0 )@1160 0x400@1170 path='/x' result=3 )@1180 [2/0]$");
}

Test(hook_replay, last_times_come_from_hooked_calls_too) {
    struct trace_builder *builder = hooked();
    trace_builder_enter(builder, TRACE_NS(1100), 0x200400);
    enter_open(builder, TRACE_NS(1200), "/x");
    result(builder, TRACE_NS(1300), 3);
    enter_open(builder, TRACE_NS(1400), "/y");
    expect(builder, "[1/0] 0x400@1100 0x400@1200 path='/x' result=3 )@1300 0x400@1400 path='/y' )@1401? )@1402? "
                    "[1/0]$");
}

Test(hook_replay, an_exception_fails_what_it_leaves) {
    struct trace_builder *builder = hooked();
    trace_builder_enter(builder, TRACE_NS(1100), 0x200100); /* catches */
    trace_builder_enter(builder, TRACE_NS(1200), 0x200200);
    trace_builder_enter(builder, TRACE_NS(1300), 0x200300); /* throws */
    trace_builder_throw(builder, TRACE_NS(1400));
    trace_builder_exit(builder, TRACE_NS(1500));
    trace_builder_enter(builder, TRACE_NS(1510), 0x200400); /* a destructor */
    trace_builder_exit(builder, TRACE_NS(1520));
    trace_builder_unwind(builder, TRACE_NS(1600), 1, TS_UNWIND_UNKNOWN);
    trace_builder_catch(builder, TRACE_NS(1700));
    trace_builder_enter(builder, TRACE_NS(1710), 0x200400);
    trace_builder_exit(builder, TRACE_NS(1720));
    trace_builder_exit(builder, TRACE_NS(1800));
    expect(builder, "[1/0] 0x100@1100 0x200@1200 0x300@1300 !exception )@1500 0x400@1510 )@1520 !exception )@1600u "
                    "0x400@1710 )@1720 )@1800 [1/0]$");
}

Test(hook_replay, an_exception_inside_the_destructor_of_another) {
    struct trace_builder *builder = hooked();
    trace_builder_enter(builder, TRACE_NS(1100), 0x200100);
    trace_builder_enter(builder, TRACE_NS(1200), 0x200200);
    trace_builder_throw(builder, TRACE_NS(1210));
    trace_builder_enter(builder, TRACE_NS(1300), 0x200300); /* a destructor that catches */
    trace_builder_enter(builder, TRACE_NS(1310), 0x200400);
    trace_builder_throw(builder, TRACE_NS(1320));
    trace_builder_exit(builder, TRACE_NS(1330));
    trace_builder_catch(builder, TRACE_NS(1340));
    trace_builder_exit(builder, TRACE_NS(1350));
    trace_builder_exit(builder, TRACE_NS(1400));
    trace_builder_catch(builder, TRACE_NS(1500));
    trace_builder_exit(builder, TRACE_NS(1600));
    expect(builder, "[1/0] 0x100@1100 0x200@1200 0x300@1300 0x400@1310 !exception )@1330 )@1350 !exception )@1400 "
                    ")@1600 [1/0]$");
}

Test(hook_replay, an_unwind_may_name_the_exception_itself) {
    struct trace_builder *builder = hooked();
    enter_open(builder, TRACE_NS(1100), "/x");
    trace_builder_unwind(builder, TRACE_NS(1200), 1, TS_UNWIND_EXCEPTION);
    enter_open(builder, TRACE_NS(1300), "/x");
    trace_builder_unwind(builder, TRACE_NS(1400), 1, TS_UNWIND_UNKNOWN);
    expect(builder, "[1/0] 0x400@1100 path='/x' !exception )@1200u 0x400@1300 path='/x' )@1400u [1/0]$");
}

Test(hook_replay, jumps_and_ends_of_threads_are_no_exceptions) {
    struct trace_builder *builder = hooked();
    trace_builder_enter(builder, TRACE_NS(1100), 0x200100);
    trace_builder_enter(builder, TRACE_NS(1200), 0x200200);
    trace_builder_throw(builder, TRACE_NS(1210));
    trace_builder_unwind(builder, TRACE_NS(1300), 1, TS_UNWIND_JUMP);
    trace_builder_unwind(builder, TRACE_NS(1400), 1, TS_UNWIND_THREAD_END);
    expect(builder, "[1/0] 0x100@1100 0x200@1200 )@1300u )@1400u [1/0]$");
}

Test(hook_replay, a_call_fails_once) {
    struct trace_builder *builder = hooked();
    trace_builder_enter(builder, TRACE_NS(1100), 0x200100);
    enter_open(builder, TRACE_NS(1200), "/x");
    trace_builder_throw(builder, TRACE_NS(1210));
    trace_builder_result(builder, TRACE_NS(1300), TS_RESULT_FAILED | 2, UINT64_MAX, &no_values);
    result(builder, TRACE_NS(1400), 3);
    expect(builder, "[1/0] 0x100@1100 0x400@1200 path='/x' !ENOENT )@1300 !exception )@1400 [1/0]$");
}

Test(hook_replay, a_catch_without_a_throw_and_a_throw_without_a_catch) {
    struct trace_builder *builder = hooked();
    trace_builder_catch(builder, TRACE_NS(1010));
    trace_builder_enter(builder, TRACE_NS(1100), 0x200100);
    trace_builder_throw(builder, TRACE_NS(1110));
    expect(builder, "[1/0] 0x100@1100 )@1110? [1/0]$");
}

Test(hook_replay, what_was_lost_may_hold_the_catch) {
    struct trace_builder *builder = hooked();
    trace_builder_enter(builder, TRACE_NS(1100), 0x200100);
    trace_builder_throw(builder, TRACE_NS(1110));
    trace_builder_window(builder, 1, TRACE_NS(1200))->previous = 55;
    trace_builder_exit(builder, TRACE_NS(1300));
    expect(builder, "[1/0] 0x100@1100 )@1300 [1/0]$");
}

/* An exception crosses no stack: what ends on another one meanwhile was not left by it. */
Test(hook_replay, exceptions_stay_on_their_stack) {
    struct trace_builder *builder = hooked();
    trace_builder_enter(builder, TRACE_NS(1100), 0x200100);
    trace_builder_switch(builder, TRACE_NS(1110), 5);
    trace_builder_enter(builder, TRACE_NS(1120), 0x200200);
    trace_builder_switch(builder, TRACE_NS(1130), 0);
    trace_builder_throw(builder, TRACE_NS(1140));
    trace_builder_switch(builder, TRACE_NS(1150), 5);
    trace_builder_exit(builder, TRACE_NS(1160));
    trace_builder_switch(builder, TRACE_NS(1170), 0);
    trace_builder_exit(builder, TRACE_NS(1180));
    expect(builder, "[1/0] 0x100@1100 [1/5] 0x200@1120 [1/0] [1/5] )@1160 [1/0] !exception )@1180 [1/0]$ [1/5] "
                    "[1/5]$");
}

Test(hook_replay, texts_of_a_record_that_are_longer_than_it) {
    for (uint32_t field = 0; field < 4; field++) {
        struct trace_builder *builder = hooked();
        trace_builder_control_window(builder, 1, TRACE_NS(1000));
        hook(builder, TRACE_NS(1001), OPEN + 64, "long", "(path:path)=fd|-1");
        size_t bytes;
        uint8_t *data = trace_builder_bytes(builder, &bytes);
        struct ts_record_hook *record = (void *)(data + bytes - TRACE_BLOCK_BYTES + sizeof(struct ts_window_header));
        uint32_t *lengths[] = {&record->name_bytes, &record->module_bytes, &record->signature_bytes,
                               &record->pack_bytes};
        cr_assert_eq(record->name_bytes, 4);
        *lengths[field] = UINT32_MAX;
        trace_builder_window(builder, 1, TRACE_NS(1100));
        trace_builder_enter_wide(builder, TRACE_NS(1200), OPEN + 64);
        result(builder, TRACE_NS(1300), 3);
        struct ts_session *session = replay_open(builder);
        cr_assert_eq(session->totals.damaged_windows, 0);
        cr_assert_gt(replay_checked(session), 0);
        replay_close(session);
    }
}
