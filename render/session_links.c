#include "render/session_links.h"

#include "render/memory.h"
#include "render/process_index.h"
#include "render/session_private.h"

#include <stdlib.h>

struct making {
    struct ts_links *links;
    size_t capacity;
    struct ts_process_index processes;
};

static int order(uint64_t left, uint64_t right) {
    return (left > right) - (left < right);
}

static size_t order_of(const struct ts_process *process) {
    return ((const struct ts_session_process *)process)->order;
}

/* The thread that began first. NULL: none. */
static const struct ts_thread_facts *first_thread(const struct ts_process *process) {
    const struct ts_process_facts *facts = ts_process_facts_of(process);
    const struct ts_thread_facts *found = NULL;
    for (size_t i = 0; i < facts->thread_count; i++) {
        const struct ts_thread_facts *thread = &process->trace->facts->threads[facts->first_thread + i];
        if (!found || thread->start_clock < found->start_clock)
            found = thread;
    }
    return found;
}

/* `link` but for its end, which is in `thread`, one of the process that it leads to; `is_first`: the first. */
static void add_link(struct making *making, struct ts_link link, const struct ts_thread_facts *thread, bool is_first) {
    struct ts_links *links = making->links;
    link.to_thread = thread->thread;
    link.to_ns = ts_clock_fit_ns(&link.to->trace->clock, thread->start_clock);
    if (is_first && link.to->start_ns < link.to_ns)
        link.to_ns = link.to->start_ns; /* its inherited calls begin then */
    if (link.from_ns >= link.to_ns)     /* of two files' clocks, or as older traces have it: when the call returned */
        link.from_ns = link.to_ns ? link.to_ns - 1 : 0;
    links->links = ts_memory_grow(links->links, &making->capacity, links->count + 1, sizeof *links->links);
    links->links[links->count++] = link;
}

static void add_origin(struct making *making, const struct ts_process *from, const struct ts_origin_facts *origin) {
    struct ts_link link = {
        .from = from, .from_thread = origin->thread, .from_ns = ts_clock_fit_ns(&from->trace->clock, origin->clock)};
    link.what = origin->type == TS_RECORD_FORK ? "fork" : origin->type == TS_RECORD_SPAWN ? "spawn" : "exec";
    if (origin->type == TS_RECORD_EXEC)
        /* Not by when it was executed: the clocks of its files are the less apart where it began itself. */
        link.to = ts_process_index_after(&making->processes, from->pid, from->start_ns, true);
    else
        link.to = ts_process_index_after(&making->processes, origin->pid, ts_process_index_begins_ns(link.from_ns),
                                         origin->type == TS_RECORD_SPAWN);
    if (!origin->thread || !link.to || link.to == from)
        return;
    const struct ts_thread_facts *thread = first_thread(link.to);
    if (thread)
        add_link(making, link, thread, true);
}

static void add_threads(struct making *making, const struct ts_process *process) {
    const struct ts_process_facts *facts = ts_process_facts_of(process);
    const struct ts_thread_facts *first = first_thread(process);
    for (size_t i = 0; i < facts->thread_count; i++) {
        const struct ts_thread_facts *thread = &process->trace->facts->threads[facts->first_thread + i];
        if (!thread->maker)
            continue;
        struct ts_link link = {.what = "thread",
                               .from = process,
                               .from_thread = thread->maker,
                               .from_ns = ts_clock_fit_ns(&process->trace->clock, thread->made_clock),
                               .to = process};
        add_link(making, link, thread, thread == first);
    }
}

static int compare_begins(const void *left_pointer, const void *right_pointer) {
    const struct ts_link *left = left_pointer, *right = right_pointer;
    if (left->from != right->from)
        return order(order_of(left->from), order_of(right->from));
    if (left->from_thread != right->from_thread)
        return order(left->from_thread, right->from_thread);
    return order(left->from_ns, right->from_ns);
}

static int compare_thread(const struct ts_process *left, uint32_t left_thread, const struct ts_process *right,
                          uint32_t right_thread) {
    return left != right ? order(order_of(left), order_of(right)) : order(left_thread, right_thread);
}

static int compare_ends(const void *left_pointer, const void *right_pointer, void *context) {
    const struct ts_link *links = context;
    const struct ts_link *left = &links[*(const uint32_t *)left_pointer];
    const struct ts_link *right = &links[*(const uint32_t *)right_pointer];
    int threads = compare_thread(left->to, left->to_thread, right->to, right->to_thread);
    return threads ? threads : -order(left->from_ns, right->from_ns);
}

/* Of several that lead to one thread (fork and exec, where the fork left no calls) the latest counts. */
static void index_ends(struct ts_links *links) {
    links->by_end = ts_memory_new(links->count, sizeof *links->by_end);
    for (size_t i = 0; i < links->count; i++)
        links->by_end[i] = (uint32_t)i;
    if (links->count)
        qsort_r(links->by_end, links->count, sizeof *links->by_end, compare_ends, links->links);
    for (size_t i = 0; i < links->count; i++) {
        const struct ts_link *link = &links->links[links->by_end[i]];
        const struct ts_link *before = links->end_count ? &links->links[links->by_end[links->end_count - 1]] : NULL;
        if (!before || compare_thread(before->to, before->to_thread, link->to, link->to_thread) != 0)
            links->by_end[links->end_count++] = links->by_end[i];
    }
}

void ts_links_make(struct ts_links *links, const struct ts_session *session) {
    struct making making = {.links = links};
    *links = (struct ts_links){0};
    ts_process_index_make(&making.processes, session);
    for (size_t t = 0; t < session->trace_count; t++) {
        const struct ts_facts *facts = session->traces[t]->facts;
        for (size_t i = 0; facts && i < facts->origin_count; i++) {
            const struct ts_process *from =
                ts_process_index_numbered(&making.processes, session->traces[t], facts->origins[i].process);
            if (from)
                add_origin(&making, from, &facts->origins[i]);
        }
    }
    for (size_t i = 0; i < session->process_count; i++)
        if (session->processes[i]->trace)
            add_threads(&making, session->processes[i]);
    ts_process_index_free(&making.processes);
    if (links->count)
        qsort(links->links, links->count, sizeof *links->links, compare_begins);
    index_ends(links);
}

void ts_links_free(struct ts_links *links) {
    free(links->links);
    free(links->by_end);
    *links = (struct ts_links){0};
}

const struct ts_link *ts_links_from(const struct ts_links *links, const struct ts_stream *stream, size_t *count) {
    size_t low = 0, high = links->count, end;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct ts_link *link = &links->links[middle];
        if (compare_thread(link->from, link->from_thread, stream->process, stream->thread) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (end = low; end < links->count; end++)
        if (links->links[end].from != stream->process || links->links[end].from_thread != stream->thread)
            break;
    *count = end - low;
    return *count ? links->links + low : NULL;
}

const struct ts_link *ts_links_to(const struct ts_links *links, const struct ts_stream *stream) {
    size_t low = 0, high = links->end_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct ts_link *link = &links->links[links->by_end[middle]];
        int side = compare_thread(link->to, link->to_thread, stream->process, stream->thread);
        if (side == 0)
            return link;
        if (side < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}
