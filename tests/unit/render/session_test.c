/* A directory into processes, threads and streams. Cannot find: names that the recorder never wrote. */
#include "tests/unit/render/replay_text.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *directory;

static void setup(void) {
    directory = trace_builder_make_directory();
}

static void teardown(void) {
    trace_builder_remove_directory(directory);
}

TestSuite(session, .init = setup, .fini = teardown);

static void save_demo(uint32_t pid, uint64_t start_ns, const char *executable, const char *file) {
    struct trace_builder *builder = trace_builder_new(pid);
    trace_builder_header(builder)->start.clock = TRACE_NS(start_ns);
    trace_builder_header(builder)->start.monotonic_ns = start_ns;
    trace_builder_executable(builder, executable, 0x10000);
    trace_builder_window(builder, 1, TRACE_NS(start_ns + 100));
    trace_builder_enter(builder, TRACE_NS(start_ns + 200), 0x10400);
    trace_builder_exit(builder, TRACE_NS(start_ns + 300));
    trace_builder_save(builder, directory, file);
    trace_builder_free(builder);
}

static struct ts_session *open_session(const char *path) {
    struct ts_error error;
    struct ts_session *session = ts_session_open(path, &error);
    cr_assert_not_null(session, "%s", session ? "" : error.text);
    return session;
}

static void write_file(const char *name, const char *text) {
    char path[4096];
    snprintf(path, sizeof(path), "%s/%s", directory, name);
    FILE *file = fopen(path, "w");
    fputs(text, file);
    fclose(file);
}

Test(session, processes_by_start_time) {
    save_demo(200, 5000, "/usr/bin/second", NULL);
    save_demo(300, 1000, "/usr/bin/first", NULL);
    struct ts_session *session = open_session(directory);
    cr_assert_eq(session->trace_count, 2);
    cr_assert_eq(session->process_count, 2);
    cr_assert_str_eq(session->processes[0]->name, "first");
    cr_assert_str_eq(session->processes[1]->name, "second");
    cr_assert_str_eq(session->processes[1]->command, "/usr/bin/second");
    cr_assert_eq(session->processes[0]->start_ns, 1000);
    cr_assert_eq(session->processes[0]->end_ns, 1300);
    cr_assert_eq(session->processes[0]->mpi_rank, -1);
    cr_assert_eq(session->warning_count, 0);
    ts_session_close(session);
}

Test(session, one_trace_file_instead_of_a_directory) {
    save_demo(200, 5000, "/usr/bin/demo", NULL);
    save_demo(201, 5000, "/usr/bin/other", NULL);
    char path[4096];
    snprintf(path, sizeof(path), "%s/200.trace", directory);
    struct ts_session *session = open_session(path);
    cr_assert_eq(session->process_count, 1);
    cr_assert_str_eq(session->processes[0]->name, "demo");
    ts_session_close(session);
}

Test(session, only_names_that_end_in_trace_are_read) {
    save_demo(200, 5000, "/usr/bin/demo", NULL);
    write_file("tree.txt", "text");
    write_file(".trace", "text");
    write_file("1.trace.tmp", "text");
    struct ts_session *session = open_session(directory);
    cr_assert_eq(session->trace_count, 1);
    cr_assert_eq(session->warning_count, 0);
    ts_session_close(session);
}

/* Directories in the test's own, each with a trace. */
static void save_below(const char *const *names, size_t count) {
    char path[4096];
    for (size_t i = 0; i < count; i++) {
        snprintf(path, sizeof(path), "%s/%s", directory, names[i]);
        cr_assert_eq(mkdir(path, 0700), 0);
        snprintf(path, sizeof(path), "%s/7.trace", names[i]);
        save_demo(7 + (uint32_t)i, 1000 * (i + 1), "/usr/bin/demo", path);
    }
}

static void remove_below(const char *const *names, size_t count) {
    char path[4096];
    for (size_t i = 0; i < count; i++) {
        snprintf(path, sizeof(path), "%s/%s/7.trace", directory, names[i]);
        unlink(path);
        snprintf(path, sizeof(path), "%s/%s", directory, names[i]);
        rmdir(path);
    }
}

Test(session, a_directory_of_sessions_is_shown_together) {
    static const char *const names[] = {"100", "200", "200.old", ".hidden"};
    save_below(names, 4);
    write_file("notes", "no trace");
    struct ts_session *session = open_session(directory);
    cr_expect_eq(session->trace_count, 2);
    cr_expect_eq(session->process_count, 2);
    cr_assert_eq(session->warning_count, 1);
    cr_expect(strstr(session->warnings[0], "what the 2 directories in it hold, together"), "%s", session->warnings[0]);
    ts_session_close(session);
    remove_below(names, 4);
}

Test(session, traces_of_its_own_leave_out_those_below) {
    static const char *const names[] = {"100"};
    save_below(names, 1);
    save_demo(300, 1000, "/usr/bin/own", NULL);
    struct ts_session *session = open_session(directory);
    cr_expect_eq(session->trace_count, 1);
    cr_expect_eq(session->warning_count, 0);
    cr_expect_str_eq(session->processes[0]->name, "own");
    ts_session_close(session);
    remove_below(names, 1);
}

Test(session, directory_without_traces_opens_with_a_reason) {
    struct ts_session *session = open_session(directory);
    cr_assert_eq(session->process_count, 0);
    cr_assert(replay_warns(session, "holds no trace"));
    cr_assert_eq(replay_checked(session), 0);
    ts_session_close(session);
}

Test(session, without_a_call_it_tells_whether_anything_is_instrumented) {
    struct trace_builder *builder = trace_builder_new(100);
    trace_builder_load(builder, 0, 0x10000, 0x10000, 0x20000, 1, TS_LOAD_EXECUTABLE, "/usr/bin/plain");
    trace_builder_save(builder, directory, NULL);
    trace_builder_free(builder);
    struct ts_session *session = open_session(directory);
    cr_assert_eq(session->warning_count, 1);
    cr_assert(replay_warns(session, "compiled with -finstrument-functions"));
    ts_session_close(session);

    builder = trace_builder_new(101);
    trace_builder_executable(builder, "/usr/bin/demo", 0x10000);
    trace_builder_control_window(builder, 1, TRACE_NS(1000)); /* no window of calls */
    trace_builder_save(builder, directory, NULL);
    trace_builder_free(builder);
    session = open_session(directory);
    cr_assert_eq(session->warning_count, 1, "one reason for all traces together");
    cr_assert(replay_warns(session, "no instrumented function was called that TRACE_FUNCTIONS selects"));
    ts_session_close(session);
}

Test(session, path_that_is_not_there_is_an_error) {
    struct ts_error error;
    cr_assert_null(ts_session_open("/nowhere/at/all", &error));
    cr_assert_not_null(strstr(error.text, "cannot open /nowhere/at/all: No such file"));
}

Test(session, a_file_that_cannot_be_read_is_left_out_with_a_warning) {
    save_demo(200, 5000, "/usr/bin/demo", NULL);
    write_file("300.trace", "this is no trace, and long enough to be taken for one");
    struct ts_session *session = open_session(directory);
    cr_assert_eq(session->process_count, 1);
    cr_assert(replay_warns(session, "300.trace is not a traceshim trace"));
    ts_session_close(session);
}

Test(session, every_trace_refused_is_an_error) {
    struct ts_error error;
    write_file("300.trace", "this is no trace, and long enough to be taken for one");
    cr_assert_null(ts_session_open(directory, &error));
    cr_assert_not_null(strstr(error.text, "300.trace is not a traceshim trace"));
}

Test(session, process_killed_during_start_up_is_a_warning) {
    struct trace_builder *builder = trace_builder_new(100);
    trace_builder_executable(builder, "/usr/bin/demo", 0x10000);
    struct ts_file_header *header = trace_builder_header(builder);
    memset((char *)header + header->preamble_offset, 0, header->preamble_bytes);
    trace_builder_save(builder, directory, NULL);
    trace_builder_free(builder);
    write_file("101.trace", "");
    struct ts_session *session = open_session(directory);
    cr_assert_eq(session->process_count, 1);
    cr_assert_str_eq(session->processes[0]->name, "process 100");
    cr_assert(replay_warns(session, "100.trace: its process ended during start-up"));
    cr_assert(replay_warns(session, "101.trace is empty"));
    ts_session_close(session);
}

Test(session, thread_names_follow_the_thread_pointer_through_its_reuse) {
    struct trace_builder *builder = trace_builder_new(100);
    uint64_t pointer = trace_builder_thread_pointer(2);
    trace_builder_executable(builder, "/usr/bin/demo", 0x10000);
    trace_builder_control_window(builder, 1, TRACE_NS(10));
    trace_builder_thread_name(builder, TRACE_NS(1050), pointer, "old");
    trace_builder_thread_name(builder, TRACE_NS(1100), pointer, "first");
    trace_builder_thread_name(builder, TRACE_NS(1900), pointer, "second");
    trace_builder_thread_name(builder, TRACE_NS(2900), pointer, "last");
    trace_builder_thread_name(builder, TRACE_NS(1900), trace_builder_thread_pointer(9), "nobody");
    trace_builder_window(builder, 1, TRACE_NS(900));
    trace_builder_window(builder, 2, TRACE_NS(1000));
    trace_builder_thread_end(builder, TRACE_NS(1500));
    trace_builder_window(builder, 3, TRACE_NS(2000))->thread_pointer = pointer;
    trace_builder_enter(builder, TRACE_NS(2100), 0x10400);
    trace_builder_save(builder, directory, NULL);
    trace_builder_free(builder);
    struct ts_session *session = open_session(directory);
    cr_assert_eq(session->stream_count, 3);
    cr_assert_str_eq(session->streams[0]->name, "");
    cr_assert_str_eq(session->streams[1]->name, "first");
    cr_assert_str_eq(session->streams[2]->name, "last");
    ts_session_close(session);
}

Test(session, name_given_after_the_thread_ended_belongs_to_nobody) {
    struct trace_builder *builder = trace_builder_new(100);
    trace_builder_executable(builder, "/usr/bin/demo", 0x10000);
    trace_builder_control_window(builder, 1, TRACE_NS(10));
    trace_builder_thread_name(builder, TRACE_NS(1100), trace_builder_thread_pointer(1), "mine");
    trace_builder_thread_name(builder, TRACE_NS(1900), trace_builder_thread_pointer(1), "next");
    trace_builder_window(builder, 1, TRACE_NS(1000));
    trace_builder_thread_end(builder, TRACE_NS(1500));
    trace_builder_save(builder, directory, NULL);
    trace_builder_free(builder);
    struct ts_session *session = open_session(directory);
    cr_assert_str_eq(session->streams[0]->name, "mine");
    ts_session_close(session);
}

Test(session, forked_child_takes_process_and_thread_name_from_its_parent) {
    struct trace_builder *builder = trace_builder_new(100);
    trace_builder_executable(builder, "/usr/bin/demo", 0x10000);
    trace_builder_metadata(builder, TS_METADATA_RANK, "3", 1);
    trace_builder_metadata(builder, TS_METADATA_SIZE, "8", 1);
    trace_builder_control_window(builder, 1, TRACE_NS(10));
    trace_builder_thread_name(builder, TRACE_NS(1100), trace_builder_thread_pointer(1), "worker");
    trace_builder_window(builder, 1, TRACE_NS(1000));
    trace_builder_control_window(builder, 2, TRACE_NS(1200));
    trace_builder_process(builder, TRACE_NS(1200), 101, 100, 2, 1);
    trace_builder_forked_window(builder, 2, 2, 1, TRACE_NS(1300))->thread_pointer = trace_builder_thread_pointer(1);
    trace_builder_save(builder, directory, NULL);
    trace_builder_free(builder);
    struct ts_session *session = open_session(directory);
    cr_assert_eq(session->process_count, 2);
    cr_assert_str_eq(session->processes[1]->name, "demo");
    cr_assert_eq(session->processes[1]->mpi_rank, 3);
    cr_assert_eq(session->processes[1]->mpi_size, 8);
    cr_assert_eq(session->processes[1]->start_ns, 1200);
    cr_assert_str_eq(session->streams[1]->name, "worker");
    ts_session_close(session);
}

/* A child that forked while two calls were open and wrote no control record. */
static struct ts_window_header *child_without_records(struct trace_builder *builder, uint32_t parent_process) {
    trace_builder_executable(builder, "/usr/bin/demo", 0x10000);
    trace_builder_metadata(builder, TS_METADATA_RANK, "3", 1);
    trace_builder_window(builder, 1, TRACE_NS(1000));
    trace_builder_enter(builder, TRACE_NS(1100), 0x10400);
    struct ts_window_header *window = trace_builder_forked_window(builder, 2, 2, 1, TRACE_NS(1300));
    window->process_start = TRACE_NS(1200);
    window->parent_process = parent_process;
    window->parent_pid = 100;
    trace_builder_enter(builder, TRACE_NS(1400), 0x10500);
    trace_builder_exit(builder, TRACE_NS(1500));
    return window;
}

static struct ts_session *save_and_open(struct trace_builder *builder) {
    trace_builder_save(builder, directory, NULL);
    trace_builder_free(builder);
    return open_session(directory);
}

Test(session, forked_child_is_introduced_by_its_first_window) {
    struct trace_builder *builder = trace_builder_new(100);
    child_without_records(builder, 1);
    struct ts_session *session = save_and_open(builder);
    cr_assert_eq(session->process_count, 2);
    const struct ts_process *child = session->processes[1];
    cr_assert_str_eq(child->name, "demo");
    cr_assert_eq(child->pid, 101);
    cr_assert_eq(child->parent_pid, 100);
    cr_assert_eq(child->mpi_rank, 3);
    cr_assert_eq(child->start_ns, 1200);
    cr_assert_eq(child->end_reason, TS_END_NOT_SEEN);
    char *text = replay_text(session);
    cr_assert_str_eq(text, "[1/0] 0x400@1100 )@1101? [1/0]$ [2/0] 0x400@1200i 0x500@1400 )@1500 )@1501? [2/0]$");
    free(text);
    ts_session_close(session);
}

/* Small windows lie close to each other: what follows in the file is another one's header, no record. */
Test(session, what_lies_behind_a_window_tells_nothing_of_when_its_thread_began) {
    struct trace_builder *builder = trace_builder_new(100);
    trace_builder_executable(builder, "/usr/bin/demo", 0x10000);
    struct ts_record_result result = {.error = 0};
    trace_builder_split(&result.clock, TRACE_NS(5000));
    struct ts_window_header *window = trace_builder_window(builder, 1, TRACE_NS(5000));
    uint32_t bytes = window->records + 512;
    trace_builder_record(builder, TS_RECORD_RESULT, &result, sizeof result, NULL, 0);
    for (uint32_t words = sizeof result / sizeof(uint32_t); words < 512 / sizeof(uint32_t); words++)
        trace_builder_word(builder, 0);
    trace_builder_word(builder, TS_KIND_EXIT | (uint32_t)TRACE_NS(200));
    window = trace_builder_newest_window(builder);
    window->bytes = bytes;
    trace_builder_save(builder, directory, NULL);
    trace_builder_free(builder);
    struct ts_session *session = open_session(directory);
    cr_expect_eq(session->streams[0]->start_ns, 5000, "%zu", (size_t)session->streams[0]->start_ns);
    ts_session_close(session);
}

Test(session, parent_that_does_not_exist_or_comes_later_is_no_parent) {
    for (uint32_t parent = 2; parent < 9; parent += 5) {
        struct trace_builder *builder = trace_builder_new(100);
        child_without_records(builder, parent);
        struct ts_session *session = save_and_open(builder);
        cr_assert_eq(session->process_count, 2);
        cr_assert_eq(session->processes[1]->pid, 101);
        cr_assert_eq(session->processes[1]->mpi_rank, -1, "facts of nobody were inherited");
        replay_checked(session);
        ts_session_close(session);
    }
}

Test(session, end_of_the_process_is_told_by_the_window_of_the_thread_that_ended_it) {
    struct trace_builder *builder = trace_builder_new(100);
    struct ts_window_header *window = child_without_records(builder, 1);
    window->process_end_reason = TS_END_IMMEDIATE;
    window->process_end_status = 7;
    window->process_end_clock = TRACE_NS(1800);
    trace_builder_window_of(builder, 2, 3, TRACE_NS(1350)); /* another thread of the child, which did not */
    struct ts_session *session = save_and_open(builder);
    const struct ts_process *child = session->processes[1];
    cr_assert_eq(child->end_reason, TS_END_IMMEDIATE);
    cr_assert_eq(child->end_status, 7);
    cr_assert_eq(child->end_ns, 1800);
    cr_assert_eq(session->processes[0]->end_reason, TS_END_NOT_SEEN);
    ts_session_close(session);
}

static const struct ts_process *only_process(struct trace_builder *builder, struct ts_session **session) {
    trace_builder_save(builder, directory, NULL);
    trace_builder_free(builder);
    *session = open_session(directory);
    cr_assert_eq((*session)->process_count, 1);
    return (*session)->processes[0];
}

Test(session, exec_that_succeeded_ends_the_process) {
    struct trace_builder *builder = trace_builder_new(100);
    struct ts_session *session;
    trace_builder_window(builder, 1, TRACE_NS(1000));
    trace_builder_enter(builder, TRACE_NS(1100), 0x10400);
    trace_builder_control_window(builder, 1, TRACE_NS(1150));
    trace_builder_exec(builder, TRACE_NS(1200), 1, "/bin/true");
    const struct ts_process *process = only_process(builder, &session);
    cr_assert_eq(process->end_reason, TS_END_EXEC);
    cr_assert_eq(process->end_ns, 1200);
    ts_session_close(session);
}

Test(session, exec_that_failed_does_not) {
    struct trace_builder *builder = trace_builder_new(100);
    struct ts_session *session;
    trace_builder_control_window(builder, 1, TRACE_NS(1050));
    trace_builder_exec(builder, TRACE_NS(1200), 1, "/bin/nothing");
    trace_builder_window(builder, 1, TRACE_NS(1000));
    trace_builder_enter(builder, TRACE_NS(1300), 0x10400);
    const struct ts_process *process = only_process(builder, &session);
    cr_assert_eq(process->end_reason, TS_END_NOT_SEEN);
    cr_assert_eq(process->end_ns, 1300);
    ts_session_close(session);
}

Test(session, end_of_the_process_is_told) {
    struct trace_builder *builder = trace_builder_new(100);
    struct ts_session *session;
    trace_builder_window(builder, 1, TRACE_NS(1000));
    trace_builder_control_window(builder, 1, TRACE_NS(1050));
    trace_builder_process_end(builder, TRACE_NS(9000), 1, TS_END_SIGNAL, 11);
    const struct ts_process *process = only_process(builder, &session);
    cr_assert_eq(process->end_reason, TS_END_SIGNAL);
    cr_assert_eq(process->end_status, 11);
    cr_assert_eq(process->end_ns, 9000);
    cr_assert_eq(process->realtime_offset_ns, INT64_C(1700000000000000000));
    cr_assert_eq(session->streams[0]->end_ns, 9000);
    ts_session_close(session);
}

Test(session, hundreds_of_files_need_few_descriptors) {
    for (uint32_t i = 0; i < 300; i++)
        save_demo(1000 + i, 1000 + i, "/usr/bin/demo", NULL);
    struct ts_session *session = open_session(directory);
    cr_assert_eq(session->process_count, 300);
    int free_descriptor = open("/dev/null", O_RDONLY);
    cr_assert_lt(free_descriptor, 64);
    close(free_descriptor);
    cr_assert_eq(replay_checked(session), 600);
    ts_session_close(session);
}

/* Each process of a file has a copy, and outputs write it for each. */
Test(session, long_texts_that_every_process_has_are_cut) {
    enum { LONG = 200000 };
    struct trace_builder *builder = trace_builder_new_sized(100, UINT64_C(1) << 20);
    char *text = malloc(LONG);
    memset(text, 'x', LONG);
    memcpy(text + 4094, "€", strlen("€"));
    text[4000] = '\0';
    trace_builder_metadata(builder, TS_METADATA_COMMAND_LINE, text, LONG);
    text[4000] = 'x';
    trace_builder_metadata(builder, TS_METADATA_EXECUTABLE, text, LONG);
    trace_builder_executable(builder, "/demo", 0x10000);
    trace_builder_thread_name(builder, TRACE_NS(50), trace_builder_thread_pointer(1), "short");
    trace_builder_window(builder, 1, TRACE_NS(100));
    trace_builder_save(builder, directory, NULL);
    trace_builder_free(builder);

    struct ts_session *session = open_session(directory);
    const struct ts_process *process = session->processes[0];
    cr_assert_eq(strlen(process->command), 4094 + strlen("…"), "to the end of a character");
    cr_assert_eq(process->command[4000], ' ');
    cr_assert_str_eq(process->command + 4094, "…");
    cr_assert_eq(strlen(process->name), 255 + strlen("…"));
    cr_assert_str_eq(session->streams[0]->name, "short");
    ts_session_close(session);
    free(text);
}
