#include "render/call_tree.h"

#include "render/memory.h"
#include "render/outer_ends.h"
#include "render/sink_parts.h"

#include <stdlib.h>
#include <string.h>

/* A node with more children than this has them in the table. */
#define CHILDREN_TO_WALK 8

/* Beside enum ts_enter_flags: no call, but a frame that is known from a stack. */
#define IS_FRAME 0x80000000u

struct ts_call_tree_frame {
    uint64_t start;
    uint32_t node;
    uint32_t flags;
};

static size_t hash_edge(uint32_t parent, uint32_t row) {
    uint64_t hash = ((uint64_t)parent << 32 | row) * UINT64_C(0x9e3779b97f4a7c15); /* Fibonacci hashing (Knuth 6.4) */
    return (size_t)(hash ^ hash >> 32);
}

/* The slot of this child, or the empty slot where it would go. */
static uint32_t *find_slot(const struct ts_call_tree *tree, uint32_t parent, uint32_t row) {
    size_t mask = tree->table_size - 1;
    size_t at = hash_edge(parent, row) & mask;
    while (tree->table[at] != TS_NODE_NONE) {
        const struct ts_call_node *node = &tree->nodes[tree->table[at]];
        if (node->parent == parent && node->row == row)
            break;
        at = (at + 1) & mask;
    }
    return &tree->table[at];
}

static void grow_table(struct ts_call_tree *tree) {
    uint32_t *old = tree->table;
    size_t old_size = tree->table_size;

    tree->table_size = old_size ? old_size * 2 : 1024;
    tree->table = ts_memory_new(tree->table_size, sizeof *tree->table);
    memset(tree->table, 0xff, tree->table_size * sizeof *tree->table);
    for (size_t i = 0; i < old_size; i++) {
        if (old[i] != TS_NODE_NONE)
            *find_slot(tree, tree->nodes[old[i]].parent, tree->nodes[old[i]].row) = old[i];
    }
    free(old);
}

static void put_into_table(struct ts_call_tree *tree, uint32_t index) {
    if (tree->table_count >= tree->table_size / 2)
        grow_table(tree);
    *find_slot(tree, tree->nodes[index].parent, tree->nodes[index].row) = index;
    tree->table_count++;
}

/* A new node, not linked yet. 2^32 nodes do not fit into the memory of the machines this is for. */
static uint32_t new_node(struct ts_call_tree *tree, uint32_t parent, uint32_t row) {
    tree->nodes = ts_memory_grow(tree->nodes, &tree->node_capacity, tree->node_count + 1, sizeof *tree->nodes);
    tree->nodes[tree->node_count] = (struct ts_call_node){.row = row,
                                                          .parent = parent,
                                                          .latest_child = TS_NODE_NONE,
                                                          .first_child = TS_NODE_NONE,
                                                          .next_sibling = TS_NODE_NONE};
    return (uint32_t)tree->node_count++;
}

static uint32_t add_child(struct ts_call_tree *tree, uint32_t parent, uint32_t row) {
    uint32_t index = new_node(tree, parent, row);
    struct ts_call_node *above = &tree->nodes[parent];

    tree->nodes[index].next_sibling = above->first_child;
    above->first_child = index;
    above->child_count++;
    if (above->child_count == CHILDREN_TO_WALK + 1) {
        for (uint32_t child = index; child != TS_NODE_NONE; child = tree->nodes[child].next_sibling)
            put_into_table(tree, child);
    } else if (above->child_count > CHILDREN_TO_WALK) {
        put_into_table(tree, index);
    }
    return index;
}

/* The child of `parent` with this row; a new one where there is none. Not the latest child: the caller looked there. */
static uint32_t find_child(struct ts_call_tree *tree, uint32_t parent, uint32_t row) {
    uint32_t child;

    if (tree->nodes[parent].child_count > CHILDREN_TO_WALK) {
        child = *find_slot(tree, parent, row);
    } else {
        child = tree->nodes[parent].first_child;
        while (child != TS_NODE_NONE && tree->nodes[child].row != row)
            child = tree->nodes[child].next_sibling;
    }
    if (child == TS_NODE_NONE)
        child = add_child(tree, parent, row);
    tree->nodes[parent].latest_child = child;
    return child;
}

/* A part of a stream, counted on its own: a tree of this one alone. */
struct ts_call_tree_part {
    struct ts_call_tree tree; /* first: the sink's context is the part */
    struct ts_call_tree_stream stream;
    struct ts_outer_ends ends;
};

static struct ts_call_tree_part *part_of(struct ts_call_tree *tree) {
    return (struct ts_call_tree_part *)tree;
}

static uint32_t root_of(struct ts_call_tree *tree, const struct ts_stream *stream) {
    bool made;
    if (!tree->by_program)
        return new_node(tree, TS_NODE_NONE, TS_ROW_NONE);
    struct ts_tree_program *program = ts_tree_programs_add(&tree->programs, stream->process, &made);
    if (made)
        program->root = new_node(tree, TS_NODE_NONE, TS_ROW_NONE);
    return program->root;
}

static void select_stream(void *context, struct ts_stream *stream) {
    struct ts_call_tree *tree = context;

    if (!stream->user) {
        struct ts_call_tree_stream *made = ts_memory_new(1, sizeof *made);
        made->stream = stream;
        made->root = made->node = root_of(tree, stream);
        tree->streams =
            ts_memory_grow(tree->streams, &tree->stream_capacity, tree->stream_count + 1, sizeof *tree->streams);
        tree->streams[tree->stream_count++] = made;
        stream->user = made;
    }
    tree->current = stream->user;
}

static void enter_call(void *context, struct ts_function *function, uint64_t start_ns, unsigned flags) {
    struct ts_call_tree *tree = context;
    struct ts_call_tree_stream *stream = tree->current;

    if (!stream)
        return;
    uint32_t row = ts_function_rows_of(&tree->rows, function);
    uint32_t child = tree->nodes[stream->node].latest_child;
    if (child == TS_NODE_NONE || tree->nodes[child].row != row)
        child = flags & TS_ENTER_OUTER ? new_node(tree, stream->node, row) : find_child(tree, stream->node, row);
    if (stream->depth == stream->capacity)
        stream->frames = ts_memory_grow(stream->frames, &stream->capacity, stream->depth + 1, sizeof *stream->frames);
    stream->frames[stream->depth++] = (struct ts_call_tree_frame){start_ns, child, flags};
    stream->node = child;
}

/* A frame's `start` sums up the time of the calls in it. */
static void count_inside(struct ts_call_tree_stream *stream, uint64_t duration) {
    if (stream->depth && stream->frames[stream->depth - 1].flags & IS_FRAME)
        stream->frames[stream->depth - 1].start += duration;
}

static void leave_call(void *context, uint64_t end_ns, enum ts_leave_how how) {
    struct ts_call_tree *tree = context;
    struct ts_call_tree_stream *stream = tree->current;

    if (!stream || stream->depth == 0)
        return;
    const struct ts_call_tree_frame *frame = &stream->frames[--stream->depth];
    if (__builtin_expect(frame->flags & TS_ENTER_OUTER, 0)) {
        ts_outer_ends_add(&part_of(tree)->ends, end_ns, 0, how);
        stream->node = stream->depth ? frame[-1].node : stream->root;
        return;
    }
    struct ts_call_node *node = &tree->nodes[frame->node];
    uint64_t duration = end_ns > frame->start ? end_ns - frame->start : 0;

    stream->node = stream->depth ? frame[-1].node : stream->root;
    node->total += duration;
    count_inside(stream, duration);
    node->unfinished += how == TS_LEAVE_UNFINISHED;
    node->unwound += how == TS_LEAVE_UNWOUND;
    if (frame->flags & TS_ENTER_INHERITED) {
        node->inherited++;
        return;
    }
    if (node->calls == 0 || duration < node->minimum)
        node->minimum = duration;
    if (duration > node->maximum)
        node->maximum = duration;
    node->calls++;
    node->durations += duration;
}

/* The call that was just entered. */
static void place_call(void *context, struct ts_site *site) {
    struct ts_call_tree *tree = context;
    struct ts_call_tree_stream *stream = tree->current;

    if (!stream || stream->depth == 0)
        return;
    struct ts_call_node *node = &tree->nodes[stream->node];
    node->place = ts_call_places_add(&tree->places, node->place, stream->node, site, 1);
}

static void enter_frame(void *context, struct ts_function *function) {
    struct ts_call_tree *tree = context;
    enter_call(context, function, 0, IS_FRAME);
    if (tree->current && tree->nodes[tree->current->node].frames < UINT32_MAX)
        tree->nodes[tree->current->node].frames++;
}

/* Its calls' time counts as the frame's, so that it is not that of the call around it. */
static void leave_frame(void *context) {
    struct ts_call_tree_stream *stream = ((struct ts_call_tree *)context)->current;
    if (!stream || stream->depth == 0)
        return;
    uint64_t inside = stream->frames[--stream->depth].start;
    stream->node = stream->depth ? stream->frames[stream->depth - 1].node : stream->root;
    ((struct ts_call_tree *)context)->nodes[stream->frames[stream->depth].node].total += inside;
    count_inside(stream, inside);
}

/* At most once for a call. Inherited calls count in the process that made them. */
static void count_failure(void *context, const struct ts_failure *failure) {
    struct ts_call_tree *tree = context;
    struct ts_call_tree_stream *stream = tree->current;

    (void)failure;
    if (!stream || stream->depth == 0 || stream->frames[stream->depth - 1].flags & TS_ENTER_INHERITED)
        return;
    if (stream->frames[stream->depth - 1].flags & TS_ENTER_OUTER) {
        part_of(tree)->ends.next_failed = true;
        return;
    }
    struct ts_call_node *node = &tree->nodes[stream->node];
    if (node->errors < UINT32_MAX)
        node->errors++;
}

/* Merged calls have no moments: the call that it happened in has failed. */
static void note_moment(void *context, const struct ts_moment *moment) {
    if (moment->is_error)
        count_failure(context, NULL);
}

static void note_outer_unknown(void *context, uint64_t count) {
    struct ts_call_tree *tree = context;
    if (tree->current)
        tree->current->outer_unknown += count;
}

static void finish_stream(void *context, struct ts_stream *stream) {
    struct ts_call_tree_stream *finished = stream->user;

    (void)context;
    if (!finished)
        return;
    free(finished->frames);
    finished->frames = NULL;
    finished->capacity = finished->depth = 0;
    stream->user = NULL;
}

static struct ts_sink begin_part(const void *whole) {
    struct ts_call_tree_part *part = ts_memory_new(1, sizeof *part);
    part->tree.sites = ((const struct ts_call_tree *)whole)->sites;
    part->stream.root = part->stream.node = new_node(&part->tree, TS_NODE_NONE, TS_ROW_NONE);
    part->tree.current = &part->stream;
    return (struct ts_sink){.context = &part->tree,
                            .enter = enter_call,
                            .leave = leave_call,
                            .failure = count_failure,
                            .site = part->tree.sites ? place_call : NULL,
                            .frame_enter = enter_frame,
                            .frame_leave = leave_frame,
                            .moment = note_moment};
}

static size_t outer_left(const void *part) {
    return ((const struct ts_call_tree_part *)part)->ends.count;
}

static void add_node(struct ts_call_node *node, const struct ts_call_node *part) {
    if (part->calls && (node->calls == 0 || part->minimum < node->minimum))
        node->minimum = part->minimum;
    if (part->maximum > node->maximum)
        node->maximum = part->maximum;
    node->calls += part->calls;
    node->total += part->total;
    node->durations += part->durations;
    node->unfinished += part->unfinished;
    node->unwound += part->unwound;
    node->errors = node->errors > UINT32_MAX - part->errors ? UINT32_MAX : node->errors + part->errors;
    node->frames = node->frames > UINT32_MAX - part->frames ? UINT32_MAX : node->frames + part->frames;
}

static void add_places(struct ts_call_tree *tree, const struct ts_call_tree *part, const uint32_t *nodes) {
    for (size_t i = 0; i < part->places.count; i++) {
        const struct ts_call_place *place = &part->places.places[i];
        uint32_t at = nodes[place->node];
        struct ts_call_node *node = &tree->nodes[at];
        node->place = ts_call_places_add(&tree->places, node->place, at, place->site, place->calls);
    }
}

/* The nodes of the calls that are open in the whole, frames left out: the part's first nodes stand for them. */
static size_t match_outer(const struct ts_call_tree_stream *stream, uint32_t *nodes, size_t first) {
    for (size_t i = 0; i < stream->depth; i++)
        if (!(stream->frames[i].flags & IS_FRAME))
            nodes[first++] = stream->frames[i].node;
    return first;
}

static void leave_frames(struct ts_call_tree *tree) {
    const struct ts_call_tree_stream *stream = tree->current;
    while (stream->depth && stream->frames[stream->depth - 1].flags & IS_FRAME)
        leave_frame(tree);
}

/*
 * Ends the calls that ended in the part, as they would have ended in one replay, adds what the part counted on the same
 * paths, then opens the calls that it opened.
 */
static void join_part(void *context, void *part_pointer) {
    struct ts_call_tree *tree = context;
    struct ts_call_tree_part *part = part_pointer;
    struct ts_call_tree_stream *stream = tree->current, *from = &part->stream;
    uint32_t *nodes = ts_memory_new(part->tree.node_count, sizeof *nodes);

    nodes[from->root] = stream->root;
    size_t first = match_outer(stream, nodes, from->root + 1);
    for (size_t i = first; i < part->tree.node_count; i++) { /* parents come first */
        const struct ts_call_node *node = &part->tree.nodes[i];
        uint32_t row = ts_function_rows_like(&tree->rows, &part->tree.rows.rows[node->row]);
        nodes[i] = find_child(tree, nodes[node->parent], row);
        add_node(&tree->nodes[nodes[i]], node);
    }
    add_places(tree, &part->tree, nodes);
    leave_frames(tree);
    for (size_t i = 0; i < part->ends.count; i++) {
        if (part->ends.ends[i].failed)
            count_failure(tree, NULL);
        leave_call(tree, part->ends.ends[i].end_ns, part->ends.ends[i].how);
        leave_frames(tree);
    }
    for (size_t i = 0; i < from->depth; i++) {
        struct ts_call_tree_frame frame = from->frames[i];
        if (frame.flags & TS_ENTER_OUTER)
            continue;
        frame.node = nodes[frame.node];
        stream->frames = ts_memory_grow(stream->frames, &stream->capacity, stream->depth + 1, sizeof *stream->frames);
        stream->frames[stream->depth++] = frame;
        stream->node = frame.node;
    }
    free(nodes);
}

static void free_part(void *part_pointer) {
    struct ts_call_tree_part *part = part_pointer;
    free(part->stream.frames);
    ts_outer_ends_free(&part->ends);
    ts_call_tree_free(&part->tree);
    free(part);
}

static const struct ts_sink_parts parts = {
    .begin = begin_part, .outer_left = outer_left, .join = join_part, .free = free_part};

struct ts_sink ts_call_tree_sink(struct ts_call_tree *tree) {
    return (struct ts_sink){.context = tree,
                            .select = select_stream,
                            .enter = enter_call,
                            .leave = leave_call,
                            .outer_unknown = note_outer_unknown,
                            .finish = finish_stream,
                            .failure = count_failure,
                            .site = tree->sites ? place_call : NULL,
                            .frame_enter = enter_frame,
                            .frame_leave = leave_frame,
                            .moment = note_moment,
                            .parts = &parts};
}

void ts_call_tree_free(struct ts_call_tree *tree) {
    for (size_t i = 0; i < tree->stream_count; i++) {
        free(tree->streams[i]->frames);
        free(tree->streams[i]);
    }
    free(tree->streams);
    free(tree->nodes);
    free(tree->table);
    ts_function_rows_free(&tree->rows);
    ts_tree_programs_free(&tree->programs);
    ts_call_places_free(&tree->places);
    memset(tree, 0, sizeof *tree);
}

static int compare_children(const void *left_pointer, const void *right_pointer, void *context) {
    const struct ts_call_tree *tree = context;
    const struct ts_call_node *left = &tree->nodes[*(const uint32_t *)left_pointer];
    const struct ts_call_node *right = &tree->nodes[*(const uint32_t *)right_pointer];

    if (left->total != right->total)
        return left->total > right->total ? -1 : 1;
    return ts_function_rows_compare(&tree->rows.rows[left->row], &tree->rows.rows[right->row]);
}

void ts_call_tree_sort(struct ts_call_tree *tree) {
    uint32_t *children = NULL;
    size_t capacity = 0;

    for (size_t i = 0; i < tree->node_count; i++) {
        struct ts_call_node *parent = &tree->nodes[i];
        if (parent->child_count < 2)
            continue;
        children = ts_memory_grow(children, &capacity, parent->child_count, sizeof *children);
        size_t count = 0;
        for (uint32_t child = parent->first_child; child != TS_NODE_NONE; child = tree->nodes[child].next_sibling)
            children[count++] = child;
        qsort_r(children, count, sizeof *children, compare_children, tree);
        parent->first_child = children[0];
        for (size_t k = 0; k < count; k++)
            tree->nodes[children[k]].next_sibling = k + 1 < count ? children[k + 1] : TS_NODE_NONE;
    }
    free(children);
}

uint64_t ts_call_tree_self(const struct ts_call_tree *tree, const struct ts_call_node *node) {
    uint64_t in_calls = 0;
    for (uint32_t child = node->first_child; child != TS_NODE_NONE; child = tree->nodes[child].next_sibling)
        in_calls += tree->nodes[child].total;
    return node->total > in_calls ? node->total - in_calls : 0;
}
