#include "render/tree_views.h"
#include "render/written.h"

/* More are merged by program in a first look. */
enum { SINGLE_PROCESSES_MOST = 8 };

static uint64_t elapsed_ns(const struct ts_session *session) {
    uint64_t start_ns = UINT64_MAX, end_ns = 0;
    for (size_t i = 0; i < session->process_count; i++) {
        const struct ts_process *process = session->processes[i];
        start_ns = process->start_ns < start_ns ? process->start_ns : start_ns;
        end_ns = process->end_ns > end_ns ? process->end_ns : end_ns;
    }
    return end_ns > start_ns ? end_ns - start_ns : 0;
}

static struct ts_tree_text begin_text(const struct ts_session *session, const struct ts_format_options *options,
                                      uint64_t max_lines, FILE *out) {
    struct ts_tree_text text;
    ts_tree_text_init(&text, out, max_lines);
    text.colour = options->colour;
    text.long_ns = options->colour ? elapsed_ns(session) / 10 + 1 : 0;
    return text;
}

/*
 * Writes the calls view and returns true, or, where the session has more than `most_spans` spans and `only_if_all`,
 * returns false: then nothing is written and the replay ended early.
 */
static bool try_calls_view(struct ts_session *session, const struct ts_format_options *options, size_t most_spans,
                           bool only_if_all, uint64_t max_lines, FILE *out) {
    struct ts_span_list list;

    ts_span_list_init(&list, most_spans);
    struct ts_sink sink = ts_span_list_sink(&list);
    ts_replay(session, &sink, only_if_all ? &list.overflow : NULL);
    bool written = !only_if_all || (!list.overflow && ts_span_list_total(&list) <= most_spans);
    if (written) {
        struct ts_tree_text text = begin_text(session, options, max_lines, out);
        ts_tree_write_calls_view(&list, &text);
    }
    ts_span_list_free(&list);
    return written;
}

static void write_merged_view(struct ts_session *session, const struct ts_format_options *options, uint64_t max_lines,
                              FILE *out) {
    bool many = options->screen_lines && session->process_count > SINGLE_PROCESSES_MOST;
    struct ts_call_tree tree = {.by_program = options->by_program || many, .sites = session->sites};

    struct ts_sink sink = ts_call_tree_sink(&tree);
    ts_replay(session, &sink, NULL);
    if (session->totals.calls == 0) { /* nothing to merge, but exceptions or signals in no call */
        uint64_t most = options->screen_lines ? options->screen_lines : max_lines ? max_lines : TS_SPAN_LIST_MOST;
        try_calls_view(session, options, most, false, most, out);
        ts_call_tree_free(&tree);
        return;
    }
    struct ts_tree_text text = begin_text(session, options, max_lines, out);
    if (options->screen_lines)
        ts_tree_write_longest_paths(&tree, elapsed_ns(session) / 1000, options->screen_lines, &text);
    else
        ts_tree_write_merged_view(&tree, &text);
    ts_call_tree_free(&tree);
}

int ts_format_tree(struct ts_session *session, const struct ts_format_options *options, FILE *out,
                   struct ts_error *error) {
    uint64_t max_lines = options->max_lines;

    if (options->screen_lines) {
        if (!try_calls_view(session, options, options->screen_lines, true, 0, out))
            write_merged_view(session, options, 0, out);
    } else if (options->view == TS_TREE_CALLS) {
        if (max_lines == 0 || max_lines > TS_SPAN_LIST_MOST)
            max_lines = TS_SPAN_LIST_MOST;
        try_calls_view(session, options, max_lines, false, max_lines, out);
    } else if (options->view == TS_TREE_MERGED || options->by_program ||
               !try_calls_view(session, options, TS_TREE_CALLS_MOST, true, max_lines, out)) {
        write_merged_view(session, options, max_lines, out);
    }
    return ts_written_all(out, "the tree", error);
}
