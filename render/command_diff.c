#include "render/command.h"
#include "render/diff.h"
#include "render/filter_options.h"
#include "render/screen.h"

struct diff {
    const char *before_name;
    const char *after_name;
    struct ts_session *before;
    struct ts_span_filter filter;
    bool filters;
    uint64_t max_rows;
    struct ts_screen screen;
};

static int write_diff(struct ts_session *after, const void *context, FILE *out, struct ts_error *error) {
    const struct diff *diff = context;
    struct ts_call_stats before_stats = {.with_squares = true}, after_stats = {.with_squares = true};
    struct ts_sink before_sink = ts_call_stats_sink(&before_stats), after_sink = ts_call_stats_sink(&after_stats);

    if (diff->filters)
        diff->before->filter = after->filter = &diff->filter;
    diff->before->progress = after->progress;
    ts_replay(diff->before, &before_sink, NULL);
    ts_replay(after, &after_sink, NULL);
    const struct ts_diff_side sides[] = {{diff->before_name, &before_stats}, {diff->after_name, &after_stats}};
    ts_command_tell_problems(diff->before);
    ts_command_tell_unmatched(diff->before);
    int result = ts_diff_write(&sides[0], &sides[1], diff->max_rows, diff->screen.colour, out, error);
    ts_call_stats_free(&before_stats);
    ts_call_stats_free(&after_stats);
    return result;
}

int ts_command_diff(int argc, char **argv) {
    struct diff diff = {.max_rows = 0};
    struct ts_filter_options filter = {.depth = 0};
    const struct ts_option options[] = {
        {.name = "--limit",
         .value = "N",
         .help = "Show the first N functions; 0, the default: all",
         .kind = TS_OPTION_COUNT,
         .target = &diff.max_rows},
        TS_FILTER_OPTIONS(filter),
        TS_SCREEN_OPTIONS(diff.screen),
        {.name = NULL},
    };
    char **operands;
    int status;
    struct ts_error error;
    if (!ts_command_parse(argc, argv, options, 2, &operands, &status))
        return status;
    int filters = ts_filter_options_parse(&filter, &diff.filter, &error);
    if (filters < 0) {
        ts_command_tell("diff: %s", error.text);
        return TS_STATUS_USAGE;
    }
    diff.filters = filters > 0;
    diff.before_name = operands[0];
    diff.after_name = operands[1];
    diff.before = ts_command_open_session(operands[0]);
    if (!diff.before)
        return TS_STATUS_FAILED;
    status = ts_command_show_session(operands[1], &diff.screen, write_diff, &diff);
    ts_session_close(diff.before);
    return status;
}
