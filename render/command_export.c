#include "render/command.h"
#include "render/duration_text.h"
#include "render/filter_options.h"
#include "render/format_names.h"
#include "render/memory.h"
#include "render/output_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct export {
    const struct ts_format *format;
    struct ts_format_options options;
    struct ts_output_parts parts;
    struct ts_span_filter filter;
    bool filters;
};

static int write_format(struct ts_session *session, const void *context, FILE *out, struct ts_error *error) {
    struct export *export = (void *)context;
    struct ts_error closing;
    if (export->filters)
        session->filter = &export->filter;
    int result = export->format->write(session, &export->options, out, error);
    if (ts_output_parts_close(&export->parts, result == 0, &closing) == 0)
        return result;
    *error = closing;
    return -1;
}

static void tell_cut(const struct ts_format_cut *cut) {
    if (cut->dropped_short)
        ts_command_tell("the %" PRIu64 " longest of %" PRIu64
                        " calls are written (those over %s); --all writes every call",
                        cut->written, cut->calls, ts_duration_text(cut->longest_dropped_ns).text);
}

int ts_command_export(int argc, char **argv) {
    const char *name = NULL, *file = NULL, *split = NULL;
    struct ts_error error;
    int all = 0;
    struct ts_format_cut cut = {0};
    struct ts_filter_options filter = {.depth = 0};
    struct export export = {.options = {.view = TS_TREE_AUTO, .max_calls = TS_VIEWER_CALLS_MAX, .cut = &cut}};
    char *names = ts_format_names();
    char *limit = ts_memory_text("JSON: write the N longest calls, by default %d, which viewers still take; 0: all",
                                 TS_VIEWER_CALLS_MAX);
    const struct ts_option options[] = {
        {.name = "--format", .value = "FORMAT", .help = names, .kind = TS_OPTION_TEXT, .target = &name},
        {.name = "-o",
         .value = "FILE",
         .help = "Write to FILE, compressed where its name ends with .gz; default -, standard output",
         .kind = TS_OPTION_TEXT,
         .target = &file},
        {.name = "--max-calls",
         .value = "N",
         .help = limit,
         .kind = TS_OPTION_COUNT,
         .target = &export.options.max_calls},
        {.name = "--split",
         .value = "SIZE",
         .help = "chrome: begin another file after so many bytes: FILE-2, FILE-3, ...; each opens alone",
         .kind = TS_OPTION_TEXT,
         .target = &split},
        {.name = "--all", .help = "JSON: write every call", .number = 1, .target = &all},
        TS_FILTER_OPTIONS(filter),
        {.name = NULL},
    };
    char **operands;
    int status = TS_STATUS_USAGE;
    if (!ts_command_parse(argc, argv, options, 1, &operands, &status))
        goto out;
    int filters = ts_filter_options_parse(&filter, &export.filter, &error);
    export.filters = filters > 0;
    if (all)
        export.options.max_calls = 0;
    export.format = name ? ts_formats_find(name) : NULL;
    if (filters < 0) {
        ts_command_tell("export: %s", error.text);
    } else if (!name) {
        ts_command_tell("export: --format is missing; there are %s", names);
    } else if (!export.format) {
        ts_command_tell("export: unknown format '%s'; there are %s", name, names);
    } else if (!export.format->is_for_terminals && (!file || !strcmp(file, "-")) && isatty(STDOUT_FILENO)) {
        ts_command_tell("export: %s is not for a terminal; give -o %s", name, export.format->file_name);
    } else if (split && (!file || !strcmp(file, "-") || export.format->write != ts_format_chrome)) {
        ts_command_tell("export: --split is for --format=chrome with -o");
    } else if (split && !(export.parts.bytes = ts_output_parts_size(split, &error))) {
        ts_command_tell("export: --split: %s", error.text);
    } else {
        export.parts.path = file;
        export.options.parts = split ? &export.parts : NULL;
        status = ts_command_write_session(operands[0], file, write_format, &export);
        if (status == TS_STATUS_DONE)
            tell_cut(&cut);
    }
out:
    free(limit);
    free(names);
    return status;
}
