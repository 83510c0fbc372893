#include "render/filter_options.h"

#include "render/duration_parse.h"

#include <string.h>

#define SECOND_NS UINT64_C(1000000000)

/* `A..B`, `A..`, `..B`: A belongs to it, B does not. */
static int parse_time(const char *text, struct ts_span_filter *filter) {
    const char *dots = strstr(text, "..");
    if (!dots || !strcmp(text, ".."))
        return -1;
    const char *end = dots + 2;
    if (dots > text && ts_duration_parse(text, (size_t)(dots - text), SECOND_NS, &filter->from_ns) != 0)
        return -1;
    if (*end && ts_duration_parse(end, strlen(end), SECOND_NS, &filter->to_ns) != 0)
        return -1;
    return filter->from_ns < filter->to_ns ? 0 : -1;
}

int ts_filter_options_parse(const struct ts_filter_options *options, struct ts_span_filter *filter,
                            struct ts_error *error) {
    *filter = (struct ts_span_filter){.depth = options->depth,
                                      .to_ns = UINT64_MAX,
                                      .errors = options->errors,
                                      .focus = options->focus,
                                      .callers = options->callers,
                                      .thread = options->thread,
                                      .process = options->process,
                                      .options = options};
    if (options->min && ts_duration_parse(options->min, strlen(options->min), 1, &filter->min_ns) != 0)
        return ts_error_set(error, "--min: '%s' is no duration; write 100ns, 5us, 1.5ms or 2s", options->min);
    if (options->time && parse_time(options->time, filter) != 0)
        return ts_error_set(error, "--time: '%s' is no span of time; write 1.5..2 (seconds), 100ms..250ms, 2.. or ..2",
                            options->time);
    return options->depth || options->errors || options->min || options->time || options->focus || options->callers ||
           options->thread || options->process;
}

void ts_filter_options_write(const struct ts_filter_options *options, FILE *out) {
    const struct {
        const char *name;
        const char *value;
    } texts[] = {{"--slow", options->slow},      {"--min", options->min},         {"--time", options->time},
                 {"--focus", options->focus},    {"--callers", options->callers}, {"--thread", options->thread},
                 {"--process", options->process}};
    const char *between = "";
    if (options->errors) {
        fputs("--errors", out);
        between = " ";
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (!texts[i].value)
            continue;
        fprintf(out, "%s%s=%s", between, texts[i].name, texts[i].value);
        between = " ";
    }
}
