#include "render/check.h"
#include "render/command.h"
#include "render/output.h"
#include "render/run_places.h"

#include <stdlib.h>

static int answer(const struct ts_check *check, const char *program, bool json) {
    struct ts_output output;
    struct ts_error error, closing;
    if (ts_output_open(&output, NULL, &error) == 0) {
        int written = 0;
        if (json)
            written = ts_check_json(check, program, output.stream, &error);
        else
            ts_check_text(check, output.stream);
        if (ts_output_close(&output, written == 0, written == 0 ? &error : &closing) == 0 && written == 0)
            return ts_check_passes(check) ? TS_STATUS_DONE : TS_STATUS_FAILED;
    }
    ts_command_tell("check: %s", error.text);
    return TS_STATUS_FAILED;
}

int ts_command_check(int argc, char **argv) {
    const char *format = "text";
    const struct ts_option options[] = {
        TS_COMMAND_FORMAT(&format),
        {.name = NULL},
    };
    struct ts_check check;
    struct ts_error missing;
    char **operands;
    int status = TS_STATUS_USAGE;
    if (!ts_command_parse(argc, argv, options, 1, &operands, &status))
        return status;
    int json = ts_command_is_json("check", format);
    if (json < 0)
        return TS_STATUS_USAGE;
    char *shim = ts_run_places_library(&missing);
    ts_check_run(&check, operands[0], shim, &missing);
    status = answer(&check, operands[0], json);
    ts_check_free(&check);
    free(shim);
    return status;
}
