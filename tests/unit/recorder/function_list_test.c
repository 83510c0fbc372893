/*
 * The names are asked for, in a process that the program cannot notice: the renderer here is a script that a test
 * writes. Cannot find: what the real one answers (tests/e2e/250-...).
 */
#include "preload/function_list.h"
#include "preload/renderer.h"
#include "tests/unit/recorder/scene.h"
#include "tests/unit/recorder/thread_sanitizer.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if !UNDER_THREAD_SANITIZER /* it does not know of the processes that are made here */

TestSuite(function_list, .init = scene_make_directory, .fini = scene_end, .timeout = 30);

static struct ts_module module_at(const char *name) {
    struct ts_module module = {.identity = 1, .path = strdup(scene_path(name))};
    module.object.low = 0x10000;
    module.object.high = 0x20000;
    return module;
}

/* `script` behind the first line of a shell's script; what it writes to $D/... is there afterwards. */
static void renderer_is(const char *script, uint64_t timeout) {
    char text[4096], library[4096];
    int bytes = snprintf(text, sizeof text, "#!/bin/sh\nD=%s\n%s\n", scene_directory(), script);
    scene_write_file("traceshim", text, (size_t)bytes);
    chmod(scene_path("traceshim"), 0700);
    snprintf(library, sizeof library, "%s/libtraceshim.so", scene_directory());
    ts_renderer_find(library);
    cr_assert_str_eq(ts_renderer_path(), scene_path("traceshim"));
    ts_function_list_begin(timeout);
}

static const struct ts_function_list *list(void) {
    struct ts_module module = module_at("module");
    return ts_function_list_of(&module, "TRACE_FUNCTIONS", "a*,-b");
}

static const char *text_of(const char *name) {
    static char text[4096];
    FILE *file = fopen(scene_path(name), "r");
    text[file ? fread(text, 1, sizeof text - 1, file) : 0] = '\0';
    if (file)
        fclose(file);
    return text;
}

static unsigned descriptors(void) {
    unsigned count = 0;
    DIR *directory = opendir("/proc/self/fd");
    while (directory && readdir(directory))
        count++;
    closedir(directory);
    return count;
}

#define ANSWER "echo '+0000000000001000 a'; echo '-0000000000002000 b'"

Test(function_list, the_answer_is_kept_and_the_question_is_whole) {
    renderer_is("for i; do echo \"$i\"; done >>$D/asked; " ANSWER, 5);
    const struct ts_function_list *first = list();
    cr_assert_not_null(first);
    cr_assert_eq(first->count, 2);
    cr_assert_eq(first->functions[0], 0x1000 << 1 | 1);
    cr_assert_eq(first->functions[1], 0x2000 << 1);
    char wanted[4096];
    snprintf(wanted, sizeof wanted,
             "functions\n--all\n--shim-version=" TRACESHIM_VERSION "\n--functions\na*,-b\n--build-id=\n--\n%s/module\n",
             scene_directory());
    cr_assert_str_eq(text_of("asked"), wanted);
    cr_assert_eq(list(), first, "it is asked once");
    cr_assert_str_eq(text_of("asked"), wanted);

    scene_write_file("module", "another file", 12);
    cr_assert_neq(list(), first, "the file is another one");
}

Test(function_list, a_build_id_is_told) {
    static const uint8_t id[] = {0x00, 0x1f, 0xa0};
    renderer_is("echo $6 >$D/asked; " ANSWER, 5);
    struct ts_module module = module_at("module");
    module.object.build_id = id;
    module.object.build_id_bytes = sizeof id;
    cr_assert_not_null(ts_function_list_of(&module, "TRACE_FUNCTIONS", "a*,-b"));
    cr_assert_str_eq(text_of("asked"), "--build-id=001fa0\n");
}

static int signals;

static void count_signal(int signal) {
    (void)signal;
    signals++;
}

Test(function_list, the_program_does_not_notice) {
    renderer_is(
        "readlink /proc/self/fd/0 >$D/input; ls /proc/self/fd | wc -l >$D/open; echo \"$LD_PRELOAD\" >$D/preload; "
        "cat; " ANSWER,
        5);
    int data[2];
    cr_assert_eq(pipe(data), 0);
    cr_assert_eq(dup2(data[0], 0), 0);
    cr_assert_eq(write(data[1], "data", 4), 4);
    setenv("LD_PRELOAD", "", 1);
    unsigned before = descriptors();
    signal(SIGCHLD, count_signal);
    cr_assert_not_null(list());
    cr_assert_eq(signals, 0);
    cr_assert_eq(waitpid(-1, NULL, 0), -1);
    cr_assert_eq(errno, ECHILD);
    cr_assert_eq(descriptors(), before);
    char input[8] = "";
    cr_assert_eq(read(0, input, sizeof input), 4, "it is the program's");
    cr_assert_str_eq(input, "data");
    cr_assert_str_eq(text_of("input"), "/dev/null\n");
    cr_assert_leq(atoi(text_of("open")), 4, "0, 1, 2 and what ls opens");
}

Test(function_list, a_program_that_ignores_its_children) {
    renderer_is("exit 1", 5);
    signal(SIGCHLD, SIG_IGN);
    const struct ts_function_list *answer = list();
    cr_assert_not_null(answer, "the status says that there are no names");
    cr_assert_eq(answer->count, 0);
}

Test(function_list, without_descriptors) {
    struct rlimit before, none;
    renderer_is(ANSWER, 5);
    cr_assert_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = before;
    none.rlim_cur = 0;
    cr_assert_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
    const struct ts_function_list *answer = list();
    setrlimit(RLIMIT_NOFILE, &before); /* a test that ends needs some */
    cr_assert(answer && answer->count == 2);
}

Test(function_list, closed_standard_descriptors) {
    renderer_is(ANSWER, 5);
    int kept = dup(2);
    close(0);
    close(1);
    close(2);
    const struct ts_function_list *answer = list();
    int used = dup(kept);
    dup2(kept, 2);
    cr_assert(answer && answer->count == 2);
    cr_assert_eq(used, 0, "all three are free");
}

Test(function_list, much_is_read) {
    renderer_is("printf '+%016x a very long name of a function, as C++ has them\\n' $(seq 4096)", 20);
    const struct ts_function_list *answer = list();
    cr_assert(answer && answer->count == 4096);
}

/* Each script, and whether there is an answer: an empty one then. */
static void expect_no_answer(const char *script) {
    renderer_is(script, 1);
    cr_assert_null(list(), "%s", script);
    renderer_is(ANSWER, 5);
    cr_assert_null(list(), "no second try");
}

Test(function_list, a_wrong_answer) {
    expect_no_answer("echo nonsense");
}

Test(function_list, half_an_answer) {
    expect_no_answer("printf '+0000000000001000 a\\n-00000'");
}

Test(function_list, an_answer_and_a_bad_end) {
    expect_no_answer(ANSWER "; kill -9 $$");
}

Test(function_list, another_version) {
    expect_no_answer(ANSWER "; exit 2");
}

Test(function_list, it_cannot_be_executed) {
    expect_no_answer("exit 127");
}

static void expect_time_is_up(const char *script) {
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    expect_no_answer(script);
    clock_gettime(CLOCK_MONOTONIC, &end);
    cr_assert_leq(end.tv_sec - start.tv_sec, 8);
}

Test(function_list, it_hangs) {
    expect_time_is_up("exec sleep 20");
}

Test(function_list, it_hangs_after_its_answer) {
    expect_time_is_up(ANSWER "; exec >&-; exec sleep 20");
}

Test(function_list, it_writes_for_ever) {
    expect_time_is_up("exec yes");
}

Test(function_list, no_renderer) {
    setenv("PATH", "/nowhere", 1);
    ts_renderer_find("/nowhere/libtraceshim.so");
    cr_assert_str_eq(ts_renderer_path(), "");
    ts_function_list_begin(5);
    cr_assert_null(list());
}

#endif
