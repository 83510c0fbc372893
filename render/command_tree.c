#include "render/command.h"
#include "render/formats.h"

static int write_tree(struct ts_session *session, const void *context, FILE *out, struct ts_error *error) {
    return ts_formats_find("tree")->write(session, context, out, error);
}

int ts_command_tree(int argc, char **argv) {
    int view = TS_TREE_AUTO;
    struct ts_format_options tree = {.max_lines = 0};
    const struct ts_option options[] = {
        {.name = "--calls", .help = "Show every call", .number = TS_TREE_CALLS, .target = &view},
        {.name = "--merged",
         .help = "Show calls of the same path as one line (the default above 200 calls)",
         .number = TS_TREE_MERGED,
         .target = &view},
        {.name = "--max-lines",
         .value = "N",
         .help = "Show the first N lines; 0, the default: all",
         .kind = TS_OPTION_COUNT,
         .target = &tree.max_lines},
        {.name = NULL},
    };
    char **operands;
    int status;
    if (!ts_command_parse(argc, argv, options, 1, &operands, &status))
        return status;
    tree.view = (enum ts_tree_view)view;
    return ts_command_write_session(operands[0], NULL, write_tree, &tree);
}
