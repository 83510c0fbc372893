#include "render/tree_programs.h"
#include "render/tree_views.h"

static uint64_t elapsed(uint64_t start_ns, uint64_t end_ns) {
    return end_ns > start_ns ? end_ns - start_ns : 0;
}

static void add_integer(struct ts_tree_line *line, struct ts_attribute *attributes, const char *key, int64_t value) {
    attributes[line->attribute_count++] =
        (struct ts_attribute){.key = key, .value = {.kind = TS_VALUE_INTEGER, .integer = value}};
}

/* `outer_unknown`: 0 where the threads have lines of their own to say it. */
static void write_process(struct ts_tree_text *text, const struct ts_process *process, uint64_t outer_unknown,
                          bool last) {
    struct ts_attribute attributes[4];
    struct ts_tree_line line = {.name = process->name, .attributes = attributes};

    line.duration_ns = elapsed(process->start_ns, process->end_ns);
    line.error = ts_tree_process_failed(process);
    add_integer(&line, attributes, "pid", process->pid);
    if (process->mpi_rank >= 0) {
        add_integer(&line, attributes, "mpi.rank", process->mpi_rank);
        if (process->mpi_size >= 0)
            add_integer(&line, attributes, "mpi.size", process->mpi_size);
    }
    if (outer_unknown)
        add_integer(&line, attributes, "outer_unknown", (int64_t)outer_unknown);
    ts_tree_text_write(text, 0, last, &line);
}

static void write_thread(struct ts_tree_text *text, const struct ts_tree_root *root, bool last) {
    const struct ts_stream *stream = root->stream;
    struct ts_attribute attributes[3];
    struct ts_tree_line line = {.name = *stream->name ? stream->name : stream->process->name, .attributes = attributes};

    line.duration_ns = elapsed(stream->start_ns, stream->end_ns);
    add_integer(&line, attributes, "tid", stream->tid);
    if (stream->track)
        add_integer(&line, attributes, "track", stream->track);
    if (root->outer_unknown)
        add_integer(&line, attributes, "outer_unknown", (int64_t)root->outer_unknown);
    ts_tree_text_write(text, 1, last, &line);
}

/* The next root from `at` on that is shown; `count` when there is none. */
static size_t next_shown(const struct ts_tree_root *roots, size_t count, size_t at) {
    while (at < count && roots[at].empty)
        at++;
    return at;
}

/* What is shown of a process, whose roots lie side by side. */
struct part {
    size_t first; /* root */
    size_t end;   /* where the next process's begin, or `count` */
    size_t threads;
    size_t folded; /* so many of them */
};

static struct part find_part(const struct ts_tree_root *roots, size_t count, size_t first) {
    struct part part = {.first = first, .end = first};
    while (part.end < count && roots[part.end].stream->process == roots[first].stream->process) {
        part.threads++;
        part.folded += roots[part.end].folded;
        part.end = next_shown(roots, count, part.end + 1);
    }
    return part;
}

/* A process and what is below it. */
static void write_part(const struct ts_tree_root *roots, const struct part *part, bool last,
                       ts_tree_write_calls *write_calls, const void *view, struct ts_tree_text *text) {
    const struct ts_process *process = roots[part->first].stream->process;
    size_t left = part->threads - part->folded;

    write_process(text, process, part->threads == 1 ? roots[part->first].outer_unknown : 0, last);
    if (part->threads == 1) {
        write_calls(view, part->first, text, 1, elapsed(process->start_ns, process->end_ns));
        return;
    }
    for (size_t at = part->first; left > 0; at = next_shown(roots, part->end, at + 1)) {
        const struct ts_stream *stream = roots[at].stream;
        if (roots[at].folded)
            continue;
        left--;
        write_thread(text, &roots[at], left == 0 && part->folded == 0);
        write_calls(view, at, text, 2, elapsed(stream->start_ns, stream->end_ns));
    }
    if (part->folded)
        ts_tree_text_write_more(text, 1, part->folded);
}

/* Processes with a thread to show. */
static size_t count_processes(const struct ts_tree_root *roots, size_t count, size_t *all) {
    size_t shown = 0;
    *all = 0;
    for (size_t at = next_shown(roots, count, 0); at < count; ++*all) {
        struct part part = find_part(roots, count, at);
        shown += part.folded < part.threads;
        at = part.end;
    }
    return shown;
}

void ts_tree_write_roots(const struct ts_tree_root *roots, size_t count, ts_tree_write_calls *write_calls,
                         const void *view, struct ts_tree_text *text) {
    size_t first = next_shown(roots, count, 0);
    size_t all;

    if (first == count)
        return;
    bool several = next_shown(roots, count, first + 1) < count;
    if (!several && roots[first].stream->process->mpi_rank < 0 && roots[first].outer_unknown == 0) {
        write_calls(view, first, text, 0, 0);
        return;
    }
    size_t left = count_processes(roots, count, &all), folded = all - left;
    for (size_t at = first; left > 0;) {
        struct part part = find_part(roots, count, at);
        if (part.folded < part.threads)
            write_part(roots, &part, --left == 0 && folded == 0, write_calls, view, text);
        at = part.end;
    }
    if (folded)
        ts_tree_text_write_more(text, 0, folded);
}
