/* One file: what is refused, what is read, what a hole costs. Cannot find: errors of the disk. */
#include "render/trace_file.h"
#include "tests/unit/render/trace_builder.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char path[4096];
static char *directory;

static void setup(void) {
    directory = trace_builder_make_directory();
    snprintf(path, sizeof(path), "%s/100.trace", directory);
}

static void teardown(void) {
    trace_builder_remove_directory(directory);
}

TestSuite(trace_file, .init = setup, .fini = teardown);

static struct trace_builder *demo(void) {
    struct trace_builder *builder = trace_builder_new(100);
    trace_builder_executable(builder, "/usr/bin/demo", 0x10000);
    trace_builder_window(builder, 1, TRACE_NS(1000));
    trace_builder_enter(builder, TRACE_NS(1100), 0x10400);
    return builder;
}

/* Saves, opens, and expects this answer and, in the error, this text. */
static void expect_open(struct trace_builder *builder, int answer, const char *text) {
    struct ts_trace *trace;
    struct ts_error error = {""};
    trace_builder_save(builder, directory, "100.trace");
    trace_builder_free(builder);
    cr_assert_eq(ts_trace_open(&trace, path, &error), answer, "%s", error.text);
    if (text)
        cr_assert_not_null(strstr(error.text, text), "%s", error.text);
    if (answer == 0)
        ts_trace_close(trace);
    else
        cr_assert_null(trace);
}

Test(trace_file, a_good_one_opens) {
    expect_open(demo(), 0, NULL);
}

Test(trace_file, newer_version_is_refused_and_says_what_to_do) {
    struct trace_builder *builder = demo();
    trace_builder_header(builder)->version_major = 2;
    expect_open(builder, -1, "trace of a newer version (2.0; this is 1.0): use a newer traceshim");
}

Test(trace_file, newer_minor_version_and_compatible_features_are_read) {
    struct trace_builder *builder = demo();
    trace_builder_header(builder)->version_minor = 9;
    trace_builder_header(builder)->compatible_features = UINT64_MAX;
    expect_open(builder, 0, NULL);
}

Test(trace_file, unknown_incompatible_feature_is_refused) {
    struct trace_builder *builder = demo();
    trace_builder_header(builder)->incompatible_features = 4;
    expect_open(builder, -1, "features that this version does not know (0x4)");
}

Test(trace_file, other_byte_order_is_refused) {
    struct trace_builder *builder = demo();
    struct ts_file_header *header = trace_builder_header(builder);
    header->magic = __builtin_bswap64(header->magic);
    expect_open(builder, -1, "other byte order");
}

Test(trace_file, something_else_is_refused) {
    struct trace_builder *builder = demo();
    trace_builder_header(builder)->magic = 0x464c457f;
    expect_open(builder, -1, "is not a traceshim trace");
}

Test(trace_file, sizes_that_do_not_fit_each_other_are_refused) {
    for (int what = 0; what < 8; what++) {
        struct trace_builder *builder = demo();
        struct ts_file_header *header = trace_builder_header(builder);
        if (what == 0)
            header->block_bytes = 20000;
        if (what == 1)
            header->block_bytes = TS_WINDOW_STEP / 2;
        if (what == 2)
            header->block_count = UINT64_MAX / 4;
        if (what == 3)
            header->first_block = 0;
        if (what == 4)
            header->first_block = header->block_count + 1;
        if (what == 5)
            header->header_bytes = 100;
        if (what == 6)
            header->clock_kind = 9;
        if (what == 7)
            header->block_bytes = UINT64_C(1) << 63;
        expect_open(builder, -1, "damaged header");
    }
}

Test(trace_file, all_zero_file_holds_nothing_yet) {
    struct trace_builder *builder = demo();
    size_t bytes;
    uint8_t *data = trace_builder_bytes(builder, &bytes);
    memset(data, 0, bytes);
    expect_open(builder, 1, "ended before recording began");
}

Test(trace_file, empty_file_holds_nothing_yet) {
    struct ts_trace *trace;
    struct ts_error error;
    close(open(path, O_CREAT | O_WRONLY, 0600));
    cr_assert_eq(ts_trace_open(&trace, path, &error), 1);
}

Test(trace_file, missing_file_and_pipe_are_errors) {
    struct ts_trace *trace;
    struct ts_error error;
    cr_assert_eq(ts_trace_open(&trace, path, &error), -1);
    cr_assert_not_null(strstr(error.text, "No such file"));
    mkfifo(path, 0600);
    cr_assert_eq(ts_trace_open(&trace, path, &error), -1);
    cr_assert_not_null(strstr(error.text, "not a regular file"));
}

static struct ts_trace *opened(struct trace_builder *builder) {
    struct ts_trace *trace;
    struct ts_error error;
    trace_builder_save(builder, directory, NULL);
    trace_builder_free(builder);
    cr_assert_eq(ts_trace_open(&trace, path, &error), 0, "%s", error.text);
    return trace;
}

Test(trace_file, preamble_over_the_block_table_or_outside_is_not_read) {
    for (int what = 0; what < 4; what++) {
        struct trace_builder *builder = demo();
        struct ts_file_header *header = trace_builder_header(builder);
        if (what == 0)
            header->preamble_offset = header->block_table_offset;
        if (what == 1)
            header->preamble_bytes = TRACE_BLOCK_BYTES;
        if (what == 2)
            header->preamble_offset = UINT64_MAX - 100;
        if (what == 3)
            header->preamble_offset = 100;
        struct ts_trace *trace = opened(builder);
        cr_assert_null(trace->preamble);
        cr_assert_eq(trace->window_count, 1);
        ts_trace_close(trace);
    }
}

Test(trace_file, damaged_window_header_is_counted_and_the_next_block_is_read) {
    for (int what = 0; what < 15; what++) {
        struct trace_builder *builder = demo();
        struct ts_window_header *window = trace_builder_newest_window(builder);
        if (what == 0)
            window->magic ^= 1;
        if (what == 1)
            window->offset += 64;
        if (what == 2)
            window->bytes = TRACE_BLOCK_BYTES + 64;
        if (what == 3)
            window->records = 100;
        if (what == 4)
            window->open_count = 1;
        if (what == 5)
            window->end_bytes = 10;
        if (what == 6)
            window->process = 0;
        if (what == 7)
            window->thread = 0;
        if (what == 8)
            window->bytes = 64;
        if (what == 9)
            window->header_bytes -= 8; /* less than version 1.0 has */
        if (what == 10)
            window->header_bytes += 8; /* over the records */
        if (what == 11)
            window->header_bytes += 4, window->records += 4;
        if (what == 12)
            window->open_call_bytes -= 8;
        if (what == 13)
            window->open_call_bytes += 4;
        if (what == 14) {
            window->open_call_bytes = 65528; /* the open calls end over the records */
            window->records += 3 * sizeof(struct ts_open_call);
            window->depth = window->open_count = 3;
        }
        uint64_t damaged = window->offset;
        trace_builder_window(builder, 2, TRACE_NS(2000));
        ((struct ts_window_header *)(void *)(trace_builder_bytes(builder, &(size_t){0}) + damaged))->flags = 0;
        if (what == 5)
            ((struct ts_window_header *)(void *)(trace_builder_bytes(builder, &(size_t){0}) + damaged))->end_bytes = 10;
        struct ts_trace *trace = opened(builder);
        cr_assert_eq(trace->window_count, 1, "%d", what);
        cr_assert_eq(trace->windows[0].thread, 2);
        cr_assert_eq(trace->damaged_windows, 1, "%d", what);
        ts_trace_close(trace);
    }
}

Test(trace_file, larger_headers_and_open_calls_of_a_newer_version_are_read) {
    static const struct {
        uint16_t header_bytes;
        uint16_t open_call_bytes;
    } sizes[] = {{256, 24}, {264, 24}, {256, 32}, {4096, 2048}};
    for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
        struct trace_builder *builder = demo();
        for (uint64_t i = 1; i < 4; i++)
            trace_builder_enter(builder, TRACE_NS(1100 + i), 0x10400 + i * 16);
        trace_builder_sizes(builder, sizes[s].header_bytes, sizes[s].open_call_bytes);
        struct ts_window_header *window = trace_builder_window(builder, 1, TRACE_NS(2000));
        uint32_t records = window->records;
        cr_assert_eq(records, sizes[s].header_bytes + 4 * sizes[s].open_call_bytes);
        trace_builder_exit(builder, TRACE_NS(2100));
        struct ts_trace *trace = opened(builder);
        struct ts_window_copy copy = {0};
        cr_assert_eq(trace->damaged_windows, 0);
        cr_assert_eq(trace->window_count, 2);
        cr_assert_eq(ts_trace_read_window(trace, &trace->windows[1], &copy), 0);
        cr_assert_eq(copy.header.open_count, 4);
        for (uint64_t i = 0; i < 4; i++) {
            cr_assert_eq(copy.open_calls[i].address, 0x10400 + i * 16, "%zu: call %d", s, (int)i);
            cr_assert_eq(copy.open_calls[i].clock, TRACE_NS(1100 + i));
            cr_assert_eq(copy.open_calls[i].site, 0);
            cr_assert_eq(copy.open_calls[i].kind, 0);
        }
        cr_assert_eq(copy.records[0], (uint32_t)TRACE_NS(2100) | TS_KIND_EXIT);
        ts_window_copy_free(&copy);
        ts_trace_close(trace);
    }
}

Test(trace_file, header_without_sequence_is_one_in_the_making) {
    struct trace_builder *builder = demo();
    trace_builder_newest_window(builder)->sequence = 0;
    struct ts_trace *trace = opened(builder);
    cr_assert_eq(trace->window_count, 0);
    cr_assert_eq(trace->damaged_windows, 0);
    ts_trace_close(trace);
}

Test(trace_file, several_windows_in_one_block) {
    struct trace_builder *builder = demo();
    struct ts_window_header *first = trace_builder_newest_window(builder);
    first->bytes = 512;
    struct ts_window_header second = *first;
    second.offset += 512;
    second.sequence = 50;
    second.thread = 9;
    second.bytes = TRACE_BLOCK_BYTES - 512;
    memcpy((char *)first + 512, &second, sizeof(second));
    struct ts_trace *trace = opened(builder);
    cr_assert_eq(trace->window_count, 2);
    cr_assert_eq(trace->windows[1].thread, 9);
    ts_trace_close(trace);
}

Test(trace_file, one_sequence_twice_is_damage) {
    struct trace_builder *builder = demo();
    trace_builder_window(builder, 1, TRACE_NS(2000))->sequence = 1;
    struct ts_trace *trace = opened(builder);
    cr_assert_eq(trace->window_count, 1);
    cr_assert_eq(trace->damaged_windows, 1);
    ts_trace_close(trace);
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

Test(trace_file, four_gib_of_holes_around_two_windows_are_not_read) {
    const uint64_t far = (UINT64_C(4) << 30) - TRACE_BLOCK_BYTES;
    struct trace_builder *builder = demo();
    struct ts_file_header *header = trace_builder_header(builder);
    header->file_bytes = UINT64_C(4) << 30;
    header->block_count = header->file_bytes / header->block_bytes;
    header->block_table_offset = 0; /* would overlap the preamble at its real size, which this test does not need */
    struct ts_window_header window = *trace_builder_newest_window(builder);
    window.offset = far;
    window.sequence = 2;
    window.thread = 2;
    trace_builder_save(builder, directory, NULL);
    trace_builder_free(builder);
    int file = open(path, O_RDWR);
    cr_assert_eq(ftruncate(file, (off_t)(UINT64_C(4) << 30)), 0);
    cr_assert_eq(pwrite(file, &window, sizeof(window), (off_t)far), (ssize_t)sizeof(window));
    close(file);

    struct ts_trace *trace;
    struct ts_error error;
    double best = 1e9;
    for (int i = 0; i < 5; i++) {
        double before = seconds();
        cr_assert_eq(ts_trace_open(&trace, path, &error), 0, "%s", error.text);
        double took = seconds() - before;
        best = took < best ? took : best;
        cr_assert_eq(trace->window_count, 2);
        cr_assert_lt(trace->data_bytes, 200000);
        ts_trace_close(trace);
    }
    cr_assert_lt(best, 0.005, "%f s", best);
}

Test(trace_file, a_window_recycled_after_the_scan_is_not_taken_for_the_old_one) {
    struct ts_trace *trace = opened(demo());
    struct ts_window_copy copy = {0};
    cr_assert_eq(ts_trace_read_window(trace, &trace->windows[0], &copy), 0);
    int file = open(path, O_RDWR);
    uint64_t sequence = 77;
    pwrite(file, &sequence, sizeof(sequence), (off_t)trace->windows[0].offset);
    close(file);
    cr_assert_eq(ts_trace_read_window(trace, &trace->windows[0], &copy), 1);
    ts_window_copy_free(&copy);
    ts_trace_close(trace);
}

Test(trace_file, a_file_cut_after_the_scan_gives_a_missing_window_and_no_signal) {
    struct ts_trace *trace = opened(demo());
    struct ts_window_copy copy = {0};
    cr_assert_eq(truncate(path, 600), 0);
    cr_assert_eq(ts_trace_read_window(trace, &trace->windows[0], &copy), 1);
    ts_window_copy_free(&copy);
    ts_trace_close(trace);
}

Test(trace_file, a_replaced_file_is_noticed) {
    struct ts_trace *trace = opened(demo());
    struct ts_error error;
    ts_trace_release(trace);
    char other[4200];
    snprintf(other, sizeof(other), "%s.new", path);
    close(open(other, O_CREAT | O_WRONLY, 0600));
    cr_assert_eq(rename(other, path), 0);
    cr_assert_eq(ts_trace_acquire(trace, &error), -1);
    cr_assert_not_null(strstr(error.text, "was replaced"));
    ts_trace_close(trace);
}

Test(trace_file, cut_behind_the_last_window_is_whole_and_inside_is_not) {
    struct trace_builder *builder = demo();
    trace_builder_window(builder, 2, TRACE_NS(2000));
    trace_builder_close_window(builder, TRACE_NS(2100));
    trace_builder_save(builder, directory, NULL);
    trace_builder_free(builder);
    struct ts_trace *trace;
    struct ts_error error;
    cr_assert_eq(truncate(path, 2 * TRACE_BLOCK_BYTES + 256), 0); /* the second window holds no record */
    cr_assert_eq(ts_trace_open(&trace, path, &error), 0);
    cr_assert_eq(trace->truncated, 0);
    cr_assert_eq(trace->window_count, 2);
    ts_trace_close(trace);
    cr_assert_eq(truncate(path, 2 * TRACE_BLOCK_BYTES), 0);
    cr_assert_eq(ts_trace_open(&trace, path, &error), 0);
    cr_assert_eq(trace->truncated, 1);
    cr_assert_eq(trace->window_count, 1);
    ts_trace_close(trace);
}
