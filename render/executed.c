#include "render/executed.h"

#include "render/memory.h"
#include "render/record.h"
#include "render/session_private.h"

#include <stdlib.h>
#include <string.h>

struct reading {
    struct ts_executed *executed;
    const struct ts_process_facts *process;
};

/* The object that code lay in when its record was made, and its address in that file. */
static struct ts_object *object_of(const struct reading *reading, uint64_t run_time, uint64_t clock,
                                   uint64_t *address) {
    uint64_t full;
    const struct ts_module *module = ts_module_map_find(reading->process->modules, run_time, 0, clock, &full);
    if (!module)
        return NULL;
    *address = run_time - module->bias;
    return module->object;
}

static void read_line_counts(struct reading *reading, const uint32_t *at, uint32_t words) {
    const struct ts_record_line_counts *record = (const void *)at;
    struct ts_executed *executed = reading->executed;
    uint64_t first = ts_record_u64(record->address), address;
    uint32_t counters = words - sizeof *record / sizeof *at;
    struct ts_object *object = object_of(reading, first, ts_record_u64(record->clock), &address);
    if (!object || record->code_shift > 12 || record->count_shift > 32)
        return;
    for (uint32_t i = 0; i < counters; i++) {
        uint64_t count = at[sizeof *record / sizeof *at + i];
        if (!count)
            continue;
        executed->places = ts_memory_grow(executed->places, &executed->place_capacity, executed->place_count + 1,
                                          sizeof *executed->places);
        executed->places[executed->place_count++] =
            (struct ts_executed_place){object, address + ((uint64_t)i << record->code_shift),
                                       count << record->count_shift, UINT32_C(1) << record->code_shift};
    }
}

static uint64_t u64_at(const uint32_t *at) {
    return (uint64_t)at[1] << 32 | at[0];
}

static void read_branch_counts(struct reading *reading, const uint32_t *at, uint32_t words) {
    const struct ts_record_branch_counts *record = (const void *)at;
    struct ts_executed *executed = reading->executed;
    uint64_t address, cases = record->cases;
    uint32_t head = sizeof *record / sizeof *at;
    struct ts_object *object =
        object_of(reading, ts_record_u64(record->address), ts_record_u64(record->clock), &address);
    if (!object || words < head + 4 * cases + 2)
        return;
    for (uint64_t i = 0; i <= cases; i++) {
        executed->cases = ts_memory_grow(executed->cases, &executed->case_capacity, executed->case_count + 1,
                                         sizeof *executed->cases);
        executed->cases[executed->case_count++] =
            (struct ts_executed_case){object, address, i < cases ? u64_at(at + head + 2 * i) : 0, i == cases,
                                      u64_at(at + head + 2 * cases + 2 * i)};
    }
}

static void add_pair(struct ts_executed *executed, const struct ts_executed_pair *pair) {
    if (!pair->count || pair->count >> 63)
        return; /* free, or being filled in when the process was killed */
    executed->pairs =
        ts_memory_grow(executed->pairs, &executed->pair_capacity, executed->pair_count + 1, sizeof *executed->pairs);
    executed->pairs[executed->pair_count++] = *pair;
}

static void read_compares(struct reading *reading, const uint32_t *at, uint32_t words) {
    const struct ts_record_compares *record = (const void *)at;
    const struct ts_compared *compared = (const void *)(record + 1);
    struct ts_executed_pair pair = {.bytes = record->bytes, .is_float = record->is_float != 0};
    pair.object = object_of(reading, ts_record_u64(record->address), ts_record_u64(record->clock), &pair.address);
    uint64_t room = (words * sizeof *at - sizeof *record) / sizeof *compared;
    for (uint64_t i = 0; pair.object && i < room && i < record->pairs; i++) {
        pair.left = ts_record_u64(compared[i].left);
        pair.right = ts_record_u64(compared[i].right);
        pair.count = ts_record_u64(compared[i].count);
        add_pair(reading->executed, &pair);
    }
    pair.left = pair.right = 0;
    pair.is_others = true;
    pair.count = ts_record_u64(record->others);
    if (pair.object)
        add_pair(reading->executed, &pair);
}

static void read_window(struct reading *reading, const struct ts_window_copy *copy) {
    uint32_t words;
    for (const uint32_t *at = copy->records; at < copy->end; at += words) {
        at = ts_record_skip_holes(at, copy->end);
        if (at == copy->end)
            break;
        enum ts_word word = ts_record_at(at, copy->end, &words);
        if (word == TS_WORD_DAMAGED)
            break;
        if (word != TS_WORD_TAGGED)
            continue;
        switch (TS_HEAD_TYPE(*at)) {
        case TS_RECORD_LINE_COUNTS:
            read_line_counts(reading, at, words);
            break;
        case TS_RECORD_BRANCH_COUNTS:
            read_branch_counts(reading, at, words);
            break;
        case TS_RECORD_COMPARES:
            read_compares(reading, at, words);
            break;
        default:
            break;
        }
    }
}

static int compare_places(const void *left, const void *right) {
    const struct ts_executed_place *a = left, *b = right;
    if (a->object != b->object)
        return a->object < b->object ? -1 : 1;
    return (a->address > b->address) - (a->address < b->address);
}

static int compare_cases(const void *left, const void *right) {
    const struct ts_executed_case *a = left, *b = right;
    if (a->object != b->object)
        return a->object < b->object ? -1 : 1;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    if (a->is_default != b->is_default)
        return a->is_default ? 1 : -1;
    return (a->value > b->value) - (a->value < b->value);
}

static int compare_pairs(const void *left, const void *right) {
    const struct ts_executed_pair *a = left, *b = right;
    if (a->object != b->object)
        return a->object < b->object ? -1 : 1;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    if (a->is_others != b->is_others)
        return a->is_others ? 1 : -1;
    if (a->left != b->left)
        return a->left < b->left ? -1 : 1;
    return (a->right > b->right) - (a->right < b->right);
}

/* Sorts and adds up what is the same. `count` lies at `count_offset` of an item. Returns how many there are. */
static size_t add_up(void *items, size_t count, size_t bytes, size_t count_offset,
                     int (*compare)(const void *left, const void *right)) {
    char *at = items;
    size_t kept = 0;
    if (count)
        qsort(items, count, bytes, compare);
    for (size_t i = 0; i < count; i++) {
        char *item = at + i * bytes, *last = at + (kept - 1) * bytes;
        if (kept && !compare(last, item))
            *(uint64_t *)(void *)(last + count_offset) += *(uint64_t *)(void *)(item + count_offset);
        else
            memmove(at + kept++ * bytes, item, bytes);
    }
    return kept;
}

int ts_executed_read(struct ts_executed *executed, const struct ts_session *session, struct ts_error *error) {
    struct ts_window_copy copy = {.data = NULL};
    int result = 0;
    for (size_t t = 0; t < session->trace_count && result == 0; t++) {
        struct ts_trace *trace = session->traces[t];
        result = ts_trace_acquire(trace, error);
        for (size_t i = 0; result == 0 && i < trace->window_count; i++) {
            const struct ts_window *window = &trace->windows[i];
            struct reading reading = {executed, ts_facts_process(trace->facts, window->process)};
            if (window->thread == 0 && reading.process && ts_trace_read_window(trace, window, &copy) == 0)
                read_window(&reading, &copy);
        }
        if (result == 0)
            ts_trace_release(trace);
    }
    ts_window_copy_free(&copy);
    executed->place_count = add_up(executed->places, executed->place_count, sizeof *executed->places,
                                   offsetof(struct ts_executed_place, count), compare_places);
    executed->case_count = add_up(executed->cases, executed->case_count, sizeof *executed->cases,
                                  offsetof(struct ts_executed_case, count), compare_cases);
    executed->pair_count = add_up(executed->pairs, executed->pair_count, sizeof *executed->pairs,
                                  offsetof(struct ts_executed_pair, count), compare_pairs);
    return result;
}

void ts_executed_free(struct ts_executed *executed) {
    free(executed->places);
    free(executed->cases);
    free(executed->pairs);
    *executed = (struct ts_executed){.places = NULL};
}

size_t ts_executed_first(const struct ts_executed *executed, const struct ts_object *object, uint64_t address) {
    struct ts_executed_place key = {.object = (struct ts_object *)object, .address = address};
    size_t low = 0, high = executed->place_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_places(&executed->places[middle], &key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint64_t ts_executed_at(const struct ts_executed *executed, const struct ts_object *object, uint64_t address) {
    size_t behind = ts_executed_first(executed, object, address + 1);
    const struct ts_executed_place *place = behind ? &executed->places[behind - 1] : NULL;
    return place && place->object == object && address - place->address < place->bytes ? place->count : 0;
}
