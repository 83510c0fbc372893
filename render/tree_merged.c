#include "render/memory.h"
#include "render/tree_views.h"

#include <stdlib.h>

#define ATTRIBUTES_MOST 10

static void add_integer(struct ts_tree_line *line, struct ts_attribute *attributes, const char *key, uint64_t value) {
    attributes[line->attribute_count++] =
        (struct ts_attribute){.key = key, .value = {.kind = TS_VALUE_INTEGER, .integer = (int64_t)value}};
}

static void add_duration(struct ts_tree_line *line, struct ts_attribute *attributes, const char *key, uint64_t ns) {
    attributes[line->attribute_count++] =
        (struct ts_attribute){.key = key, .value = {.kind = TS_VALUE_DURATION, .duration_ns = ns}};
}

/* The line that made all of the calls, or how many lines did. */
static void add_places(struct ts_tree_line *line, struct ts_attribute *attributes, const struct ts_call_tree *tree,
                       const struct ts_call_node *node) {
    struct ts_call_lines lines = ts_call_places_lines(&tree->places, node->place, node->calls, tree->sites);
    if (lines.at)
        attributes[line->attribute_count++] = (struct ts_attribute){"at", ts_value_string(lines.at)};
    else if (lines.number)
        add_integer(line, attributes, "sites", lines.number);
}

static void write_node(const struct ts_call_tree *tree, const struct ts_call_node *node, struct ts_tree_text *text,
                       uint64_t depth, bool last) {
    const struct ts_function_row *row = &tree->rows.rows[node->row];
    struct ts_attribute attributes[ATTRIBUTES_MOST];
    struct ts_tree_line line = {.name = row->name, .scope = row->scope, .attributes = attributes};

    if (ts_tree_text_is_full(text)) {
        ts_tree_text_hide(text, 1);
        return;
    }
    line.from_stack = node->frames && !node->calls && !node->inherited && !node->unfinished;
    if (line.from_stack) {
        ts_tree_text_write(text, depth, last, &line);
        return;
    }
    line.duration_ns = node->total;
    line.error = node->errors > 0;
    if (row->label)
        attributes[line.attribute_count++] =
            (struct ts_attribute){"label", {.kind = TS_VALUE_STRING, .string = row->label}};
    add_integer(&line, attributes, "calls", node->calls);
    add_duration(&line, attributes, "self", ts_call_tree_self(tree, node));
    if (node->calls) {
        add_duration(&line, attributes, "avg", node->durations / node->calls);
        add_duration(&line, attributes, "max", node->maximum);
    }
    if (node->errors)
        add_integer(&line, attributes, "errors", node->errors);
    if (node->inherited)
        add_integer(&line, attributes, "inherited", node->inherited);
    if (node->unfinished)
        add_integer(&line, attributes, "unfinished", node->unfinished);
    if (node->unwound)
        add_integer(&line, attributes, "unwound", node->unwound);
    add_places(&line, attributes, tree, node);
    ts_tree_text_write(text, depth, last, &line);
}

/* Below 0.5 % of the parent. Siblings are sorted by total: where one folds, all that follow fold with it. */
static bool folds(const struct ts_call_node *node, uint64_t parent_ns, uint64_t least_ns) {
    bool is_alone = node->next_sibling == TS_NODE_NONE && node->first_child == TS_NODE_NONE;
    if (node->total < least_ns && !is_alone) /* one row takes no more room than the line that says so */
        return true;
    return parent_ns > 0 && node->total <= (parent_ns - 1) / 200; /* total * 200 < parent_ns without overflow */
}

static uint64_t count_siblings(const struct ts_call_tree *tree, uint32_t node) {
    uint64_t count = 0;
    for (; node != TS_NODE_NONE; node = tree->nodes[node].next_sibling)
        count++;
    return count;
}

/*
 * Depth first without recursion: down to the first child, else on to the next sibling, else up until there is one.
 * A folded row ends its list of siblings: TS_NODE_NONE is where the walk goes up.
 */
static void write_below(const struct ts_call_tree *tree, uint32_t root, struct ts_tree_text *text, unsigned depth,
                        uint64_t parent_ns) {
    uint32_t parent = root;
    uint32_t at = tree->nodes[root].first_child;
    uint64_t level = depth;

    while (true) {
        uint64_t limit = parent == root ? parent_ns : tree->nodes[parent].total;
        if (at != TS_NODE_NONE && folds(&tree->nodes[at], limit, text->least_ns)) {
            ts_tree_text_write_more(text, level, count_siblings(tree, at));
            at = TS_NODE_NONE;
        }
        if (at != TS_NODE_NONE) {
            write_node(tree, &tree->nodes[at], text, level++, tree->nodes[at].next_sibling == TS_NODE_NONE);
            parent = at;
            at = tree->nodes[at].first_child;
        } else {
            if (parent == root)
                break;
            at = tree->nodes[parent].next_sibling;
            parent = tree->nodes[parent].parent;
            level--;
        }
    }
}

static void write_stream(const void *context, size_t index, struct ts_tree_text *text, unsigned depth,
                         uint64_t parent_ns) {
    const struct ts_call_tree *tree = context;
    write_below(tree, tree->streams[index]->root, text, depth, parent_ns);
}

static void write_program(const struct ts_tree_program *program, struct ts_tree_text *text, bool last) {
    struct ts_attribute attributes[ATTRIBUTES_MOST];
    struct ts_tree_line line = {.name = program->name,
                                .duration_ns = program->total_ns,
                                .error = program->failed > 0,
                                .attributes = attributes};
    if (program->processes == 1) {
        add_integer(&line, attributes, "pid", program->latest->pid);
    } else {
        add_integer(&line, attributes, "processes", program->processes);
        add_duration(&line, attributes, "avg", program->total_ns / program->processes);
        add_duration(&line, attributes, "max", program->maximum_ns);
        if (program->failed)
            add_integer(&line, attributes, "failed", program->failed);
    }
    ts_tree_text_write(text, 0, last, &line);
}

/* Sorted by total: what folds is at the end. */
static void write_programs(const struct ts_call_tree *tree, struct ts_tree_text *text) {
    const struct ts_tree_programs *programs = &tree->programs;
    size_t shown = programs->count;
    while (shown > 0 && programs->programs[shown - 1].total_ns < text->least_ns)
        shown--;
    for (size_t i = 0; i < shown; i++) {
        const struct ts_tree_program *program = &programs->programs[i];
        write_program(program, text, i + 1 == programs->count);
        write_below(tree, program->root, text, 1, program->total_ns);
    }
    if (shown < programs->count)
        ts_tree_text_write_more(text, 0, programs->count - shown);
}

static uint64_t elapsed(uint64_t start_ns, uint64_t end_ns) {
    return end_ns > start_ns ? end_ns - start_ns : 0;
}

static void write_rows(const struct ts_call_tree *tree, struct ts_tree_text *text) {
    if (tree->by_program) {
        write_programs(tree, text);
        return;
    }
    struct ts_tree_root *roots = ts_memory_new(tree->stream_count, sizeof *roots);

    for (size_t i = 0; i < tree->stream_count; i++) {
        const struct ts_call_tree_stream *stream = tree->streams[i];
        roots[i] = (struct ts_tree_root){.stream = stream->stream,
                                         .outer_unknown = stream->outer_unknown,
                                         .empty = tree->nodes[stream->root].first_child == TS_NODE_NONE &&
                                                  stream->outer_unknown == 0};
        roots[i].folded = elapsed(stream->stream->start_ns, stream->stream->end_ns) < text->least_ns;
    }
    ts_tree_write_roots(roots, tree->stream_count, write_stream, tree, text);
    free(roots);
}

void ts_tree_write_merged_view(struct ts_call_tree *tree, struct ts_tree_text *text) {
    ts_call_tree_sort(tree);
    ts_tree_programs_sort(&tree->programs);
    write_rows(tree, text);
    ts_tree_text_end(text);
}

/* How many lines the view has where what is shorter folds. */
static uint64_t count_lines(const struct ts_call_tree *tree, uint64_t least_ns) {
    struct ts_tree_text text;
    ts_tree_text_init(&text, NULL, 1);
    text.lines = 1; /* the limit is reached: what follows is counted */
    text.least_ns = least_ns;
    write_rows(tree, &text);
    return text.hidden;
}

void ts_tree_write_longest_paths(struct ts_call_tree *tree, uint64_t least_ns, uint64_t max_lines,
                                 struct ts_tree_text *text) {
    uint64_t fits = UINT64_MAX, too_many = least_ns; /* limits; the shortest that fits is looked for */
    ts_call_tree_sort(tree);
    ts_tree_programs_sort(&tree->programs);
    if (count_lines(tree, least_ns) <= max_lines)
        fits = least_ns;
    while (fits - too_many > 1 && fits > least_ns) {
        uint64_t middle = too_many + (fits - too_many) / 2;
        if (count_lines(tree, middle) <= max_lines)
            fits = middle;
        else
            too_many = middle;
    }
    text->least_ns = fits;
    write_rows(tree, text);
    ts_tree_text_end(text);
}
