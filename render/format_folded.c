/*
 * "Folded" stacks: a line for each distinct path, `process;thread;outer;inner ns`, the time spent at its end. Read by
 * flamegraph.pl, inferno, speedscope and others. Paths deeper than call_paths.h says are cut: `...;[deeper];inner ns`.
 */
#include "render/call_paths.h"
#include "render/formats.h"
#include "render/frame_names.h"
#include "render/memory.h"
#include "render/written.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Ends a frame; begins the number. */
#define NOT_IN_NAMES ";:"

struct folded {
    FILE *out;
    char **names;
    char *thread;
};

static void write_path(void *context, const uint32_t *rows, size_t depth, uint64_t self, bool is_cut) {
    const struct folded *folded = context;
    fputs(folded->thread, folded->out);
    for (size_t i = 0; i < depth; i++) {
        fputs(is_cut && i == depth - 1 ? ";[deeper];" : ";", folded->out);
        fputs(folded->names[rows[i]], folded->out);
    }
    fprintf(folded->out, " %" PRIu64 "\n", self);
}

/* `process`, or `process;thread` where the thread has a name of its own. */
static char *thread_frames(const struct ts_stream *stream) {
    char *process = ts_frame_name(stream->process->name, NOT_IN_NAMES);
    if (!*stream->name || !strcmp(stream->name, stream->process->name))
        return process;
    char *thread = ts_frame_name(stream->name, NOT_IN_NAMES);
    char *both = ts_memory_text("%s;%s", process, thread);
    free(process);
    free(thread);
    return both;
}

int ts_format_folded(struct ts_session *session, const struct ts_format_options *options, FILE *out,
                     struct ts_error *error) {
    struct ts_call_tree tree = {0};
    struct ts_sink sink = ts_call_tree_sink(&tree);
    (void)options;
    ts_replay(session, &sink, NULL);
    ts_call_tree_sort(&tree);
    struct folded folded = {.out = out, .names = ts_frame_names(&tree.rows, NOT_IN_NAMES)};
    for (size_t i = 0; i < tree.stream_count; i++) {
        folded.thread = thread_frames(tree.streams[i]->stream);
        ts_call_paths_walk(&tree, tree.streams[i], write_path, &folded);
        free(folded.thread);
    }
    ts_frame_names_free(folded.names, &tree.rows);
    ts_call_tree_free(&tree);
    return ts_written_all(out, "the stacks", error);
}
