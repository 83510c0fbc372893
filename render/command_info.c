#include "render/command.h"
#include "render/info.h"
#include "render/info_json.h"

static int write_text(struct ts_session *session, const void *context, FILE *out, struct ts_error *error) {
    (void)context;
    return ts_info_write(session, out, error);
}

static int write_json(struct ts_session *session, const void *context, FILE *out, struct ts_error *error) {
    (void)context;
    return ts_info_write_json(session, out, error);
}

int ts_command_info(int argc, char **argv) {
    const char *format = "text";
    const struct ts_option options[] = {
        TS_COMMAND_FORMAT(&format),
        {.name = NULL},
    };
    char **operands;
    int status;
    if (!ts_command_parse(argc, argv, options, 1, &operands, &status))
        return status;
    int is_json = ts_command_is_json("info", format);
    if (is_json < 0)
        return TS_STATUS_USAGE;
    return ts_command_write_session(operands[0], NULL, is_json ? write_json : write_text, NULL);
}
