/* Damaged files: whatever a byte of a trace says, the reader neither crashes nor hangs nor breaks the contract of the
 * replay. Best run with SAN=address,undefined. Cannot find: a wrong result that keeps the contract. */
#include "render/dump.h"
#include "render/formats.h"
#include "render/info.h"
#include "tests/unit/render/replay_text.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define STUB UINT64_C(0x520000)

static void hooked_calls(struct trace_builder *builder) {
    static const uint8_t address[8] = {2, 0, 0, 80, 127, 0, 0, 1};
    struct trace_values values = {.count = 0};
    trace_builder_descriptor(builder, 3, "socket:[1]", address, sizeof(address), address, sizeof(address));
    trace_values_word(&values, 3);
    trace_values_bytes(&values, address, sizeof(address), 0);
    trace_values_text(&values, "text\xe2");
    trace_builder_enter_values(builder, TRACE_NS(1140), STUB, &values);
    trace_builder_throw(builder, TRACE_NS(1141));
    trace_builder_enter(builder, TRACE_NS(1142), STUB);
    trace_builder_catch(builder, TRACE_NS(1143));
    values.count = 0;
    trace_values_bytes(&values, address, sizeof(address), 0);
    trace_values_word(&values, 9);
    trace_builder_result(builder, TRACE_NS(1144), 0, 5, &values);
    trace_builder_result(builder, TRACE_NS(1145), TS_RESULT_FAILED | 2, 5, &values);
}

/* Two processes, three threads, two tracks, every record that is written today. */
static struct trace_builder *rich(void) {
    struct trace_builder *builder = trace_builder_new(100);
    trace_builder_executable(builder, "/nowhere/demo", 0x10000);
    trace_builder_load(builder, TRACE_NS(5), 0x500000, 0x500000, 0x510000, 2, 0, "/nowhere/first.so");
    const struct trace_hook hook = {
        .stub = STUB,
        .target = 0x500400,
        .name = "call",
        .module = "/nowhere/first.so",
        .signature = "(fd:fd to:address n:length text:str from:address_out m:length status:status_out)=fd|-1 label=net",
        .pack = "net",
    };
    trace_builder_hook(builder, TRACE_NS(6), &hook);
    trace_builder_window(builder, 1, TRACE_NS(1000));
    trace_builder_enter(builder, TRACE_NS(1100), 0x10400);
    trace_builder_enter(builder, TRACE_NS(1110), 0x500400);
    trace_builder_switch(builder, TRACE_NS(1120), 3);
    trace_builder_enter_wide(builder, TRACE_NS(1130), 0x10500);
    trace_builder_time(builder, TRACE_NS(1135));
    hooked_calls(builder);
    trace_builder_window(builder, 2, TRACE_NS(1200));
    trace_builder_enter(builder, TRACE_NS(1210), 0x10600);
    trace_builder_unwind(builder, TRACE_NS(1220), 1, TS_UNWIND_EXCEPTION);
    trace_builder_lost(builder, TRACE_NS(1230), 3, TS_LOST_HANDLER);
    trace_builder_thread_end(builder, TRACE_NS(1240));
    trace_builder_window(builder, 1, TRACE_NS(1300));
    trace_builder_exit(builder, TRACE_NS(1310));
    trace_builder_switch(builder, TRACE_NS(1320), 0);
    trace_builder_forked_window(builder, 2, 3, 1, TRACE_NS(1400));
    trace_builder_exit(builder, TRACE_NS(1410));
    trace_builder_control_window(builder, 2, TRACE_NS(1500));
    trace_builder_process(builder, TRACE_NS(1390), 101, 100, 2, 1);
    trace_builder_unload(builder, TRACE_NS(1395), 0x500000, 2);
    trace_builder_thread_name(builder, TRACE_NS(1420), trace_builder_thread_pointer(3), "child");
    trace_builder_exec(builder, TRACE_NS(1500), 3, "/bin/true");
    trace_builder_process_end(builder, TRACE_NS(1600), 1, TS_END_EXIT, 0);
    trace_builder_metadata(builder, TS_METADATA_HOST, "host", 4);
    trace_builder_close_window(builder, TRACE_NS(1700));
    return builder;
}

static char *save(struct trace_builder *builder, uint8_t **copy, size_t *bytes) {
    char *directory = trace_builder_make_directory();
    trace_builder_save(builder, directory, NULL);
    uint8_t *data = trace_builder_bytes(builder, bytes);
    *copy = malloc(*bytes);
    memcpy(*copy, data, *bytes);
    trace_builder_free(builder);
    return directory;
}

static int open_file(const char *directory) {
    char path[4096];
    snprintf(path, sizeof(path), "%s/100.trace", directory);
    int file = open(path, O_RDWR);
    cr_assert_geq(file, 0);
    return file;
}

/* Everything that reads a session. Returns whether it opened. */
static int use(const char *directory, FILE *sink) {
    struct ts_error error;
    struct ts_session *session = ts_session_open(directory, &error);
    if (!session) {
        cr_assert_neq(error.text[0], '\0');
        cr_assert_null(strchr(error.text, '\n'));
        return 0;
    }
    ts_replay_estimate_calls(session);
    replay_checked(session);
    if (sink) {
        cr_assert_eq(ts_info_write(session, sink, &error), 0);
        cr_assert_eq(ts_dump_write(session, sink, &error), 0);
        cr_assert_eq(ts_format_tree(session, &(struct ts_format_options){.view = TS_TREE_CALLS}, sink, &error), 0);
        cr_assert_eq(ts_format_chrome(session, &(struct ts_format_options){.max_calls = 5}, sink, &error), 0);
        ts_info_write_summary(session, sink);
    }
    ts_session_close(session);
    return 1;
}

Test(hostile, a_trace_cut_at_every_byte, .timeout = 300) {
    uint8_t *data;
    size_t bytes;
    char *directory = save(rich(), &data, &bytes);
    int file = open_file(directory);
    int opened = 0;
    for (size_t length = bytes; length-- > 0;) {
        cr_assert_eq(ftruncate(file, (off_t)length), 0);
        /* Long stretches of zero at the ends of windows differ in nothing. */
        if (length > 1024 && data[length] == 0 && data[length - 1] == 0 && length % 997)
            continue;
        opened += use(directory, NULL);
    }
    cr_assert_gt(opened, 100);
    close(file);
    free(data);
    trace_builder_remove_directory(directory);
}

Test(hostile, every_bit_of_headers_and_records_flipped, .timeout = 300) {
    uint8_t *data;
    size_t bytes;
    char *directory = save(rich(), &data, &bytes);
    int file = open_file(directory);
    FILE *sink = fopen("/dev/null", "w");
    unsigned tries = 0;
    for (size_t at = 0; at < bytes; at++) {
        size_t in_window = at % TRACE_BLOCK_BYTES;
        int in_header = in_window < sizeof(struct ts_window_header) + 128 || at < sizeof(struct ts_file_header);
        if (!in_header && data[at] == 0 && data[at ^ 1] == 0 && data[at ^ 2] == 0)
            continue;
        for (unsigned bit = 0; bit < 8; bit++) {
            uint8_t flipped = data[at] ^ (uint8_t)(1u << bit);
            cr_assert_eq(pwrite(file, &flipped, 1, (off_t)at), 1);
            use(directory, tries++ % 64 ? NULL : sink);
        }
        cr_assert_eq(pwrite(file, &data[at], 1, (off_t)at), 1);
    }
    cr_assert_gt(tries, 10000);
    fclose(sink);
    close(file);
    free(data);
    trace_builder_remove_directory(directory);
}

Test(hostile, random_words_in_windows_and_preamble, .timeout = 300) {
    uint8_t *data;
    size_t bytes;
    char *directory = save(rich(), &data, &bytes);
    int file = open_file(directory);
    FILE *sink = fopen("/dev/null", "w");
    uint64_t random = 1;
    for (unsigned round = 0; round < 3000; round++) {
        uint8_t words[512];
        for (size_t i = 0; i < sizeof(words); i += 4) {
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
            uint32_t word = (uint32_t)(random >> 32);
            /* Half of them look like heads of short known records. */
            if (word & 1)
                word = TS_HEAD((word >> 8) % 44, 1 + (word >> 16) % 16) | (word >> 31 ? TS_HEAD_MUST_KNOW : 0);
            memcpy(words + i, &word, 4);
        }
        size_t window = random % (bytes / TRACE_BLOCK_BYTES);
        size_t at = window * TRACE_BLOCK_BYTES + (window ? sizeof(struct ts_window_header) : 512 + 4096);
        cr_assert_eq(pwrite(file, words, sizeof(words), (off_t)at), (ssize_t)sizeof(words));
        use(directory, round % 16 ? NULL : sink);
        cr_assert_eq(pwrite(file, data + at, sizeof(words), (off_t)at), (ssize_t)sizeof(words));
    }
    fclose(sink);
    close(file);
    free(data);
    trace_builder_remove_directory(directory);
}

static long peak_kibibytes(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

/* 36 bytes of a trace make a stack that lives until its thread's end. */
Test(hostile, a_stack_costs_no_more_than_its_calls, .timeout = 60) {
    enum { STACKS = 20000, KIBIBYTES_MOST = 4 * STACKS };
    struct trace_builder *builder = trace_builder_new_sized(100, UINT64_C(1) << 20);
    struct ts_error error;
    FILE *sink = fopen("/dev/null", "w");
    trace_builder_executable(builder, "/nowhere/demo", 0x10000);
    trace_builder_window(builder, 1, TRACE_NS(1000));
    for (uint32_t i = 1; i <= STACKS; i++) {
        trace_builder_switch(builder, TRACE_NS(1000 + 2 * i), i);
        trace_builder_enter(builder, TRACE_NS(1001 + 2 * i), 0x10400);
    }
    struct ts_session *session = replay_open(builder);
    long before = peak_kibibytes();
    cr_assert_eq(ts_format_chrome(session, &(struct ts_format_options){.max_calls = 0}, sink, &error), 0);
    cr_assert_lt(peak_kibibytes() - before, KIBIBYTES_MOST);
    replay_close(session);
    fclose(sink);
}

Test(hostile, depth_of_2_to_the_60_costs_nothing, .timeout = 20) {
    struct trace_builder *builder = trace_builder_new(100);
    trace_builder_executable(builder, "/nowhere/demo", 0x10000);
    struct ts_window_header *window = trace_builder_window(builder, 1, TRACE_NS(1000));
    window->depth = UINT64_C(1) << 60;
    window->lowest_depth = UINT64_MAX;
    window->previous = 77;
    trace_builder_exit(builder, TRACE_NS(1100));
    trace_builder_unwind(builder, TRACE_NS(1200), UINT32_MAX, 0);
    char *text = replay_of(builder);
    cr_assert_str_eq(text, "[1/0] outer=1152921504606846976 [1/0]$");
    free(text);
}
