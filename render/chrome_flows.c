#include "render/chrome_flows.h"

#include "render/memory.h"

#include <stdlib.h>

void ts_chrome_flows_make(struct ts_chrome_flows *flows, const struct ts_session *session) {
    ts_links_make(&flows->links, session);
    flows->begins = ts_memory_new(flows->links.count, sizeof *flows->begins);
    flows->ends = ts_memory_new(flows->links.count, sizeof *flows->ends);
}

void ts_chrome_flows_free(struct ts_chrome_flows *flows) {
    free(flows->begins);
    free(flows->ends);
    ts_links_free(&flows->links);
    *flows = (struct ts_chrome_flows){.begins = NULL};
}

void ts_chrome_flows_stream(const struct ts_chrome_flows *flows, const struct ts_stream *stream,
                            struct ts_chrome_stream_flows *left) {
    left->out = ts_links_from(&flows->links, stream, &left->out_count);
    left->in = ts_links_to(&flows->links, stream);
}

/* Those behind the call's begin; one before it lies in a call around it, which ends later. */
static void bind_begins(struct ts_chrome_flows *flows, struct ts_chrome_stream_flows *left,
                        struct ts_chrome_flow_end end, uint64_t start_ns, uint64_t end_ns) {
    for (size_t i = 0; i < left->out_count && left->out[i].from_ns <= end_ns; i++) {
        struct ts_chrome_flow_end *begin = &flows->begins[&left->out[i] - flows->links.links];
        if (begin->is_bound || left->out[i].from_ns < start_ns)
            continue;
        *begin = end;
        begin->ns = left->out[i].from_ns;
    }
    while (left->out_count && flows->begins[left->out - flows->links.links].is_bound) {
        left->out++;
        left->out_count--;
    }
}

void ts_chrome_flows_bind(struct ts_chrome_flows *flows, struct ts_chrome_stream_flows *left, uint32_t pid,
                          uint32_t tid, uint64_t start_ns, uint64_t end_ns) {
    struct ts_chrome_flow_end end = {.pid = pid, .tid = tid, .ns = start_ns, .is_bound = true};
    if (left->out_count)
        bind_begins(flows, left, end, start_ns, end_ns);
    if (left->in && start_ns == left->first_ns) {
        flows->ends[left->in - flows->links.links] = end;
        left->in = NULL;
    }
}

static void write_end(struct ts_json_stream *json, const char *phase, const char *name, size_t number,
                      const struct ts_chrome_flow_end *end) {
    ts_json_stream_text(json, ",\n{\"ph\":\"");
    ts_json_stream_text(json, phase);
    ts_json_stream_text(json, ",\"cat\":\"traceshim\",\"name\":\"");
    ts_json_stream_text(json, name);
    ts_json_stream_text(json, "\",\"id\":");
    ts_json_stream_unsigned(json, number);
    ts_json_stream_text(json, ",\"pid\":");
    ts_json_stream_unsigned(json, end->pid);
    ts_json_stream_text(json, ",\"tid\":");
    ts_json_stream_unsigned(json, end->tid);
    ts_json_stream_text(json, ",\"ts\":");
    ts_json_stream_used(json, ts_json_microseconds(ts_json_stream_room(json, TS_JSON_MICROSECONDS_BYTES), end->ns));
    ts_json_stream_text(json, "}");
}

/* Without `"bp":"e"` an end binds to the next call instead of the one around it. */
void ts_chrome_flows_write(const struct ts_chrome_flows *flows, struct ts_json_stream *json) {
    for (size_t i = 0; i < flows->links.count; i++) {
        if (!flows->begins[i].is_bound || !flows->ends[i].is_bound || flows->begins[i].ns >= flows->ends[i].ns)
            continue;
        write_end(json, "s\"", flows->links.links[i].what, i + 1, &flows->begins[i]);
        write_end(json, "f\",\"bp\":\"e\"", flows->links.links[i].what, i + 1, &flows->ends[i]);
    }
}
