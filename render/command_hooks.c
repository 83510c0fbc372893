#include "render/command.h"
#include "render/hook_binding_text.h"
#include "render/hook_list.h"
#include "render/hook_option.h"
#include "render/output.h"
#include "render/program_find.h"

#include <stdlib.h>
#include <string.h>

struct request {
    struct ts_hook_selection selection;
    const char *selection_text; /* NULL: not given, and no program */
    const char *program;        /* NULL: the packs */
    bool json;
    int kinds;
};

static int write_bindings(struct request *request, FILE *out, struct ts_error *error) {
    struct ts_load_order order;
    struct ts_hook_bindings bindings;
    char *path = ts_program_find(request->program);
    if (!path)
        return ts_error_set(error, "%s is not on PATH; give its path", request->program);
    int status = ts_load_order_read(&order, path, getenv("LD_PRELOAD"), getenv("LD_LIBRARY_PATH"), error);
    if (status == 0) {
        ts_hook_bindings_find(&bindings, &order, &request->selection);
        if (request->json)
            status = ts_hook_binding_json(&bindings, path, request->selection_text, out, error);
        else
            ts_hook_binding_text(&bindings, path, request->selection_text, out);
        ts_hook_bindings_free(&bindings);
        ts_load_order_free(&order);
    }
    free(path);
    return status;
}

static int write_request(struct request *request, FILE *out, struct ts_error *error) {
    const struct ts_hook_selection *selection = request->selection_text ? &request->selection : NULL;
    if (request->program)
        return write_bindings(request, out, error);
    if (request->json)
        return ts_hook_list_json(selection, out, error);
    ts_hook_list_text(selection, out);
    return 0;
}

static int answer(struct request *request) {
    struct ts_output output;
    struct ts_error error, closing;
    if (ts_output_open(&output, NULL, &error) == 0) {
        int written = 0;
        if (request->kinds)
            ts_hook_list_kinds(output.stream);
        else
            written = write_request(request, output.stream, &error);
        if (ts_output_close(&output, written == 0, written == 0 ? &error : &closing) == 0 && written == 0)
            return TS_STATUS_DONE;
    }
    ts_command_tell("hooks: %s", error.text);
    return TS_STATUS_FAILED;
}

int ts_command_hooks(int argc, char **argv) {
    struct request request = {.program = NULL};
    const char *given = NULL, *format = "text", *environment = getenv("TRACE_HOOKS");
    const struct ts_option options[] = {
        {.name = "--hooks",
         .value = "SELECTION",
         .help = "What to select; default TRACE_HOOKS, else the default packs",
         .kind = TS_OPTION_TEXT,
         .target = &given},
        TS_COMMAND_FORMAT(&format),
        {.name = "--kinds",
         .help = "List the kinds of arguments and results that signatures consist of",
         .kind = TS_OPTION_FLAG,
         .number = 1,
         .target = &request.kinds},
        {.name = NULL},
    };
    char **operands, *wrong = NULL;
    int status = TS_STATUS_USAGE;
    if (!ts_command_parse(argc, argv, options, TS_COMMAND_AT_MOST_ONE, &operands, &status))
        return status;
    request.program = operands[0];
    if (request.kinds && request.program) {
        ts_command_tell("hooks: --kinds lists what signatures consist of, of no program: leave out '%s'",
                        request.program);
        return TS_STATUS_USAGE;
    }
    int json = ts_command_is_json("hooks", format);
    if (json < 0)
        return TS_STATUS_USAGE;
    request.json = json;
    request.selection_text = given;
    if (!given && request.program)
        request.selection_text = environment ? environment : TS_HOOKS_DEFAULT;
    if (request.selection_text)
        ts_hook_option_parse(&request.selection, request.selection_text, &wrong);
    if (wrong)
        ts_command_tell("hooks: %s: %s", given ? "--hooks" : "TRACE_HOOKS", wrong);
    /* Of the environment what is right holds, as for the program that would run with it. */
    status = wrong && given ? TS_STATUS_USAGE : answer(&request);
    free(wrong);
    free(request.selection.rules);
    return status;
}
