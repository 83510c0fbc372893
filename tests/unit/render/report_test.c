/* The report's layouts and orders, byte by byte. Counting itself is checked in call_tree_test.c. */
#include "render/report_layout.h"
#include "tests/unit/render/sink_script.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static struct sink_script *new_script(void) {
    struct sink_script *script = sink_script_new();
    sink_script_stream(script, sink_script_process(script, 100, "demo", 0, 1000), 100, "");
    sink_script_enter(script, "main", "demo", 0);
    sink_script_call(script, "read", "libc.so.6", 100, 12400);
    sink_script_call(script, "read", "libc.so.6", 20000, 20560);
    sink_script_enter(script, "compute", "demo", 30000);
    sink_script_leave_as(script, 42860, TS_LEAVE_UNFINISHED);
    sink_script_leave(script, UINT64_C(1500000000));
    return script;
}

/* Frees the script. */
static char *print(struct sink_script *script, struct ts_report_options options) {
    struct ts_call_stats stats = {.with_squares = true};
    struct ts_error error;
    char *memory;
    size_t bytes;
    FILE *out = open_memstream(&memory, &bytes);

    struct ts_sink sink = ts_call_stats_sink(&stats);
    sink_script_play(script, &sink);
    cr_assert_eq(ts_report_print(&stats, &options, false, out, &error), 0);
    fclose(out);
    ts_call_stats_free(&stats);
    sink_script_free(script);
    return memory;
}

/* The text after the header lines. */
static const char *body(const char *report) {
    while (*report == '#')
        report = strchr(report, '\n') + 1;
    return report;
}

Test(report, text) {
    char *report = print(new_script(), (struct ts_report_options){0});
    static const char columns[] = "# calls   total    self     avg     min     max  errors  name {scope}\n";

    cr_expect_not_null(strstr(report, "# 4 calls of 3 functions, all threads and processes, by total\n"));
    cr_expect_not_null(strstr(report, "# unfinished: 1, counted up to their last known time\n"));
    cr_expect_not_null(strstr(report, columns), "%s", report);
    /* The tie of compute and read is broken by name. */
    cr_expect_str_eq(body(report), "1         1.50s   1.50s   1.50s   1.50s   1.50s       0  main {demo}\n"
                                   "1        12.9µs  12.9µs  12.9µs  12.9µs  12.9µs       0  compute {demo}\n"
                                   "2        12.9µs  12.9µs   6.4µs   560ns  12.3µs       0  read {libc.so.6}\n"
                                   "# not in any recorded call: 0ns, 0.0 % of the 1.0µs that the thread lasted\n");
    free(report);
}

/* What is left of the threads' time; it cannot be told exactly where a thread has other stacks, or calls are missing.
 */
Test(report, time_in_no_call) {
    for (int other = 0; other < 3; other++) {
        struct ts_report_options options = {.filtered = false};
        struct sink_script *script = sink_script_new();
        struct ts_process *process = sink_script_process(script, 1, "demo", 0, 1000);
        sink_script_stream(script, process, 1, "");
        sink_script_enter(script, "f", "demo", 100);
        sink_script_call(script, "f", "demo", 150, 200);
        sink_script_leave(script, 300);
        sink_script_call(script, "g", "demo", 400, 500);
        struct ts_stream *stream = sink_script_stream(script, process, other ? 1 : 2, "");
        stream->track = other ? 1 : 0;
        sink_script_call(script, "h", "demo", 0, 300);
        options.filtered = other == 2;
        char *report = print(script, options), *line = strstr(report, "# not in any");
        if (other == 0)
            cr_expect_str_eq(line,
                             "# not in any recorded call: 1.4µs, 70.0 % of the 2.0µs that 2 threads lasted together\n");
        else if (other == 1)
            cr_expect_str_eq(line, "# not in any recorded call: at most 700ns, 70.0 % of the 1.0µs that the thread "
                                   "lasted; 1 other stack had calls, too\n");
        else
            cr_expect_null(line, "%s", line);
        free(report);
    }
}

Test(report, csv) {
    struct sink_script *script = new_script();
    sink_script_call(script, "say \"hi\",\n", "x", UINT64_C(1600000000), UINT64_C(1600000001));
    char *report = print(script, (struct ts_report_options){.layout = TS_REPORT_CSV});
    cr_expect_str_eq(report, "calls,total_ns,self_ns,avg_ns,min_ns,max_ns,errors,name,scope,unfinished,unwound\n"
                             "1,1500000000,1499974280,1500000000,1500000000,1500000000,0,\"main\",\"demo\",0,0\n"
                             "1,12860,12860,12860,12860,12860,0,\"compute\",\"demo\",1,0\n"
                             "2,12860,12860,6430,560,12300,0,\"read\",\"libc.so.6\",0,0\n"
                             "1,1,1,1,1,1,0,\"say \"\"hi\"\",\\n\",\"x\",0,0\n");
    free(report);
}

Test(report, a_spreadsheet_calculates_no_name) {
    static const char *const names[] = {"=1+1", "+1", "-1", "@1", "a=1"};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        struct sink_script *script = sink_script_new();
        char field[16];
        sink_script_stream(script, sink_script_process(script, 1, "demo", 0, 10), 1, "");
        sink_script_call(script, names[i], "demo", 0, 7);
        char *report = print(script, (struct ts_report_options){.layout = TS_REPORT_CSV});
        snprintf(field, sizeof field, ",\"%s%s\",", i < 4 ? "'" : "", names[i]);
        cr_expect_not_null(strstr(report, field), "%s", report);
        free(report);
    }
}

Test(report, json) {
    struct sink_script *script = sink_script_new();
    sink_script_stream(script, sink_script_process(script, 1, "demo", 0, 10), 1, "");
    sink_script_call(script, "say \"hi\"\xff", "demo", 0, 7);
    sink_script_call(script, "f", "demo", 8, 9);
    char *report = print(script, (struct ts_report_options){.layout = TS_REPORT_JSON});
    cr_expect_str_eq(report, "[\n"
                             "{\"name\":\"say \\\"hi\\\"\xef\xbf\xbd\",\"scope\":\"demo\",\"calls\":1,\"total_ns\":7,"
                             "\"self_ns\":7,\"avg_ns\":7,\"min_ns\":7,\"max_ns\":7,\"errors\":0,\"unfinished\":0,"
                             "\"unwound\":0},\n"
                             "{\"name\":\"f\",\"scope\":\"demo\",\"calls\":1,\"total_ns\":1,\"self_ns\":1,\"avg_ns\":1,"
                             "\"min_ns\":1,\"max_ns\":1,\"errors\":0,\"unfinished\":0,\"unwound\":0}\n"
                             "]\n");
    free(report);
}

Test(report, json_has_the_columns_that_were_chosen) {
    struct ts_report_options options = {.layout = TS_REPORT_JSON};
    struct ts_error error;
    struct sink_script *script = sink_script_new();
    sink_script_stream(script, sink_script_process(script, 1, "demo", 0, 100), 1, "");
    sink_script_call(script, "f", "demo", 0, 10);
    sink_script_call(script, "f", "demo", 20, 50);
    cr_assert_eq(ts_report_columns_parse(&options.columns, "stddev,calls,name", &error), 0);
    char *report = print(script, options);
    cr_expect_str_eq(report, "[\n{\"name\":\"f\",\"scope\":\"demo\",\"stddev_ns\":14,\"calls\":2}\n]\n");
    free(report);
    cr_expect_eq(ts_report_columns_parse(&options.columns, "", &error), -1);
    cr_expect_str_eq(error.text, "--columns: the list is empty");
}

Test(report, nothing_to_report) {
    static const struct {
        enum ts_report_layout layout;
        const char *body;
    } layouts[] = {
        {TS_REPORT_CSV, "calls,total_ns,self_ns,avg_ns,min_ns,max_ns,errors,name,scope,unfinished,unwound\n"},
        {TS_REPORT_TEXT, ""},
        {TS_REPORT_JSON, "[\n]\n"}};
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        char *report = print(sink_script_new(), (struct ts_report_options){.layout = layouts[i].layout});
        cr_expect_str_eq(body(report), layouts[i].body);
        cr_expect_eq(strstr(report, "\n# (no spans)\n") != NULL, layouts[i].layout == TS_REPORT_TEXT);
        free(report);
    }
}

Test(report, sorts) {
    static const struct {
        const char *sort;
        const char *first; /* of three */
        const char *last;
    } sorts[] = {
        {"total", "once", "nest"}, {"calls", "nest", "zero"}, {"self", "once", "zero"}, {"avg", "once", "zero"},
        {"min", "once", "zero"},   {"max", "once", "zero"},   {"name", "nest", "zero"}, {"errors", "nest", "zero"},
    };
    for (size_t i = 0; i < sizeof sorts / sizeof *sorts; i++) {
        struct sink_script *script = sink_script_new();
        sink_script_stream(script, sink_script_process(script, 1, "demo", 0, 10), 1, "");
        sink_script_call(script, "once", "x", 0, 100);
        sink_script_enter(script, "nest", "x", 200);
        sink_script_call(script, "nest", "x", 201, 203);
        sink_script_leave(script, 205);
        sink_script_enter_as(script, sink_script_function(script, "zero", "x"), 300, TS_ENTER_INHERITED);
        sink_script_leave(script, i == 0 ? 320 : 300);
        int sort = ts_report_sort_named(sorts[i].sort);
        cr_assert_neq(sort, -1);
        char *report = print(script, (struct ts_report_options){.sort = (enum ts_report_sort)sort});
        const char *first = strchr(body(report), '\n') - strlen("name {x}");
        const char *last = strstr(report, "\n# not in any") - strlen("name {x}");
        cr_expect_eq(strncmp(first, sorts[i].first, 4), 0, "%s: %s", sorts[i].sort, report);
        cr_expect_eq(strncmp(last, sorts[i].last, 4), 0, "%s: %s", sorts[i].sort, report);
        free(report);
    }
    cr_expect_eq(ts_report_sort_named("bogus"), -1);
    cr_expect_eq(ts_report_sort_named(""), -1);
}

Test(report, max_rows) {
    char *report = print(new_script(), (struct ts_report_options){.max_rows = 1});
    cr_expect_not_null(strstr(body(report), "main {demo}\n# … 2 more functions\n"));
    cr_expect_null(strstr(report, "compute"));
    free(report);
}

Test(report, hostile_names_stay_on_their_line) {
    struct sink_script *script = sink_script_new();
    sink_script_stream(script, sink_script_process(script, 1, "demo", 0, 10), 1, "");
    sink_script_call(script, "a\nb\x1b[0m", "s\rc", 0, 5);
    char *report = print(script, (struct ts_report_options){0});
    cr_expect_not_null(strstr(report, "  a\\nb\\x1b[0m {s\\rc}\n"));
    free(report);
}

Test(report, a_full_disk_is_an_error) {
    struct ts_call_stats stats = {0};
    struct ts_error error;
    FILE *out = fopen("/dev/full", "w");
    cr_assert_not_null(out);
    cr_expect_eq(ts_report_print(&stats, &(struct ts_report_options){0}, false, out, &error), -1);
    cr_expect_str_eq(error.text, "cannot write the report: No space left on device");
    fclose(out);
}
