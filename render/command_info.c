#include "render/command.h"
#include "render/info.h"

static int write_info(struct ts_session *session, const void *context, FILE *out, struct ts_error *error) {
    (void)context;
    return ts_info_write(session, out, error);
}

int ts_command_info(int argc, char **argv) {
    const struct ts_option options[] = {{.name = NULL}};
    char **operands;
    int status;
    if (!ts_command_parse(argc, argv, options, 1, &operands, &status))
        return status;
    return ts_command_write_session(operands[0], NULL, write_info, NULL);
}
