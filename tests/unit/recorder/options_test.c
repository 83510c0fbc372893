/* Row C2. */
#include "collector/trace_format.h"
#include "preload/options.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static char problems[4096];

/* Reads the options of an environment with this one variable ("NAME=value"; NULL: none). */
static struct ts_options read_one(const char *variable) {
    char copy[512];
    char *environment[] = {NULL, NULL};
    struct ts_options options;
    struct ts_text text = TS_TEXT_IN(problems);
    problems[0] = 0;
    if (variable) {
        snprintf(copy, sizeof copy, "%s", variable);
        environment[0] = copy;
    }
    ts_options_read(&options, environment, &text);
    return options;
}

Test(options, nothing_set_means_the_defaults) {
    struct ts_options options = read_one(NULL);
    cr_assert_eq(options.level, 1);
    cr_assert_null(options.functions);
    cr_assert_null(options.output);
    cr_assert_null(options.format);
    cr_assert_eq(options.depth, 0);
    cr_assert_eq(options.min_duration_ns, 0);
    cr_assert_eq(options.max_size, 0);
    cr_assert_eq(options.full, TS_FULL_RING);
    cr_assert_eq(options.children, 1);
    cr_assert_eq(options.render_timeout, 5);
    cr_assert_eq(options.quiet + options.debug + options.clock_system + options.paused + options.signal, 0);
    cr_assert_str_eq(problems, "");
}

Test(options, an_environment_that_is_not_there) {
    struct ts_options options;
    struct ts_text text = TS_TEXT_IN(problems);
    ts_options_read(&options, NULL, &text);
    cr_assert_eq(options.level, 1);
}

Test(options, signals_that_may_toggle) {
    static const struct {
        const char *variable;
        int signal; /* 0: refused */
    } signals[] = {{"TRACE_SIGNAL=USR2", 12},       {"TRACE_SIGNAL=SIGUSR2", 12}, {"TRACE_SIGNAL=12", 12},
                   {"TRACE_SIGNAL= WINCH", 28},     {"TRACE_SIGNAL=RTMIN", 34},   {"TRACE_SIGNAL=SIGRTMIN+3", 37},
                   {"TRACE_SIGNAL=RTMAX-30", 34},   {"TRACE_SIGNAL=64", 64},      {"TRACE_SIGNAL=KILL", 0},
                   {"TRACE_SIGNAL=STOP", 0},        {"TRACE_SIGNAL=SEGV", 0},     {"TRACE_SIGNAL=IOT", 0},
                   {"TRACE_SIGNAL=32", 0},          {"TRACE_SIGNAL=33", 0},       {"TRACE_SIGNAL=0", 0},
                   {"TRACE_SIGNAL=65", 0},          {"TRACE_SIGNAL=RTMIN+31", 0}, {"TRACE_SIGNAL=RTMIN+", 0},
                   {"TRACE_SIGNAL=SIGSIGHUP", 0},   {"TRACE_SIGNAL=usr2", 0},     {"TRACE_SIGNAL=-1", 0},
                   {"TRACE_SIGNAL=99999999999", 0}, {"TRACE_SIGNAL=SIG", 0}};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        cr_assert_eq(read_one(signals[i].variable).signal, signals[i].signal, "%s", signals[i].variable);
        cr_assert_eq(problems[0] == 0, signals[i].signal != 0, "%s: '%s'", signals[i].variable, problems);
    }
    cr_assert_eq(read_one("TRACE_SIGNAL=").signal, 0);
    cr_assert_str_eq(problems, "");
}

Test(options, starts) {
    cr_assert_eq(read_one("TRACE_START=paused").paused, 1);
    cr_assert_eq(read_one("TRACE_START=on").paused + read_one("TRACE_START=").paused, 0);
    cr_assert_str_eq(problems, "");
    cr_assert_eq(read_one("TRACE_START=off").paused, 0);
    cr_assert_neq(problems[0], 0);
}

Test(options, levels) {
    static const struct {
        const char *text;
        int level;
        int problem;
    } levels[] = {{"", 0, 0},        {" ", 0, 0},   {"0", 0, 0},     {"1", 1, 0},   {"2", 2, 0},
                  {"3", 3, 0},       {"4", 3, 0},   {"99", 3, 0},    {"-5", 0, 0},  {"-1", 0, 0},
                  {"+2", 2, 0},      {" 2 ", 2, 0}, {"\t3\n", 3, 0}, {"007", 3, 0}, {"99999999999999999999999", 3, 0},
                  {"-99999", 0, 0},  {"abc", 0, 1}, {"2.5", 0, 1},   {"0x2", 0, 1}, {"2 2", 0, 1},
                  {"-", 0, 1},       {"+", 0, 1},   {"--2", 0, 1},   {"+-2", 0, 1}, {"2a", 0, 1},
                  {"\xd9\xa2", 0, 1}};
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        char variable[64];
        snprintf(variable, sizeof variable, "TRACE_LEVEL=%s", levels[i].text);
        cr_assert_eq(read_one(variable).level, levels[i].level, "level \"%s\"", levels[i].text);
        cr_assert_eq(strlen(problems) > 0, levels[i].problem, "level \"%s\": %s", levels[i].text, problems);
    }
}

Test(options, sizes) {
    static const struct {
        const char *text;
        uint64_t bytes;
        int problem;
    } sizes[] = {{"", 0, 0},
                 {"0", 0, 0},
                 {"4096", 4096, 0},
                 {"64K", 65536, 0},
                 {"64k", 65536, 0},
                 {"3KiB", 3072, 0},
                 {"2M", 2u << 20, 0},
                 {"2 MiB", 2u << 20, 0},
                 {" 1G ", 1u << 30, 0},
                 {"20000000000G", UINT64_MAX, 0},
                 {"99999999999999999999999", UINT64_MAX, 0},
                 {"1T", 0, 1},
                 {"1.5G", 0, 1},
                 {"-1", 0, 1},
                 {"G", 0, 1},
                 {"12 34", 0, 1}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char variable[64];
        snprintf(variable, sizeof variable, "TRACE_MAX_SIZE=%s", sizes[i].text);
        uint64_t bytes = read_one(variable).max_size;
        cr_assert_eq(strlen(problems) > 0, sizes[i].problem, "size \"%s\": %s", sizes[i].text, problems);
        cr_assert(sizes[i].problem || bytes == sizes[i].bytes, "size \"%s\" is %llu", sizes[i].text,
                  (unsigned long long)bytes);
    }
}

/* "its option keeps the default": a number in front of rubbish is no value. */
Test(options, what_is_not_understood_keeps_the_default) {
    cr_assert_eq(read_one("TRACE_MAX_SIZE=5x").max_size, 0);
    cr_assert_eq(read_one("TRACE_DEPTH=12 34").depth, 0);
    cr_assert_eq(read_one("TRACE_MIN_DURATION=5 weeks").min_duration_ns, 0);
    cr_assert_eq(read_one("TRACE_RENDER_TIMEOUT=soon").render_timeout, 5);
    cr_assert_eq(read_one("TRACE_RENDER_TIMEOUT=7 minutes").render_timeout, 5);
    cr_assert_eq(read_one("TRACE_FULL=maybe").full, TS_FULL_RING);
    cr_assert_eq(read_one("TRACE_CHILDREN=2").children, 1);
    cr_assert_eq(read_one("TRACE_CLOCK=cpu").clock_system, 0);
}

Test(options, durations) {
    static const struct {
        const char *text;
        uint64_t ns;
    } durations[] = {{"0", 0},           {"250", 250},     {"100ns", 100},     {"5us", 5000},      {"5 us", 5000},
                     {"5\u00b5s", 5000}, {"1ms", 1000000}, {"2s", 2000000000}, {" 7ms ", 7000000}, {"", 0}};
    for (size_t i = 0; i < sizeof durations / sizeof *durations; i++) {
        char variable[64];
        snprintf(variable, sizeof variable, "TRACE_MIN_DURATION=%s", durations[i].text);
        cr_assert_eq(read_one(variable).min_duration_ns, durations[i].ns, "duration \"%s\"", durations[i].text);
        cr_assert_str_eq(problems, "");
    }
}

Test(options, flags_and_choices) {
    static const char *const yes[] = {"1", "yes", "on", "true"}, *const no[] = {"0", "no", "off", "false"};
    char variable[64];
    for (unsigned i = 0; i < 4; i++) {
        snprintf(variable, sizeof variable, "TRACE_QUIET=%s", yes[i]);
        cr_assert_eq(read_one(variable).quiet, 1);
        snprintf(variable, sizeof variable, "TRACE_CHILDREN=%s", no[i]);
        cr_assert_eq(read_one(variable).children, 0);
    }
    cr_assert_eq(read_one("TRACE_CHILDREN=").children, 1, "empty is the default");
    cr_assert_eq(read_one("TRACE_FULL=stop").full, TS_FULL_STOP);
    cr_assert_eq(read_one("TRACE_FULL=").full, TS_FULL_RING);
    cr_assert_eq(read_one("TRACE_CLOCK=system").clock_system, 1);
    cr_assert_eq(read_one("TRACE_CLOCK=auto").clock_system, 0);
    cr_assert_eq(read_one("TRACE_DEPTH=12").depth, 12);
    cr_assert_eq(read_one("TRACE_RENDER_TIMEOUT=0").render_timeout, 0);
}

Test(options, texts_stay_when_the_environment_changes) {
    char output[] = "TRACE_OUTPUT=there", empty[] = "TRACE_FUNCTIONS=";
    char *environment[] = {output, empty, NULL};
    struct ts_options options;
    struct ts_text text = TS_TEXT_IN(problems);
    ts_options_read(&options, environment, &text);
    memset(output, 'x', strlen(output));
    cr_assert_str_eq(options.output, "there");
    cr_assert_null(options.functions, "empty is unset");
}

Test(options, each_problem_is_a_line_that_names_it) {
    char size[] = "TRACE_MAX_SIZE=much", full[] = "TRACE_FULL=no";
    char *environment[] = {size, full, NULL};
    struct ts_options options;
    struct ts_text text = TS_TEXT_IN(problems);
    ts_options_read(&options, environment, &text);
    cr_assert_eq(strncmp(problems, "traceshim: TRACE_MAX_SIZE=much is not understood", 48), 0, "%s", problems);
    cr_assert_not_null(strstr(problems, "\ntraceshim: TRACE_FULL=no is not understood"));
    cr_assert_eq(problems[strlen(problems) - 1], '\n');
}

static void collect(void *context, const char *text) {
    strcat(context, text);
    strcat(context, "|");
}

Test(options, those_that_are_set_are_listed) {
    char quiet[] = "TRACE_QUIET=1", other[] = "PATH=/bin", level[] = "TRACE_LEVEL=2", longer[] = "TRACE_LEVELS=9";
    char *environment[] = {quiet, other, longer, level, NULL};
    char all[256] = "";
    ts_options_each_set(environment, collect, all);
    cr_assert_str_eq(all, "TRACE_LEVEL=2|TRACE_QUIET=1|");
}

Test(options, variables_are_found_by_their_whole_name) {
    char *environment[] = {"AB=1", "A=2", "A=3", "B", "C=", NULL};
    cr_assert_str_eq(ts_options_variable(environment, "A"), "2");
    cr_assert_str_eq(ts_options_variable(environment, "AB"), "1");
    cr_assert_str_eq(ts_options_variable(environment, "C"), "");
    cr_assert_null(ts_options_variable(environment, "B"));
    cr_assert_null(ts_options_variable(NULL, "A"));
}
