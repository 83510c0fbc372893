/* Joining and making sessions. Cannot find: what executed programs see of them (tests/e2e/014). */
#include "collector/trace_map.h"
#include "preload/message.h"
#include "preload/session.h"
#include "tests/unit/recorder/failing_system.h"
#include "tests/unit/recorder/scene.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

TestSuite(session, .init = scene_make_directory, .fini = scene_end);

static int begin(const char *output, char *const *environment) {
    char text[1024];
    struct ts_preamble preamble = {0};
    uint8_t trace_id[16] = {1}, parent_span_id[8] = {0};
    snprintf(text, sizeof text, "%s", output ? output : "");
    struct ts_options options = {.level = 1, .output = output ? text : NULL, .max_size = SCENE_BYTES_SMALL};
    return ts_session_begin(&options, environment, "/opt/bin/de.mo", &preamble, trace_id, parent_span_id);
}

static char *no_variables[] = {NULL};

static int has_trace(const char *directory) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%d.trace", directory, (int)getpid());
    return access(path, F_OK) == 0;
}

Test(session, the_first_process_makes_it) {
    char output[512];
    snprintf(output, sizeof output, "%s//", scene_path("out"));
    cr_assert_eq(begin(output, no_variables), 0);
    cr_assert_str_eq(ts_session_directory(), scene_path("out"));
    cr_assert_eq(ts_session_first_pid(), getpid());
    cr_assert(has_trace(ts_session_directory()));
}

Test(session, patterns) {
    char *rank[] = {"PMI_RANK=7", NULL};
    char output[512], expected[1024];
    struct utsname host;
    uname(&host);
    snprintf(output, sizeof output, "%s", scene_path("%e-%p-%r-%h-%%-%x"));
    cr_assert_eq(begin(output, rank), 0);
    snprintf(expected, sizeof expected, "%s/de.mo-%d-7-%s-%%-x", scene_directory(), (int)getpid(), host.nodename);
    cr_assert_str_eq(ts_session_directory(), expected);
}

Test(session, relative_names_are_made_absolute) {
    char expected[1024], here[512];
    cr_assert_eq(chdir(scene_directory()), 0);
    cr_assert_not_null(getcwd(here, sizeof here));
    snprintf(expected, sizeof expected, "%s/traceshim.%d", here, (int)getpid());
    cr_assert_eq(begin(NULL, no_variables), 0);
    cr_assert_str_eq(ts_session_directory(), expected);
}

static void join_variable(char *variable, size_t size, const char *text) {
    snprintf(variable, size, "TRACESHIM_SESSION=%s%s", text, scene_path("out"));
}

Test(session, an_executed_program_joins) {
    char variable[512];
    char *environment[] = {variable, NULL};
    cr_assert_eq(mkdir(scene_path("out"), 0755), 0);
    join_variable(variable, sizeof variable, "4321:");
    cr_assert_eq(begin("/must/not/matter", environment), 0);
    cr_assert_str_eq(ts_session_directory(), scene_path("out"));
    cr_assert_eq(ts_session_first_pid(), 4321);
    cr_assert(has_trace(ts_session_directory()));
}

Test(session, its_variable_says_how_programs_begin) {
    static const struct {
        const char *variable;
        int on, paused; /* how a program begins whose TRACE_START says so */
    } variables[] = {{"TRACESHIM_SESSION=12:/x", 0, 0},
                     {"TRACESHIM_SESSION=12;/x", 1, 1},
                     {"TRACESHIM_SESSION=12", 0, 1},
                     {"OTHER=12;/x", 0, 1}};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        char *environment[] = {(char *)variables[i].variable, NULL};
        cr_assert_eq(ts_session_begins_paused(environment, 0), variables[i].on, "%s", variables[i].variable);
        cr_assert_eq(ts_session_begins_paused(environment, 1), variables[i].paused, "%s", variables[i].variable);
    }
}

Test(session, a_variable_that_names_none_is_ignored) {
    static const char *const wrong[] = {"", ":", "0:", "12", "x12:", "-3:", "12:.", "12:/nowhere", "12!"};
    cr_assert_eq(mkdir(scene_path("out"), 0755), 0);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char variable[512], output[512];
        char *environment[] = {variable, NULL};
        join_variable(variable, sizeof variable, wrong[i]);
        snprintf(output, sizeof output, "%s", scene_path("own"));
        cr_assert_eq(begin(output, environment), 0);
        cr_assert_str_eq(ts_session_directory(), output, "\"%s\" is joined", variable);
    }
}

static char said[4096];

/* What is said on stderr while `body` runs. */
static void listen(int (*body)(void)) {
    int own = fcntl(2, F_DUPFD_CLOEXEC, 10), fd = open(scene_path("stderr"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    dup2(fd, 2);
    ts_message_begin(0);
    body();
    dup2(own, 2);
    close(own);
    said[pread(fd, said, sizeof said - 1, 0)] = 0;
    close(fd);
}

static int result;
static char *temporary[2];
static const char *wanted;

static int begin_wanted(void) {
    return result = begin(wanted, temporary);
}

Test(session, default_place_that_is_not_writable_gives_way_to_the_temporary_directory) {
    char variable[512], expected[512];
    snprintf(variable, sizeof variable, "TMPDIR=%s", scene_path("tmp"));
    temporary[0] = variable;
    cr_assert_eq(chdir("/proc/self"), 0);
    listen(begin_wanted);
    cr_assert_eq(result, 0, "%s", said);
    snprintf(expected, sizeof expected, "%s/traceshim.%d", scene_path("tmp"), (int)getpid());
    cr_assert_str_eq(ts_session_directory(), expected);
    cr_assert_not_null(strstr(said, "; the trace goes to "), "%s", said);
}

Test(session, named_place_that_is_not_writable_leaves_the_program_untraced) {
    char variable[512];
    snprintf(variable, sizeof variable, "TMPDIR=%s", scene_path("tmp"));
    temporary[0] = variable;
    wanted = "/proc/self/out";
    listen(begin_wanted);
    cr_assert_eq(result, -1);
    cr_assert_str_eq(ts_session_directory(), "");
    cr_assert_not_null(strstr(said, "/proc/self/out cannot be used: "), "%s", said);
    cr_assert_not_null(strstr(said, "untraced"), "%s", said);
    cr_assert_neq(access(scene_path("tmp"), F_OK), 0);
}

Test(session, a_place_that_cannot_be_mapped_gives_way_too_and_is_left_clean) {
    char variable[512], output[512];
    snprintf(variable, sizeof variable, "TMPDIR=%s", scene_path("tmp"));
    temporary[0] = variable;
    snprintf(output, sizeof output, "%s", scene_path("out"));
    wanted = output;
    failing_system_arm(1u << FAILING_FSTATFS, 1, 1, EIO);
    listen(begin_wanted);
    cr_assert_eq(result, 0, "%s", said);
    cr_assert_eq(strncmp(ts_session_directory(), scene_path("tmp"), strlen(scene_path("tmp"))), 0);
    cr_assert_neq(access(scene_path("out"), F_OK), 0, "the directory that was made in vain is still there");
}

Test(session, when_nothing_works_one_line_says_so) {
    temporary[0] = "TMPDIR=/proc/nowhere";
    cr_assert_eq(chdir("/proc/self"), 0);
    listen(begin_wanted);
    cr_assert_eq(result, -1);
    cr_assert_null(ts_trace_map.header);
    cr_assert_not_null(strstr(said, "TRACE_OUTPUT names another place"), "%s", said);
    cr_assert_eq(strchr(said, '\n'), said + strlen(said) - 1, "%s", said);
}
