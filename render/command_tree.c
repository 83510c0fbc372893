#include "render/command.h"
#include "render/duration_parse.h"
#include "render/filter_options.h"
#include "render/formats.h"
#include "render/screen.h"
#include "render/tree_ranked.h"

#include <string.h>

#define SLOWEST_SHOWN 50

struct tree {
    struct ts_format_options format;
    struct ts_span_filter filter;
    bool filters;
    enum ts_tree_rank rank; /* 0: the tree */
    uint64_t most;          /* calls of a rank */
    struct ts_screen screen;
};

static int write_tree(struct ts_session *session, const void *context, FILE *out, struct ts_error *error) {
    const struct tree *tree = context;
    if (tree->filters)
        session->filter = &tree->filter;
    if (tree->rank)
        return ts_tree_write_ranked(session, tree->rank, tree->most, tree->screen.colour, out, error);
    struct ts_format_options format = tree->format;
    format.colour = tree->screen.colour;
    return ts_formats_find("tree")->write(session, &format, out, error);
}

/* --slow, --last and --limit. 0, or -1 and the error. */
static int choose_rank(struct tree *tree, const char *slow, uint64_t last, uint64_t limit, struct ts_error *error) {
    if (slow && last)
        return ts_error_set(error, "--slow and --last exclude each other");
    if ((slow || last) && tree->format.view != TS_TREE_AUTO)
        return ts_error_set(error, "--slow and --last show single calls: leave out --calls, --merged and --programs");
    if (!slow && limit != UINT64_MAX)
        return ts_error_set(error, "--limit belongs to --slow");
    if (slow) {
        uint64_t slow_ns;
        if (ts_duration_parse(slow, strlen(slow), 1, &slow_ns) != 0)
            return ts_error_set(error, "--slow: '%s' is no duration; write 100ns, 5us, 1.5ms or 2s", slow);
        if (slow_ns > tree->filter.min_ns)
            tree->filter.min_ns = slow_ns;
        tree->filters = true;
        tree->rank = TS_TREE_SLOWEST;
        tree->most = limit == UINT64_MAX ? SLOWEST_SHOWN : limit;
    } else if (last) {
        tree->rank = TS_TREE_LAST;
        tree->most = last;
    }
    return 0;
}

int ts_command_tree(int argc, char **argv) {
    int view = TS_TREE_AUTO, programs = 0;
    const char *slow = NULL;
    uint64_t last = 0, limit = UINT64_MAX;
    struct tree tree = {.rank = 0};
    struct ts_filter_options filter = {.depth = 0};
    const struct ts_option options[] = {
        {.name = "--calls", .help = "Show every call", .number = TS_TREE_CALLS, .target = &view},
        {.name = "--merged",
         .help = "Show calls of the same path as one line (the default above 200 calls)",
         .number = TS_TREE_MERGED,
         .target = &view},
        {.name = "--programs",
         .help = "Merged, and processes that run the same program as one",
         .number = 1,
         .target = &programs},
        {.name = "--max-lines",
         .value = "N",
         .help = "Show the first N lines; 0, the default: all",
         .kind = TS_OPTION_COUNT,
         .target = &tree.format.max_lines},
        {.name = "--slow",
         .value = "DURATION",
         .help = "Only the calls that took so long, the slowest first",
         .kind = TS_OPTION_TEXT,
         .target = &slow},
        {.name = "--limit",
         .value = "N",
         .help = "Of --slow, show N; by default 50; 0: all",
         .kind = TS_OPTION_COUNT,
         .target = &limit},
        {.name = "--last",
         .value = "N",
         .help = "Only the N calls that ended last, the newest last",
         .kind = TS_OPTION_COUNT,
         .target = &last},
        TS_FILTER_OPTIONS(filter),
        TS_SCREEN_OPTIONS(tree.screen),
        {.name = NULL},
    };
    char **operands;
    int status;
    struct ts_error error;
    if (!ts_command_parse(argc, argv, options, 1, &operands, &status))
        return status;
    if (programs && view == TS_TREE_CALLS) {
        ts_command_tell("tree: --programs merges calls: leave out --calls");
        return TS_STATUS_USAGE;
    }
    tree.format.view = programs ? TS_TREE_MERGED : (enum ts_tree_view)view;
    tree.format.by_program = programs;
    int filters = ts_filter_options_parse(&filter, &tree.filter, &error);
    tree.filters = filters > 0;
    filter.slow = slow;
    if (filters < 0 || choose_rank(&tree, slow, last, limit, &error) != 0) {
        ts_command_tell("tree: %s", error.text);
        return TS_STATUS_USAGE;
    }
    return ts_command_show_session(operands[0], &tree.screen, write_tree, &tree);
}
