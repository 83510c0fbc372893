/* One line for each header and record. Cannot find: a field that is printed under another's name and equals it. */
#include "render/dump.h"
#include "tests/unit/render/replay_text.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *dump_of(struct trace_builder *builder) {
    struct ts_session *session = replay_open(builder);
    struct ts_error error;
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    cr_assert_eq(ts_dump_write(session, out, &error), 0);
    fclose(out);
    replay_close(session);
    return text;
}

static void expect_line(const char *text, const char *line) {
    char wanted[500];
    snprintf(wanted, sizeof(wanted), "\n%s\n", line);
    cr_assert_not_null(strstr(text, wanted), "no line `%s` in\n%s", line, text);
}

Test(dump, every_record_with_its_offset) {
    struct trace_builder *builder = trace_builder_new(100);
    trace_builder_executable(builder, "/usr/bin/demo", 0x10000);
    trace_builder_window(builder, 1, 4000);
    trace_builder_enter(builder, 4400, 0x10400);
    trace_builder_word(builder, 0);
    trace_builder_word(builder, 0);
    trace_builder_word(builder, TS_HEAD_PENDING(2));
    trace_builder_word(builder, 5);
    trace_builder_exit(builder, 4800);
    trace_builder_enter_wide(builder, 5000, UINT64_C(0x7f0000010400));
    trace_builder_unwind(builder, 5200, 1, TS_UNWIND_JUMP);
    trace_builder_switch(builder, 5400, 6);
    trace_builder_word(builder, TS_HEAD(222, 1));
    trace_builder_word(builder, TS_HEAD(TS_RECORD_TIME, 1));
    char *text = dump_of(builder);
    expect_line(text, "0x00001200 process words=7 clock=0 pid=100 parent_pid=1 process=1 parent_process=0");
    expect_line(text, "0x0000121c metadata words=7 key=2 value='/usr/bin/demo'");
    expect_line(text, "0x00004100 enter clock=4400 address=0x00010400");
    expect_line(text, "0x00004108 hole words=2");
    expect_line(text, "0x00004110 pending words=2");
    expect_line(text, "0x00004118 exit clock=4800");
    expect_line(text, "0x0000411c enter_wide words=5 clock=5000 address=0x7f0000010400");
    expect_line(text, "0x00004130 unwind words=5 clock=5200 count=1 reason=2");
    expect_line(text, "0x00004144 switch words=7 clock=5400 track=6 kind=1 depth=0");
    expect_line(text, "0x00004160 unknown type=222 words=1");
    expect_line(text, "0x00004164 damaged word=0x00001007: what follows in this window cannot be read");
    free(text);
}

Test(dump, windows_in_order_of_the_file_with_their_open_calls) {
    struct trace_builder *builder = trace_builder_new(100);
    trace_builder_window(builder, 2, 4000);
    trace_builder_enter(builder, 4400, 0x10400);
    trace_builder_window(builder, 1, 4500);
    struct ts_window_header *window = trace_builder_window(builder, 2, 5000);
    ((struct ts_open_call *)(void *)(window + 1))->site = 0x10a00;
    ((struct ts_open_call *)(void *)(window + 1))->kind = 3;
    window->parent_process = 4;
    window->parent_pid = 99;
    window->process_end_reason = TS_END_SIGNAL;
    window->process_end_status = -6;
    window->process_end_clock = 5100;
    trace_builder_header(builder)->control_claim = 0x4040;
    char *text = dump_of(builder);
    const char *first = strstr(text, "0x00004000 window sequence=1 ");
    const char *second = strstr(text, "0x00008000 window sequence=2 ");
    const char *third = strstr(text, "0x0000c000 window sequence=3 ");
    cr_assert(first && second && third && first < second && second < third);
    expect_line(text, "0x0000c100 open_call address=0x10400 clock=4400 site=0x00010a00 kind=3");
    cr_assert_not_null(strstr(third, " header_bytes=256 open_call_bytes=24 parent_process=4 parent_pid=99 "));
    cr_assert_not_null(strstr(third, " process_end_reason=6 process_end_status=-6 process_end_clock=5100\n"));
    cr_assert_not_null(strstr(text, " control_claim=0x4040 "));
    free(text);
}

Test(dump, open_calls_of_a_newer_version_stand_where_its_header_says) {
    struct trace_builder *builder = trace_builder_new(100);
    trace_builder_limit_open_calls(builder, 2);
    trace_builder_sizes(builder, sizeof(struct ts_window_header) + 64, sizeof(struct ts_open_call) + 16);
    trace_builder_window(builder, 1, 4000);
    trace_builder_enter(builder, 4400, 0x10400);
    trace_builder_enter(builder, 4800, 0x10500);
    trace_builder_window(builder, 1, 5000);
    trace_builder_exit(builder, 5200);
    char *text = dump_of(builder);
    expect_line(text, "0x00008140 open_call address=0x10400 clock=4400 site=0x00000000 kind=0");
    expect_line(text, "0x00008168 open_call address=0x10500 clock=4800 site=0x00000000 kind=0");
    expect_line(text, "0x00008190 exit clock=5200");
    free(text);
}
