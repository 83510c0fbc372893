#include "render/html_data.h"

#include "render/certificate.h"
#include "render/html_lines.h"
#include "render/memory.h"

#include <stdlib.h>

/* A name is repeated in a tooltip, not in each call: what is longer helps nobody. */
#define NAME_BYTES 1000
/* Nor must they take the room of all else: of very many functions each gets less. */
#define ALL_NAMES_BYTES (2000 * 1000)
#define NAME_BYTES_LEAST 60
#define FUNCTIONS_MOST 10000

/* A function over all its paths, as in the report (call_stats.h). */
struct function_count {
    uint64_t calls;
    uint64_t total; /* of nested calls only the outermost counts */
    uint64_t self;
    uint64_t durations;
    uint64_t minimum;
    uint64_t maximum;
    uint64_t errors;
    uint64_t open; /* while the tree is walked: how often it is on the path at hand */
};

struct writer {
    struct ts_json_stream *json;
    const struct ts_call_tree *tree;
    const struct ts_html_timeline *timeline;
    uint32_t *shown;              /* by row: its number in the page + 1; 0: not shown */
    struct function_count *count; /* by row */
    uint64_t total_least;         /* paths with less are left out */
    uint64_t ties;                /* of those with exactly that, so many are shown */
    uint64_t all_paths;
    uint64_t paths; /* shown */
};

static void put(struct writer *writer, const char *text) {
    ts_json_stream_text(writer->json, text);
}

static void put_number(struct writer *writer, uint64_t number) {
    ts_json_stream_unsigned(writer->json, number);
}

static void put_cut(struct writer *writer, const char *name, size_t most) {
    char *to = ts_json_stream_room(writer->json, TS_JSON_ESCAPED_BYTES(NAME_BYTES) + 2);
    *to++ = '"';
    to = ts_json_escape(to, name, most);
    *to++ = '"';
    ts_json_stream_used(writer->json, to);
}

static void put_name(struct writer *writer, const char *name) {
    put_cut(writer, name, NAME_BYTES);
}

/* What each of so many functions may take for its name and scope. */
static size_t name_bytes_of(size_t count) {
    size_t each = ALL_NAMES_BYTES / (2 * count + 1);
    return each > NAME_BYTES ? NAME_BYTES : each < NAME_BYTES_LEAST ? NAME_BYTES_LEAST : each;
}

static int descending(const void *left, const void *right) {
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a < b) - (a > b);
}

/* A path's total is at most that of the path it continues, so that what is kept hangs together. */
static void choose_paths(struct writer *writer) {
    const struct ts_call_tree *tree = writer->tree;
    uint64_t *totals = ts_memory_new(tree->node_count + 1, sizeof *totals);
    size_t count = 0;
    for (size_t i = 0; i < tree->node_count; i++)
        if (tree->nodes[i].row != TS_ROW_NONE)
            totals[count++] = tree->nodes[i].total;
    writer->all_paths = count;
    writer->ties = UINT64_MAX;
    if (count > TS_HTML_PATHS_MOST) {
        qsort(totals, count, sizeof *totals, descending);
        writer->total_least = totals[TS_HTML_PATHS_MOST - 1];
        writer->ties = 0;
        for (size_t i = TS_HTML_PATHS_MOST; i-- > 0 && totals[i] == writer->total_least;)
            writer->ties++;
    }
    free(totals);
}

static bool takes(struct writer *writer, const struct ts_call_node *node) {
    if (node->total > writer->total_least)
        return true;
    if (node->total < writer->total_least || writer->ties == 0)
        return false;
    writer->ties--;
    return true;
}

/* The walk of one stream's tree: depth first without recursion. */
struct walk {
    uint32_t root;
    uint32_t at;
    uint32_t depth;
};

static struct walk begin_walk(const struct ts_call_tree *tree, uint32_t root) {
    return (struct walk){.root = root, .at = tree->nodes[root].first_child, .depth = 0};
}

/* On from the path at hand; `into`: to what continues it first. */
static void go_on(const struct ts_call_tree *tree, struct walk *walk, bool into) {
    const struct ts_call_node *node = &tree->nodes[walk->at];
    if (into && node->first_child != TS_NODE_NONE) {
        walk->at = node->first_child;
        walk->depth++;
        return;
    }
    while (node->next_sibling == TS_NODE_NONE && node->parent != walk->root) {
        node = &tree->nodes[node->parent];
        walk->depth--;
    }
    walk->at = node->next_sibling;
}

static void write_paths(struct writer *writer, uint32_t root) {
    const struct ts_call_tree *tree = writer->tree;
    bool first = true;
    for (struct walk walk = begin_walk(tree, root); walk.at != TS_NODE_NONE;) {
        const struct ts_call_node *node = &tree->nodes[walk.at];
        bool taken = takes(writer, node);
        if (taken) {
            const uint64_t numbers[] = {walk.depth,
                                        writer->shown[node->row] - 1,
                                        node->calls,
                                        node->total,
                                        ts_call_tree_self(tree, node),
                                        node->minimum,
                                        node->maximum,
                                        node->errors};
            for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
                put(writer, first ? "" : ",");
                put_number(writer, numbers[i]);
                first = false;
            }
            writer->paths++;
        }
        go_on(tree, &walk, taken);
    }
}

/* Starts count from `start_ns`. */
static void write_spans(struct writer *writer, size_t first, size_t end, uint64_t start_ns) {
    for (size_t i = first; i < end; i++) {
        const struct ts_html_span *span = &writer->timeline->spans[i];
        const uint64_t numbers[] = {span->depth, writer->shown[span->row] - 1, span->start_ns - start_ns,
                                    span->end_ns - span->start_ns, span->flags};
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
            put(writer, i == first && k == 0 ? "" : ",");
            put_number(writer, numbers[k]);
        }
    }
}

/* By number of the span in the page, those that have some. */
static void write_arguments(struct writer *writer, size_t first, size_t end) {
    const struct ts_html_timeline *timeline = writer->timeline;
    bool any = false;
    for (size_t i = first; i < end; i++) {
        const struct ts_html_span *span = &timeline->spans[i];
        if (!span->argument_bytes)
            continue;
        put(writer, any ? ",\"" : "\"");
        put_number(writer, i - first);
        put(writer, "\":{");
        ts_json_stream_bytes(writer->json, timeline->texts + span->arguments, span->argument_bytes - 1);
        put(writer, "}");
        any = true;
    }
}

static size_t process_number(const struct ts_session *session, const struct ts_process *process) {
    size_t number = 0;
    while (number < session->process_count && session->processes[number] != process)
        number++;
    return number;
}

static void write_processes(struct writer *writer, const struct ts_session *session) {
    put(writer, "\"processes\":[");
    for (size_t i = 0; i < session->process_count; i++) {
        const struct ts_process *process = session->processes[i];
        put(writer, i ? ",\n{\"pid\":" : "\n{\"pid\":");
        put_number(writer, process->pid);
        put(writer, ",\"name\":");
        put_name(writer, process->name);
        put(writer, ",\"command\":");
        put_name(writer, process->command);
        put(writer, ",\"end\":");
        put_name(writer, ts_certificate_end_word(process->end_reason));
        put(writer, "}");
    }
    put(writer, "]");
}

static uint64_t session_start(const struct ts_session *session) {
    uint64_t start = session->process_count ? session->processes[0]->start_ns : 0;
    for (size_t i = 0; i < session->stream_count; i++)
        if (session->streams[i]->start_ns < start)
            start = session->streams[i]->start_ns;
    return start;
}

/* Spans of stream `number` of the timeline begin at *at; *at is moved behind them. */
static size_t spans_of(const struct ts_html_timeline *timeline, uint32_t number, size_t *at) {
    size_t first = *at;
    while (*at < timeline->span_count && timeline->spans[*at].stream == number)
        ++*at;
    return first;
}

/* Both replays begin streams in the same order. */
static void write_threads(struct writer *writer, const struct ts_session *session, uint64_t start_ns) {
    const struct ts_call_tree *tree = writer->tree;
    size_t span = 0;
    put(writer, "\"threads\":[");
    for (size_t i = 0; i < tree->stream_count; i++) {
        const struct ts_stream *stream = tree->streams[i]->stream;
        put(writer, i ? ",\n{\"process\":" : "\n{\"process\":");
        put_number(writer, process_number(session, stream->process));
        put(writer, ",\"tid\":");
        put_number(writer, stream->tid);
        put(writer, ",\"track\":");
        put_number(writer, stream->track);
        put(writer, ",\"name\":");
        put_name(writer, stream->name);
        put(writer, ",\"start\":");
        put_number(writer, stream->start_ns > start_ns ? stream->start_ns - start_ns : 0);
        put(writer, ",\"end\":");
        put_number(writer, stream->end_ns > start_ns ? stream->end_ns - start_ns : 0);
        put(writer, ",\"paths\":[");
        write_paths(writer, tree->streams[i]->root);
        size_t first = i < writer->timeline->stream_count ? spans_of(writer->timeline, (uint32_t)i, &span) : span;
        put(writer, "],\"spans\":[");
        write_spans(writer, first, span, start_ns);
        put(writer, "],\"arguments\":{");
        write_arguments(writer, first, span);
        put(writer, "}}");
    }
    put(writer, "]");
}

static void count_path(struct writer *writer, const struct ts_call_node *node) {
    struct function_count *count = &writer->count[node->row];
    if (node->calls && (!count->calls || node->minimum < count->minimum))
        count->minimum = node->minimum;
    if (node->maximum > count->maximum)
        count->maximum = node->maximum;
    count->calls += node->calls;
    count->total += count->open ? 0 : node->total;
    count->self += ts_call_tree_self(writer->tree, node);
    count->durations += node->durations;
    count->errors += node->errors;
}

static void count_functions(struct writer *writer, uint32_t root) {
    const struct ts_call_node *nodes = writer->tree->nodes;
    uint32_t parent = root, at = nodes[root].first_child;
    while (at != TS_NODE_NONE || parent != root) {
        if (at != TS_NODE_NONE) {
            count_path(writer, &nodes[at]);
            writer->count[nodes[at].row].open++;
            parent = at;
            at = nodes[at].first_child;
        } else {
            writer->count[nodes[parent].row].open--;
            at = nodes[parent].next_sibling;
            parent = nodes[parent].parent;
        }
    }
}

/* All of them, or, of very many, those of the paths and spans that are shown. */
static void write_functions(struct writer *writer) {
    const struct ts_call_tree *tree = writer->tree;
    const struct ts_html_timeline *timeline = writer->timeline;
    uint32_t count = 0;
    bool *used = ts_memory_new(tree->rows.count + 1, sizeof *used);
    for (size_t i = 0; i < tree->node_count; i++)
        if (tree->nodes[i].row != TS_ROW_NONE &&
            (tree->nodes[i].total >= writer->total_least || tree->rows.count <= FUNCTIONS_MOST))
            used[tree->nodes[i].row] = true;
    for (size_t i = 0; i < timeline->span_count; i++)
        used[timeline->spans[i].row] = true;
    size_t shown = 0;
    for (size_t row = 0; row < tree->rows.count; row++)
        shown += used[row];
    size_t most = name_bytes_of(shown);
    put(writer, "\"functions\":[");
    for (size_t row = 0; row < tree->rows.count; row++) {
        if (!used[row])
            continue;
        put(writer, count ? ",\n[" : "\n[");
        put_cut(writer, tree->rows.rows[row].name, most);
        put(writer, ",");
        put_cut(writer, tree->rows.rows[row].scope, most);
        const struct function_count *of = &writer->count[row];
        const uint64_t numbers[] = {of->calls,   of->total,   of->self,  of->durations,
                                    of->minimum, of->maximum, of->errors};
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
            put(writer, ",");
            put_number(writer, numbers[i]);
        }
        put(writer, "]");
        writer->shown[row] = ++count;
    }
    put(writer, "]");
    free(used);
}

void ts_html_data_write(const struct ts_session *session, const struct ts_call_tree *tree,
                        const struct ts_html_timeline *timeline, const struct ts_lines *lines, const char *certificate,
                        struct ts_json_stream *json) {
    struct writer writer = {.json = json, .tree = tree, .timeline = timeline};
    uint64_t start_ns = session_start(session);

    writer.shown = ts_memory_new(tree->rows.count + 1, sizeof *writer.shown);
    writer.count = ts_memory_new(tree->rows.count + 1, sizeof *writer.count);
    choose_paths(&writer);
    for (size_t i = 0; i < tree->stream_count; i++)
        count_functions(&writer, tree->streams[i]->root);
    put(&writer, "{\"version\":1,\"title\":");
    put_name(&writer, session->process_count ? session->processes[0]->name : "no process");
    put(&writer, ",\n");
    write_functions(&writer);
    put(&writer, ",\n");
    write_processes(&writer, session);
    put(&writer, ",\n");
    write_threads(&writer, session, start_ns);
    put(&writer, ",\n\"calls\":");
    put_number(&writer, timeline->calls);
    put(&writer, ",\"spansLeftOut\":");
    put_number(&writer, timeline->left_out);
    put(&writer, ",\"longestLeftOut\":");
    put_number(&writer, timeline->longest_left_out_ns);
    put(&writer, ",\"withoutArguments\":");
    put_number(&writer, timeline->without_arguments);
    put(&writer, ",\"paths\":");
    put_number(&writer, writer.paths);
    put(&writer, ",\"pathsLeftOut\":");
    put_number(&writer, writer.all_paths - writer.paths);
    put(&writer, ",\n");
    ts_html_lines_write(lines, json);
    put(&writer, ",\n\"certificate\":");
    put(&writer, certificate);
    put(&writer, "}");
    free(writer.count);
    free(writer.shown);
}
