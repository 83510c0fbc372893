/* Row A6. What executed programs get. Cannot find: what a loader makes of it (tests/e2e/015). */
#include "preload/environment.h"
#include "preload/session.h"
#include "tests/unit/recorder/failing_system.h"
#include "tests/unit/recorder/scene.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestSuite(environment, .init = scene_make_directory, .fini = scene_end);

#define LIBRARY "/opt/lib/libtraceshim.so"

static void begin_session(const char *output) {
    static char path[1024];
    struct ts_preamble preamble = {0};
    uint8_t trace_id[16] = {1}, parent_span_id[8] = {0};
    char *none[] = {NULL};
    snprintf(path, sizeof path, "%s", scene_path(output));
    struct ts_options options = {.level = 1, .output = path, .max_size = SCENE_BYTES_SMALL};
    cr_assert_eq(ts_session_begin(&options, none, "/bin/demo", &preamble, trace_id, parent_span_id), 0);
    cr_assert_str_eq(ts_session_directory(), path);
}

/* The session's variable as programs of this session must have it; valid until the next call. */
static const char *session_variable(void) {
    static char text[1200];
    snprintf(text, sizeof text, "TRACESHIM_SESSION=%d:%s", (int)getpid(), ts_session_directory());
    return text;
}

static void begin(const char *preload, const char *library, int children) {
    static char variable[1024];
    static char *variables[5];
    variables[0] = "A=1";
    variables[1] = variable;
    variables[2] = "TRACESHIM_SESSION=1:/elsewhere";
    variables[3] = "B=2";
    snprintf(variable, sizeof variable, "LD_PRELOAD=%s", preload);
    environ = variables;
    ts_environment_begin(library, children, NULL);
}

static unsigned count(char *const *environment, const char *prefix) {
    unsigned found = 0;
    for (; *environment; environment++)
        found += strncmp(*environment, prefix, strlen(prefix)) == 0;
    return found;
}

static const char *value(char *const *environment, const char *name) {
    cr_assert_eq(count(environment, name), 1, "%u times %s", count(environment, name), name);
    return ts_options_variable(environment, name);
}

Test(environment, the_session_is_in_the_programs_own) {
    begin_session("out");
    begin(LIBRARY, LIBRARY, 1);
    cr_assert_str_eq(value(environ, "LD_PRELOAD"), LIBRARY);
    cr_assert_str_eq(value(environ, "TRACESHIM_SESSION"), session_variable() + strlen("TRACESHIM_SESSION="));
    cr_assert_str_eq(value(environ, "A"), "1");
    cr_assert_str_eq(value(environ, "B"), "2");
    cr_assert_eq(ts_environment_lacks(environ), 0);
}

Test(environment, a_relative_name_becomes_absolute) {
    char here[4096], expected[8192];
    begin_session("out");
    cr_assert_not_null(getcwd(here, sizeof here));
    begin("other.so:./lib/libtraceshim.so", "./lib/libtraceshim.so", 1);
    snprintf(expected, sizeof expected, "other.so:%s/lib/libtraceshim.so", here);
    cr_assert_str_eq(value(environ, "LD_PRELOAD"), expected);
}

Test(environment, a_bare_name_is_found_on_the_loaders_path_and_stays) {
    begin_session("out");
    begin("libtraceshim.so other.so", LIBRARY, 1);
    cr_assert_str_eq(value(environ, "LD_PRELOAD"), "libtraceshim.so other.so");
}

static void expect_without_children(const char *preload, const char *expected) {
    begin(preload, LIBRARY, 0);
    cr_assert_str_eq(value(environ, "LD_PRELOAD"), expected);
    cr_assert_eq(count(environ, "TRACESHIM_SESSION"), 0);
    cr_assert_eq(ts_environment_lacks(environ), 0);
}

Test(environment, without_children_the_shim_is_taken_out) {
    begin_session("out");
    expect_without_children(LIBRARY, "");
    expect_without_children(LIBRARY ":/x/y.so", "/x/y.so");
    expect_without_children("/x/y.so:" LIBRARY ":/z.so", "/x/y.so:/z.so");
    expect_without_children("/x/y.so /elsewhere/libtraceshim.so /z.so", "/x/y.so /z.so");
    expect_without_children("/x/libtraceshim.so.old", "/x/libtraceshim.so.old");
    expect_without_children("/x/mylibtraceshim.so", "/x/mylibtraceshim.so");
}

Test(environment, without_children_it_is_taken_out_wherever_it_is_named) {
    begin_session("out");
    expect_without_children(LIBRARY ":" LIBRARY, "");
    expect_without_children(LIBRARY ":/x/y.so:/elsewhere/libtraceshim.so", "/x/y.so:");
}

static char *const *complete;

static void expect_complete(char *const *environment, const char *expected_preload) {
    complete = ts_environment_complete(environment);
    cr_assert_not_null(complete);
    cr_assert_str_eq(value(complete, "LD_PRELOAD"), expected_preload);
    cr_assert_str_eq(value(complete, "TRACESHIM_SESSION"), session_variable() + strlen("TRACESHIM_SESSION="));
    cr_assert_eq(ts_environment_lacks(complete), 0);
}

Test(environment, what_a_program_made_up_is_completed) {
    char *empty[] = {NULL}, *own[] = {"PATH=/bin", NULL}, *others[] = {"LD_PRELOAD=/a.so:/b.so", "PATH=/bin", NULL};
    char *nothing[] = {"LD_PRELOAD=", NULL}, *named[] = {"LD_PRELOAD=/a.so:/old/libtraceshim.so", "C=3", NULL};
    char *stale[] = {"TRACESHIM_SESSION=9:/stale", "C=3", NULL};
    begin_session("out");
    begin(LIBRARY, LIBRARY, 1);
    cr_assert(ts_environment_lacks(empty) && ts_environment_lacks(own) && ts_environment_lacks(others));
    cr_assert(ts_environment_lacks(named) && ts_environment_lacks(NULL) && ts_environment_lacks(stale));
    expect_complete(NULL, LIBRARY);
    expect_complete(empty, LIBRARY);
    expect_complete(own, LIBRARY);
    cr_assert_str_eq(value(complete, "PATH"), "/bin");
    expect_complete(others, LIBRARY ":/a.so:/b.so");
    cr_assert_str_eq(value(complete, "PATH"), "/bin");
    expect_complete(nothing, LIBRARY);
    expect_complete(named, "/a.so:/old/libtraceshim.so");
    expect_complete(stale, LIBRARY);
}

Test(environment, a_long_preload_list_is_kept_whole) {
    static char longest[100000] = "LD_PRELOAD=", expected[110000];
    char *variables[] = {"C=3", longest, NULL};
    memset(longest + strlen(longest), 'x', 90000);
    snprintf(expected, sizeof expected, LIBRARY ":%s", longest + strlen("LD_PRELOAD="));
    begin_session("out");
    begin(LIBRARY, LIBRARY, 1);
    expect_complete(variables, expected);
    cr_assert_str_eq(value(complete, "C"), "3");
}

Test(environment, many_variables_are_kept_and_given_back) {
    enum { COUNT = 5000 };
    static char *variables[COUNT + 1];
    begin_session("out");
    begin(LIBRARY, LIBRARY, 1);
    for (unsigned i = 0; i < COUNT; i++)
        variables[i] = i % 2 ? "X=1" : "Y=2";
    for (unsigned round = 0; round < 2000; round++) { /* failed execs leave nothing behind */
        complete = ts_environment_complete(variables);
        cr_assert_not_null(complete);
        if (round == 0)
            cr_assert_eq(count(complete, "X=") + count(complete, "Y="), COUNT);
        ts_environment_free(complete);
    }
    failing_system_arm(1u << FAILING_MMAP, 1, 1, 12);
    cr_assert_null(ts_environment_complete(variables));
}

Test(environment, before_a_session_nothing_is_lacking) {
    char *empty[] = {NULL};
    cr_assert_eq(ts_environment_lacks(empty), 0);
}
