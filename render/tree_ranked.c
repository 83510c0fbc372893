#include "render/tree_ranked.h"

#include "render/least_heap.h"
#include "render/memory.h"
#include "render/span_filter.h"
#include "render/tree_views.h"
#include "render/written.h"

#include <stdlib.h>

/* What a call is ranked by, while they go by; each is left right after it was entered. */
struct ranking {
    struct ts_least_heap heap;
    enum ts_tree_rank rank;
    uint64_t start_ns;
};

static void enter_call(void *context, struct ts_function *function, uint64_t start_ns, unsigned flags) {
    struct ranking *ranking = context;
    (void)function;
    (void)flags;
    ranking->start_ns = start_ns;
}

static void leave_call(void *context, uint64_t end_ns, enum ts_leave_how how) {
    struct ranking *ranking = context;
    (void)how;
    ts_least_heap_add(&ranking->heap, ranking->rank == TS_TREE_SLOWEST ? end_ns - ranking->start_ns : end_ns);
}

static void note_moment(void *context, const struct ts_moment *moment) {
    struct ranking *ranking = context;
    ts_least_heap_add(&ranking->heap, ranking->rank == TS_TREE_SLOWEST ? 0 : moment->ns);
}

/* The duration or end that the last call to show has. */
static uint64_t find_limit(struct ts_session *session, enum ts_tree_rank rank, uint64_t most) {
    struct ranking ranking = {.heap.most = most < TS_SPAN_LIST_MOST ? most : TS_SPAN_LIST_MOST, .rank = rank};
    struct ts_sink sink = {.context = &ranking, .enter = enter_call, .leave = leave_call, .moment = note_moment};
    ts_replay(session, &sink, NULL);
    uint64_t limit = ts_least_heap_limit(&ranking.heap);
    ts_least_heap_free(&ranking.heap);
    return limit;
}

struct ranked {
    const struct ts_span *span;
    const struct ts_stream *stream;
    size_t order; /* among all: of the session's streams, then of time */
};

static int compare_numbers(uint64_t left, uint64_t right) {
    return (left > right) - (left < right);
}

static int compare_durations(const void *left, const void *right) {
    const struct ranked *a = left, *b = right;
    int result = compare_numbers(b->span->end_ns - b->span->start_ns, a->span->end_ns - a->span->start_ns);
    if (!result)
        result = compare_numbers(a->span->start_ns, b->span->start_ns);
    return result ? result : compare_numbers(a->order, b->order);
}

static int compare_ends(const void *left, const void *right) {
    const struct ranked *a = left, *b = right;
    int result = compare_numbers(a->span->end_ns, b->span->end_ns);
    return result ? result : compare_numbers(a->order, b->order);
}

static void write_ranked(const struct ts_session *session, const struct ts_span_list *list, enum ts_tree_rank rank,
                         uint64_t most, bool colour, FILE *out) {
    struct ranked *all = ts_memory_new((size_t)ts_span_list_total(list), sizeof *all);
    size_t count = 0;
    for (size_t s = 0; s < list->stream_count; s++)
        for (size_t i = 0; i < list->streams[s]->count; i++, count++)
            all[count] = (struct ranked){&list->streams[s]->spans[i], list->streams[s]->stream, count};
    qsort(all, count, sizeof *all, rank == TS_TREE_SLOWEST ? compare_durations : compare_ends);
    size_t shown = most && most < count ? most : count;
    const struct ranked *first = rank == TS_TREE_LAST ? all + (count - shown) : all;

    struct ts_tree_text text;
    struct ts_tree_places places = {.begin_ns = session->process_count ? session->processes[0]->start_ns : 0,
                                    .several_threads = session->stream_count > 1};
    ts_tree_text_init(&text, out, 0);
    text.colour = colour;
    for (size_t i = 0; i < shown; i++)
        ts_tree_write_single(list, first[i].span, first[i].stream, &places, i + 1 == shown, &text);
    ts_tree_text_end(&text);
    free(all);
}

int ts_tree_write_ranked(struct ts_session *session, enum ts_tree_rank rank, uint64_t most, bool colour, FILE *out,
                         struct ts_error *error) {
    const struct ts_span_filter *given = session->filter;
    struct ts_span_filter filter = given ? *given : (struct ts_span_filter){.to_ns = UINT64_MAX};
    struct ts_span_list list;

    filter.alone = true;
    session->filter = &filter;
    uint64_t limit = most ? find_limit(session, rank, most) : 0;
    if (rank == TS_TREE_LAST)
        filter.ended_from_ns = limit;
    else if (limit > filter.min_ns)
        filter.min_ns = limit;
    ts_span_list_init(&list, TS_SPAN_LIST_MOST);
    struct ts_sink sink = ts_span_list_sink(&list);
    ts_replay(session, &sink, NULL);
    session->filter = given;
    write_ranked(session, &list, rank, most, colour, out);
    ts_span_list_free(&list);
    return ts_written_all(out, "the tree", error);
}
