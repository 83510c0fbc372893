#include "render/command.h"
#include "render/lines.h"

#include <string.h>

struct request {
    ts_lines_write *write;
};

static int write_lines(struct ts_session *session, const void *context, FILE *out, struct ts_error *error) {
    const struct request *request = context;
    struct ts_lines lines = {.files = NULL};
    int result = ts_lines_find(&lines, session, error);
    if (result == 0)
        result = request->write(&lines, out, error);
    for (size_t i = 0; result == 0 && i < lines.problem_count; i++)
        ts_command_tell("%s", lines.problems[i]);
    ts_lines_free(&lines);
    return result;
}

static ts_lines_write *writer_named(const char *name) {
    static const struct {
        const char *name;
        ts_lines_write *write;
    } writers[] = {{"text", ts_lines_write_text}, {"lcov", ts_lines_write_lcov}, {"json", ts_lines_write_json}};
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++)
        if (!strcmp(writers[i].name, name))
            return writers[i].write;
    return NULL;
}

int ts_command_lines(int argc, char **argv) {
    const char *format = "text", *file = NULL;
    const struct ts_option options[] = {
        {.name = "--format",
         .value = "FORMAT",
         .help = "text (default): the source, annotated; lcov: for genhtml; json",
         .kind = TS_OPTION_TEXT,
         .target = &format},
        {.name = "-o",
         .value = "FILE",
         .help = "Write to FILE, compressed where its name ends with .gz; default -, standard output",
         .kind = TS_OPTION_TEXT,
         .target = &file},
        {.name = NULL},
    };
    char **operands;
    int status;
    if (!ts_command_parse(argc, argv, options, 1, &operands, &status))
        return status;
    struct request request = {writer_named(format)};
    if (!request.write) {
        ts_command_tell("lines: unknown format '%s'; there are text, lcov, json", format);
        return TS_STATUS_USAGE;
    }
    return ts_command_write_session(operands[0], file, write_lines, &request);
}
