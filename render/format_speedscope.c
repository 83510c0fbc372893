/*
 * speedscope's own format. Above max_calls, where its evented profiles take it minutes, sampled ones: every distinct
 * path once, with its time.
 */
#include "render/call_paths.h"
#include "render/formats.h"
#include "render/memory.h"
#include "render/speedscope_sink.h"

#include <stdlib.h>

struct sampled {
    struct ts_speedscope *speedscope;
    uint64_t *weights; /* of the samples of this profile */
    size_t count;
    size_t capacity;
};

static void write_sample(void *context, const uint32_t *rows, size_t depth, uint64_t self, bool is_cut) {
    struct sampled *sampled = context;
    struct ts_json_stream *json = &sampled->speedscope->json;
    (void)is_cut;
    ts_json_stream_text(json, sampled->count ? ",\n[" : "\n[");
    for (size_t i = 0; i < depth; i++) {
        if (i)
            ts_json_stream_text(json, ",");
        ts_json_stream_unsigned(json, rows[i]);
    }
    ts_json_stream_text(json, "]");
    sampled->weights =
        ts_memory_grow(sampled->weights, &sampled->capacity, sampled->count + 1, sizeof *sampled->weights);
    sampled->weights[sampled->count++] = self;
}

static void write_profile(struct sampled *sampled, const struct ts_call_tree *tree,
                          const struct ts_call_tree_stream *stream) {
    struct ts_json_stream *json = &sampled->speedscope->json;
    uint64_t total = 0;
    sampled->count = 0;
    ts_speedscope_begin_profile(sampled->speedscope, "sampled", stream->stream);
    ts_json_stream_text(json, "\"samples\":[");
    ts_call_paths_walk(tree, stream, write_sample, sampled);
    ts_json_stream_text(json, "],\"weights\":[");
    for (size_t i = 0; i < sampled->count; i++) {
        if (i)
            ts_json_stream_text(json, ",");
        ts_json_stream_unsigned(json, sampled->weights[i]);
        total += sampled->weights[i];
    }
    ts_json_stream_text(json, "],\"startValue\":0,\"endValue\":");
    ts_json_stream_unsigned(json, total);
    ts_json_stream_text(json, "}");
}

static void write_sampled(struct ts_speedscope *speedscope) {
    struct ts_call_tree tree = {0};
    struct ts_sink sink = ts_call_tree_sink(&tree);
    struct sampled sampled = {.speedscope = speedscope};
    ts_replay(speedscope->session, &sink, NULL);
    ts_call_tree_sort(&tree);
    for (size_t i = 0; i < tree.stream_count; i++)
        write_profile(&sampled, &tree, tree.streams[i]);
    speedscope->rows = tree.rows;
    tree.rows = (struct ts_function_rows){0};
    ts_call_tree_free(&tree);
    free(sampled.weights);
}

int ts_format_speedscope(struct ts_session *session, const struct ts_format_options *options, FILE *out,
                         struct ts_error *error) {
    struct ts_speedscope speedscope;
    ts_speedscope_open(&speedscope, session, out);
    if (options->max_calls && ts_replay_estimate_calls(session) > options->max_calls) {
        write_sampled(&speedscope);
    } else {
        struct ts_sink sink = ts_speedscope_sink(&speedscope);
        ts_replay(session, &sink, NULL);
    }
    return ts_speedscope_close(&speedscope, error);
}
