/*
 * The formats over a session on disk: which view the tree chooses, and that each writer drives a replay. What they
 * write is checked byte by byte in format_tree_test.c, format_chrome_test.c and report_test.c.
 */
#include "render/formats.h"
#include "render/report.h"
#include "tests/unit/render/trace_builder.h"

#include <criterion/criterion.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#define BIAS 0x10000

/* One thread: main, which makes `calls` - 1 calls of one function. */
static struct ts_session *open_session(const char *directory, uint64_t calls) {
    struct trace_builder *builder = trace_builder_new(100);
    struct ts_error error;
    uint64_t time = 1000;

    trace_builder_executable(builder, "/nowhere/demo", BIAS);
    trace_builder_window(builder, 1, TRACE_NS(time));
    trace_builder_enter(builder, TRACE_NS(time += 100), BIAS + 0x100);
    for (uint64_t i = 1; i < calls; i++) {
        trace_builder_enter(builder, TRACE_NS(time += 100), BIAS + 0x200);
        trace_builder_exit(builder, TRACE_NS(time += 100));
    }
    trace_builder_exit(builder, TRACE_NS(time += 100));
    trace_builder_save(builder, directory, NULL);
    trace_builder_free(builder);
    struct ts_session *session = ts_session_open(directory, &error);
    cr_assert(session != NULL, "%s", error.text);
    return session;
}

static char *write_format(const char *name, uint64_t calls, struct ts_format_options options) {
    char *directory = trace_builder_make_directory();
    struct ts_session *session = open_session(directory, calls);
    struct ts_error error;
    char *memory;
    size_t bytes;
    FILE *out = open_memstream(&memory, &bytes);

    cr_assert_eq(ts_formats_find(name)->write(session, &options, out, &error), 0);
    fclose(out);
    ts_session_close(session);
    trace_builder_remove_directory(directory);
    return memory;
}

static size_t count_lines(const char *text) {
    size_t lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

Test(formats, are_found_by_name) {
    size_t count;
    const struct ts_format *all = ts_formats_all(&count);

    cr_expect_geq(count, 2u);
    for (size_t i = 0; i < count; i++) {
        cr_expect_eq(ts_formats_find(all[i].name), &all[i]);
        cr_expect_gt(strlen(all[i].help), 0u);
    }
    cr_expect_str_eq(ts_formats_find("tree")->file_name, "tree.txt");
    cr_expect_str_eq(ts_formats_find("chrome")->file_name, "trace.json");
    cr_expect_null(ts_formats_find("trees"));
}

Test(formats, tree_shows_calls_up_to_200_and_merges_more) {
    char *calls = write_format("tree", 200, (struct ts_format_options){0});
    char *merged = write_format("tree", 201, (struct ts_format_options){0});

    cr_expect_eq(count_lines(calls), 200u);
    cr_expect_str_eq(merged, "└── demo+0x100 (40.1 µs) {demo} [calls=1, self=20.1 µs, avg=40.1 µs, max=40.1 µs]\n"
                             "    └── demo+0x200 (20.0 µs) {demo} [calls=200, self=20.0 µs, avg=100 ns, max=100 ns]\n");
    free(calls);
    free(merged);
}

Test(formats, tree_obeys_the_view_and_the_limit) {
    char *calls = write_format("tree", 300, (struct ts_format_options){.view = TS_TREE_CALLS});
    char *merged = write_format("tree", 2, (struct ts_format_options){.view = TS_TREE_MERGED});
    char *cut = write_format("tree", 300, (struct ts_format_options){.view = TS_TREE_CALLS, .max_lines = 2});

    cr_expect_eq(count_lines(calls), 300u);
    cr_expect_not_null(strstr(merged, "[calls=1, "));
    cr_expect_str_eq(cut, "└── demo+0x100 (59.9 µs) {demo}\n"
                          "    ├── demo+0x200 (100 ns) {demo}\n"
                          "… 298 more lines\n");
    free(calls);
    free(merged);
    free(cut);
}

Test(formats, chrome_has_every_call) {
    char *document = write_format("chrome", 300, (struct ts_format_options){0});
    cr_expect_eq(count_lines(document), 4u + 300 + 4);
    cr_expect_not_null(strstr(document, "{\"name\":\"demo+0x100\",\"cat\":\"demo\",\"ph\":\"X\",\"pid\":100,"));
    cr_expect_not_null(strstr(document, "\"calls\":300,\"inherited_calls\":0,\"dropped_deep_calls\":0,"));
    free(document);
}

Test(formats, chrome_has_the_longest_calls) {
    struct ts_format_cut cut;
    char *every = write_format("chrome", 300, (struct ts_format_options){.max_calls = 300, .cut = &cut});
    cr_expect_eq(count_lines(every), 4u + 300 + 4);
    cr_expect_eq(cut.calls, 300u);
    cr_expect_eq(cut.written, 300u);
    cr_expect_eq(cut.dropped_short, 0u);
    free(every);

    char *longest = write_format("chrome", 300, (struct ts_format_options){.max_calls = 10, .cut = &cut});
    cr_expect_eq(count_lines(longest), 4u + 10 + 4);
    cr_expect_not_null(strstr(longest, "{\"name\":\"demo+0x100\""));
    cr_expect_eq(cut.calls, 300u);
    cr_expect_eq(cut.written, 10u);
    cr_expect_eq(cut.dropped_short, 290u);
    cr_expect_eq(cut.longest_dropped_ns, 100u);
    free(longest);
}

Test(formats, report_counts_every_call) {
    char *directory = trace_builder_make_directory();
    struct ts_session *session = open_session(directory, 300);
    struct ts_error error;
    char *memory;
    size_t bytes;
    FILE *out = open_memstream(&memory, &bytes);

    cr_assert_eq(ts_report_write(session, &(struct ts_report_options){.layout = TS_REPORT_CSV}, out, &error), 0);
    fclose(out);
    cr_expect_not_null(strstr(memory, "\n1,59900,30000,59900,59900,59900,0,\"demo+0x100\",\"demo\",0,0\n"), "%s",
                       memory);
    cr_expect_not_null(strstr(memory, "\n299,29900,29900,100,100,100,0,\"demo+0x200\",\"demo\",0,0\n"), "%s", memory);
    free(memory);
    ts_session_close(session);
    trace_builder_remove_directory(directory);
}

/* A thread that switches between two stacks: the events of each stand together, in a profile of their own. */
Test(formats, speedscope_sorts_the_events_of_stacks_side_by_side) {
    char *directory = trace_builder_make_directory();
    struct trace_builder *builder = trace_builder_new(100);
    struct ts_format_options options = {0};
    struct ts_error error;
    char *document;
    size_t bytes;

    trace_builder_executable(builder, "/nowhere/demo", BIAS);
    trace_builder_window(builder, 1, TRACE_NS(1000));
    trace_builder_enter(builder, TRACE_NS(1100), BIAS + 0x100);
    trace_builder_switch(builder, TRACE_NS(1110), 9);
    trace_builder_enter(builder, TRACE_NS(1120), BIAS + 0x200);
    trace_builder_switch(builder, TRACE_NS(1130), 0);
    trace_builder_enter(builder, TRACE_NS(1140), BIAS + 0x200);
    trace_builder_exit(builder, TRACE_NS(1150));
    trace_builder_switch(builder, TRACE_NS(1160), 9);
    trace_builder_exit(builder, TRACE_NS(1170));
    trace_builder_switch(builder, TRACE_NS(1180), 0);
    trace_builder_exit(builder, TRACE_NS(1190));
    trace_builder_save(builder, directory, NULL);
    trace_builder_free(builder);
    struct ts_session *session = ts_session_open(directory, &error);
    cr_assert(session != NULL, "%s", error.text);
    FILE *out = open_memstream(&document, &bytes);
    cr_assert_eq(ts_format_speedscope(session, &options, out, &error), 0);
    fclose(out);
    /* Times are from the begin of the process, 1 ns after that of the clock. */
    const char *expected = "\"unit\":\"nanoseconds\",\"events\":[\n"
                           "{\"type\":\"O\",\"frame\":0,\"at\":1099},\n{\"type\":\"O\",\"frame\":1,\"at\":1139},\n"
                           "{\"type\":\"C\",\"frame\":1,\"at\":1149},\n{\"type\":\"C\",\"frame\":0,\"at\":1189}"
                           "],\"startValue\":0,\"endValue\":1189},\n";
    const char *other = ", track 9\",\"unit\":\"nanoseconds\",\"events\":[\n"
                        "{\"type\":\"O\",\"frame\":1,\"at\":1119},\n{\"type\":\"C\",\"frame\":1,\"at\":1169}"
                        "],\"startValue\":0,\"endValue\":1169}\n]";
    cr_expect(strstr(document, expected), "%s", document);
    cr_expect(strstr(document, other), "%s", document);
    free(document);
    ts_session_close(session);
    trace_builder_remove_directory(directory);
}

/* A program with very many coroutines: what is written must not be looked for among all of them, one by one. */
#ifdef __SANITIZE_ADDRESS__
enum { MANY_STACKS = 20000 }; /* that it is fast enough shows without the sanitizer */
#else
enum { MANY_STACKS = 150000 };
#endif

Test(formats, speedscope_writes_each_of_many_stacks_once, .timeout = 30) {
    char *directory = trace_builder_make_directory();
    struct trace_builder *builder = trace_builder_new_sized(100, 256 * TRACE_BLOCK_BYTES);
    struct ts_format_options options = {0};
    struct ts_error error;
    char *document;
    size_t bytes;

    trace_builder_executable(builder, "/nowhere/demo", BIAS);
    trace_builder_window(builder, 1, TRACE_NS(1000));
    for (uint64_t i = 1; i <= MANY_STACKS; i++) {
        struct ts_record_switch record = {.track = (uint32_t)i};
        trace_builder_split(&record.clock, TRACE_NS(1000 + 10 * i));
        trace_builder_record(builder, TS_RECORD_SWITCH, &record, sizeof record, NULL, 0);
        trace_builder_word(builder, TS_KIND_ENTER | (uint32_t)TRACE_NS(1001 + 10 * i));
        trace_builder_word(builder, BIAS + 0x100);
        trace_builder_word(builder, TS_KIND_EXIT | (uint32_t)TRACE_NS(1002 + 10 * i));
    }
    trace_builder_save(builder, directory, NULL);
    trace_builder_free(builder);
    struct ts_session *session = ts_session_open(directory, &error);
    cr_assert(session != NULL, "%s", error.text);
    FILE *out = open_memstream(&document, &bytes);
    cr_assert_eq(ts_format_speedscope(session, &options, out, &error), 0);
    fclose(out);
    size_t profiles = 0;
    /* Not strstr, which the sanitizer's own makes read to the document's end each time. */
    static const char kind[] = "\"type\":\"evented\"";
    for (const char *at = document; (at = memmem(at, bytes - (size_t)(at - document), kind, sizeof kind - 1)); at++)
        profiles++;
    cr_expect_eq(profiles, MANY_STACKS + 1u);
    free(document);
    ts_session_close(session);
    trace_builder_remove_directory(directory);
}

/* speedscope chooses what reads a file by its name first. */
Test(formats, no_name_is_that_of_another_format) {
    static const struct {
        const char *pattern;
        const char *format; /* whose it is; NULL: none of ours */
    } names[] = {{"*.chrome.json", NULL},    {"Trace-*T*", NULL},          {"Profile-*T*", NULL},
                 {"*-recording.json", NULL}, {"callgrind.*", "callgrind"}, {"*.speedscope.json", "speedscope"}};
    size_t count;
    const struct ts_format *formats = ts_formats_all(&count);
    for (size_t i = 0; i < count; i++)
        for (size_t n = 0; n < sizeof names / sizeof *names; n++)
            cr_expect_eq(fnmatch(names[n].pattern, formats[i].file_name, 0) == 0,
                         names[n].format && !strcmp(names[n].format, formats[i].name), "%s and %s",
                         formats[i].file_name, names[n].pattern);
}
