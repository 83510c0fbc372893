/* The options that choose which calls are shown: the same for every command that shows calls. */
#ifndef TRACESHIM_RENDER_FILTER_OPTIONS_H
#define TRACESHIM_RENDER_FILTER_OPTIONS_H

#include "render/options_parse.h"
#include "render/span_filter.h"

/* As they were given; all zero: none was. */
struct ts_filter_options {
    uint64_t depth;
    int errors;
    const char *min;
    const char *time;
    const char *focus;
    const char *callers;
    const char *thread;
    const char *process;
    const char *slow; /* of `tree` alone */
};

/* Elements of a table of struct ts_option. */
#define TS_FILTER_OPTIONS(options)                                                                                     \
    {.name = "--depth",                                                                                                \
     .value = "N",                                                                                                     \
     .help = "Leave out calls nested deeper than N",                                                                   \
     .kind = TS_OPTION_COUNT,                                                                                          \
     .target = &(options).depth},                                                                                      \
        {.name = "--min",                                                                                              \
         .value = "DURATION",                                                                                          \
         .help = "Leave out calls shorter than 100us, 5ms, ... (a plain number is nanoseconds)",                       \
         .kind = TS_OPTION_TEXT,                                                                                       \
         .target = &(options).min},                                                                                    \
        {.name = "--errors",                                                                                           \
         .help = "Only calls that failed, and the calls around them",                                                  \
         .number = 1,                                                                                                  \
         .target = &(options).errors},                                                                                 \
        {.name = "--focus",                                                                                            \
         .value = "FUNCTION",                                                                                          \
         .help = "Only calls of this function and what happens in them (a name or a glob)",                            \
         .kind = TS_OPTION_TEXT,                                                                                       \
         .target = &(options).focus},                                                                                  \
        {.name = "--callers",                                                                                          \
         .value = "FUNCTION",                                                                                          \
         .help = "Only calls of this function and the calls around them",                                              \
         .kind = TS_OPTION_TEXT,                                                                                       \
         .target = &(options).callers},                                                                                \
        {.name = "--thread",                                                                                           \
         .value = "NAME|TID",                                                                                          \
         .help = "Only threads of this name or number",                                                                \
         .kind = TS_OPTION_TEXT,                                                                                       \
         .target = &(options).thread},                                                                                 \
        {.name = "--process",                                                                                          \
         .value = "NAME|PID",                                                                                          \
         .help = "Only processes of this name or number",                                                              \
         .kind = TS_OPTION_TEXT,                                                                                       \
         .target = &(options).process},                                                                                \
    {                                                                                                                  \
        .name = "--time", .value = "A..B",                                                                             \
        .help = "Only from A to B, in seconds (or 5ms, ...) since the start; calls are cut to it",                     \
        .kind = TS_OPTION_TEXT, .target = &(options).time                                                              \
    }

/* The filter that they mean; texts stay where they are. Returns 1, 0 when it lets everything pass, or -1 and the error.
 */
int ts_filter_options_parse(const struct ts_filter_options *options, struct ts_span_filter *filter,
                            struct ts_error *error);

/* Those that a call must match, as they are written on a command line: `--errors --min=5ms`. */
void ts_filter_options_write(const struct ts_filter_options *options, FILE *out);

#endif
