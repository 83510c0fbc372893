#include "render/command.h"
#include "render/format_names.h"

#include <stdlib.h>

static int write_format(struct ts_session *session, const void *context, FILE *out, struct ts_error *error) {
    const struct ts_format *format = context;
    const struct ts_format_options everything = {.view = TS_TREE_AUTO};
    return format->write(session, &everything, out, error);
}

int ts_command_export(int argc, char **argv) {
    const char *name = NULL, *file = NULL;
    char *names = ts_format_names();
    const struct ts_option options[] = {
        {.name = "--format", .value = "FORMAT", .help = names, .kind = TS_OPTION_TEXT, .target = &name},
        {.name = "-o",
         .value = "FILE",
         .help = "Write to FILE instead of standard output",
         .kind = TS_OPTION_TEXT,
         .target = &file},
        {.name = NULL},
    };
    char **operands;
    int status = TS_STATUS_USAGE;
    if (!ts_command_parse(argc, argv, options, 1, &operands, &status))
        goto out;
    const struct ts_format *format = name ? ts_formats_find(name) : NULL;
    if (!name)
        ts_command_tell("export: --format is missing; there are %s", names);
    else if (!format)
        ts_command_tell("export: unknown format '%s'; there are %s", name, names);
    else
        status = ts_command_write_session(operands[0], file, write_format, format);
out:
    free(names);
    return status;
}
