#include "render/otlp_parents.h"

#include "render/memory.h"
#include "render/trace_file.h"

#include <stdlib.h>
#include <string.h>

void ts_otlp_parents_make(struct ts_otlp_parents *parents, const struct ts_session *session) {
    ts_links_make(&parents->links, session);
    parents->begins = ts_memory_new(parents->links.count, sizeof *parents->begins);
    parents->known = ts_memory_new(parents->links.count, sizeof *parents->known);
    ts_span_ids_trace(session, parents->trace);
}

void ts_otlp_parents_free(struct ts_otlp_parents *parents) {
    free(parents->begins);
    free(parents->known);
    ts_links_free(&parents->links);
    *parents = (struct ts_otlp_parents){.begins = NULL};
}

/* What TRACEPARENT named when the process began. */
static struct ts_otlp_parent told_parent(const struct ts_otlp_parents *parents, const struct ts_process *process) {
    struct ts_otlp_parent parent = {.is_remote = true};
    if (!process->trace || memcmp(process->trace->header.trace_id, parents->trace, sizeof parents->trace) != 0)
        return (struct ts_otlp_parent){.span = 0};
    for (size_t i = 0; i < sizeof process->trace->header.parent_span_id; i++)
        parent.span = parent.span << 8 | process->trace->header.parent_span_id[i];
    return parent.span ? parent : (struct ts_otlp_parent){.span = 0};
}

struct ts_otlp_parent ts_otlp_parents_of(const struct ts_otlp_parents *parents, const struct ts_stream *stream) {
    const struct ts_link *link = ts_links_to(&parents->links, stream);
    struct ts_otlp_parent parent = {.span = 0};
    if (link)
        parent = parents->begins[link - parents->links.links];
    if (!parent.span)
        return told_parent(parents, stream->process);
    parent.is_remote |= link->from != stream->process;
    return parent;
}

struct ts_otlp_made ts_otlp_parents_made(const struct ts_otlp_parents *parents, const struct ts_stream *stream) {
    struct ts_otlp_made made;
    made.next = ts_links_from(&parents->links, stream, &made.count);
    return made;
}

bool ts_otlp_parents_bind(struct ts_otlp_parents *parents, struct ts_otlp_made *made, uint64_t ns, uint64_t span,
                          uint64_t span_ns) {
    bool any = false;
    for (; ts_otlp_made_until(made, ns); made->next++, made->count--) {
        size_t i = (size_t)(made->next - parents->links.links);
        if (!span || parents->known[i] || made->next->from_ns < span_ns)
            continue;
        parents->begins[i].span = span;
        parents->known[i] = any = true;
    }
    return any;
}

void ts_otlp_parents_finish(struct ts_otlp_parents *parents, const struct ts_stream *stream,
                            struct ts_otlp_parent parent) {
    struct ts_otlp_made made = ts_otlp_parents_made(parents, stream);
    for (; made.count; made.next++, made.count--) {
        size_t i = (size_t)(made.next - parents->links.links);
        if (!parents->known[i])
            parents->begins[i] = parent;
    }
}
