/* What becomes of the output directory. Cannot find: two runs that begin at the same moment. */
#include "collector/clock.h"
#include "collector/trace_format.h"
#include "preload/output_directory.h"
#include "tests/unit/recorder/scene.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

TestSuite(output_directory, .init = scene_make_directory, .fini = scene_end);

static const uint8_t my_id[16] = {1, 2, 3}, other_id[16] = {4, 5, 6};
static char path[4096], reason[256], note[8400];

/* Prepares `name` in the scratch directory; `path` is what came of it. */
static enum ts_output_outcome prepare(const char *name, int is_pattern) {
    struct ts_text path_text = TS_TEXT_IN(path), reason_text = TS_TEXT_IN(reason), note_text = TS_TEXT_IN(note);
    path[0] = reason[0] = note[0] = 0;
    ts_text_add(&path_text, scene_path(name));
    return ts_output_directory_prepare(&path_text, is_pattern, my_id, &reason_text, &note_text);
}

static int is_directory(const char *name) {
    struct stat status;
    return stat(scene_path(name), &status) == 0 && S_ISDIR(status.st_mode);
}

static int exists(const char *name) {
    return access(scene_path(name), F_OK) == 0;
}

static void make(const char *name) {
    cr_assert_eq(mkdir(scene_path(name), 0755), 0);
}

/* A trace in `name` of the process `pid`, which began at `start_ns` of CLOCK_MONOTONIC. */
static void save_trace(const char *name, uint32_t pid, uint64_t start_ns, const uint8_t *trace_id) {
    struct ts_file_header header = {.magic = TS_TRACE_MAGIC, .pid = pid};
    header.start.monotonic_ns = start_ns;
    memcpy(header.trace_id, trace_id, sizeof header.trace_id);
    scene_write_file(name, &header, sizeof header);
}

static uint64_t now(void) {
    return ts_system_nanoseconds(CLOCK_MONOTONIC);
}

static uint32_t dead_pid(void) {
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    cr_assert_eq(waitpid(child, NULL, 0), child);
    return (uint32_t)child;
}

Test(output_directory, absent_is_made_with_its_parents) {
    cr_assert_eq(prepare("a/b/c", 0), TS_OUTPUT_MADE);
    cr_assert(is_directory("a/b/c"));
    cr_assert_str_eq(note, "");
    cr_assert_str_eq(path, scene_path("a/b/c"));
    ts_output_directory_remove(path);
    cr_assert(!exists("a/b/c") && exists("a/b"));
}

Test(output_directory, empty_is_taken) {
    make("out");
    cr_assert_eq(prepare("out", 0), TS_OUTPUT_MADE);
    cr_assert_eq(prepare("out", 1), TS_OUTPUT_MADE);
    cr_assert_str_eq(path, scene_path("out"));
}

Test(output_directory, an_umask_does_not_shut_us_out) {
    umask(0777);
    cr_assert_eq(prepare("a/b", 0), TS_OUTPUT_MADE, "%s", reason);
    umask(022);
    struct stat status;
    cr_assert_eq(stat(scene_path("a"), &status), 0);
    cr_assert_eq(status.st_mode & 0777, 0700);
}

Test(output_directory, a_run_that_goes_on_is_joined) {
    make("out");
    save_trace("out/1.trace", (uint32_t)getpid(), now(), other_id);
    cr_assert_eq(prepare("out", 0), TS_OUTPUT_SHARED);
    cr_assert_eq(prepare("out", 1), TS_OUTPUT_SHARED, "also where the name is a pattern's");
    cr_assert(exists("out/1.trace"));
}

Test(output_directory, ranks_of_one_job_join_even_when_the_first_has_ended) {
    make("out");
    save_trace("out/1.trace", dead_pid(), now(), my_id);
    cr_assert_eq(prepare("out", 0), TS_OUTPUT_JOINED);
}

Test(output_directory, a_finished_run_is_set_aside_and_the_one_before_it_goes) {
    make("out");
    save_trace("out/1.trace", dead_pid(), now(), other_id);
    scene_write_file("out/tree.txt", "x", 1);
    scene_write_file("out/trace.json", "x", 1);
    make("out.old");
    save_trace("out.old/2.trace", dead_pid(), now(), other_id);
    scene_write_file("out.old/report.txt", "x", 1);
    cr_assert_eq(prepare("out", 0), TS_OUTPUT_MADE, "%s", reason);
    cr_assert_not_null(strstr(note, "is now in "), "%s", note);
    cr_assert_not_null(strstr(note, scene_path("out.old")));
    cr_assert(is_directory("out") && !exists("out/1.trace") && !exists("out/tree.txt"));
    cr_assert(exists("out.old/1.trace") && exists("out.old/tree.txt") && exists("out.old/trace.json"));
    cr_assert(!exists("out.old/2.trace") && !exists("out.old/report.txt"));
}

Test(output_directory, what_is_not_ours_in_old_is_not_lost) {
    make("out");
    save_trace("out/1.trace", dead_pid(), now(), other_id);
    make("out.old");
    scene_write_file("out.old/thesis.tex", "x", 1);
    cr_assert_eq(prepare("out", 0), TS_OUTPUT_FAILED);
    cr_assert_gt(strlen(reason), 0);
    cr_assert(exists("out.old/thesis.tex") && exists("out/1.trace"));
}

Test(output_directory, a_pattern_counts_on) {
    make("out");
    save_trace("out/1.trace", dead_pid(), now(), other_id);
    cr_assert_eq(prepare("out", 1), TS_OUTPUT_MADE);
    cr_assert_str_eq(path, scene_path("out-2"));
    save_trace("out-2/1.trace", dead_pid(), now(), other_id);
    cr_assert_eq(prepare("out", 1), TS_OUTPUT_MADE);
    cr_assert_str_eq(path, scene_path("out-3"));
    save_trace("out-3/1.trace", (uint32_t)getpid(), now(), other_id);
    cr_assert_eq(prepare("out", 1), TS_OUTPUT_SHARED);
    cr_assert_str_eq(path, scene_path("out-3"));
    cr_assert(exists("out/1.trace") && !exists("out.old"));
}

/* The pid of a finished run serves another process now, which began later. */
Test(output_directory, a_pid_that_was_given_again_is_no_running_run) {
    make("out");
    save_trace("out/1.trace", (uint32_t)getpid(), 1, other_id);
    cr_assert_eq(prepare("out", 0), TS_OUTPUT_MADE);
    cr_assert(exists("out.old/1.trace"));
}

static void expect_refused(const char *name, const char *why) {
    cr_assert_eq(prepare(name, 0), TS_OUTPUT_FAILED, "%s is taken", name);
    cr_assert_not_null(strstr(reason, why), "%s: %s", name, reason);
    cr_assert_eq(prepare(name, 1), TS_OUTPUT_FAILED, "%s is taken", name);
}

Test(output_directory, what_is_not_ours_is_refused) {
    make("a");
    scene_write_file("a/notes", "x", 1);
    expect_refused("a", "not a trace");
    cr_assert(exists("a/notes"));
    make("b");
    save_trace("b/1.trace", dead_pid(), now(), other_id);
    scene_write_file("b/notes", "x", 1);
    expect_refused("b", "not a trace");
    make("c");
    scene_write_file("c/tree.txt", "a tree of my own", 16);
    expect_refused("c", "not a trace");
    make("d");
    scene_write_file("d/1.trace", "of another program, longer than a header would have to be", 56);
    expect_refused("d", "not a trace");
    make("e");
    make("e/sub");
    expect_refused("e", "not a trace");
    scene_write_file("f", "x", 1);
    cr_assert_eq(prepare("f", 0), TS_OUTPUT_FAILED);
    cr_assert_eq(prepare("f/g", 0), TS_OUTPUT_FAILED);
    cr_assert_not_null(strstr(reason, "no directory"), "%s", reason);
}

/* A file of ours that is being made: its header is not written yet. */
Test(output_directory, an_empty_trace_is_not_foreign) {
    make("out");
    scene_write_file("out/1.trace", "", 0);
    save_trace("out/2.trace", (uint32_t)getpid(), now(), other_id);
    cr_assert_eq(prepare("out", 0), TS_OUTPUT_SHARED, "%s", reason);
}

Test(output_directory, a_place_that_is_not_writable) {
    if (getuid() == 0) {
        struct ts_text path_text = TS_TEXT_IN(path), reason_text = TS_TEXT_IN(reason), note_text = TS_TEXT_IN(note);
        ts_text_add(&path_text, "/proc/self/traceshim");
        cr_assert_eq(ts_output_directory_prepare(&path_text, 0, my_id, &reason_text, &note_text), TS_OUTPUT_FAILED);
        cr_assert_gt(strlen(reason), 0);
        return;
    }
    make("shut");
    cr_assert_eq(chmod(scene_path("shut"), 0500), 0);
    cr_assert_eq(prepare("shut/out", 0), TS_OUTPUT_FAILED);
    cr_assert_str_eq(reason, "it is not writable");
}

Test(output_directory, a_name_that_is_too_long) {
    char name[4096];
    memset(name, 'x', 300);
    name[300] = 0;
    cr_assert_eq(prepare(name, 0), TS_OUTPUT_FAILED);
    cr_assert_str_eq(reason, "its name is too long");
}
