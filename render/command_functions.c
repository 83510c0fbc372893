#include "render/command.h"
#include "render/function_list.h"
#include "render/output.h"

#include <stdlib.h>
#include <string.h>

struct request {
    const char *globs; /* NULL: all functions */
    const char *path;
    uint8_t build_id[64];
    uint32_t build_id_bytes; /* 0: whichever file is there */
    int all;
};

/* Two digits a byte. Returns 0, or -1 where it is none that a module has. */
static int read_build_id(struct request *request, const char *text) {
    size_t digits = strlen(text);
    if (digits % 2 || digits / 2 > sizeof request->build_id || strspn(text, "0123456789abcdef") != digits)
        return -1;
    for (size_t i = 0; i < digits / 2; i++)
        request->build_id[i] = (uint8_t)strtoul((char[]){text[2 * i], text[2 * i + 1], '\0'}, NULL, 16);
    request->build_id_bytes = (uint32_t)(digits / 2);
    return 0;
}

static int answer(const struct request *request) {
    struct ts_output output;
    struct ts_error error;
    int status = TS_STATUS_FAILED;
    struct ts_symbols *symbols = ts_symbols_open(request->path, request->build_id, request->build_id_bytes, &error);
    if (symbols && ts_output_open(&output, NULL, &error) == 0) {
        ts_function_list_write(symbols, request->globs, request->all, output.stream);
        if (ts_output_close(&output, true, &error) == 0)
            status = TS_STATUS_DONE;
    }
    if (status != TS_STATUS_DONE)
        ts_command_tell("functions: %s", error.text);
    ts_symbols_close(symbols);
    return status;
}

int ts_command_functions(int argc, char **argv) {
    struct request request = {.globs = getenv("TRACE_FUNCTIONS")};
    const char *version = TRACESHIM_VERSION, *build_id = "";
    const struct ts_option options[] = {
        {.name = "--functions",
         .value = "GLOBS",
         .help = "What to select; default TRACE_FUNCTIONS, else every function",
         .kind = TS_OPTION_TEXT,
         .target = &request.globs},
        {.name = "--all",
         .help = "List the other functions too, with a minus",
         .kind = TS_OPTION_FLAG,
         .number = 1,
         .target = &request.all},
        /* With which libtraceshim.so asks. */
        {.name = "--shim-version", .value = "VERSION", .kind = TS_OPTION_TEXT, .target = &version},
        {.name = "--build-id", .value = "HEX", .kind = TS_OPTION_TEXT, .target = &build_id},
        {.name = NULL},
    };
    char **operands;
    int status;
    if (!ts_command_parse(argc, argv, options, 1, &operands, &status))
        return status;
    request.path = operands[0];
    if (strcmp(version, TRACESHIM_VERSION) != 0 || read_build_id(&request, build_id) != 0) {
        ts_command_tell("functions: libtraceshim.so of another version asks");
        return TS_STATUS_USAGE;
    }
    if (request.globs && !request.globs[0])
        request.globs = NULL; /* as the library takes it */
    return answer(&request);
}
