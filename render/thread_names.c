#include "render/thread_names.h"

#include "render/memory.h"

#include <stdlib.h>
#include <string.h>

struct name {
    uint32_t process;
    uint64_t thread_pointer;
    uint64_t clock;
    char *text;
};

struct ts_thread_names {
    struct name *names;
    size_t count;
    size_t capacity;
};

struct ts_thread_names *ts_thread_names_new(void) {
    return ts_memory_new(1, sizeof(struct ts_thread_names));
}

void ts_thread_names_free(struct ts_thread_names *names) {
    for (size_t i = 0; i < names->count; i++)
        free(names->names[i].text);
    free(names->names);
    free(names);
}

void ts_thread_names_add(struct ts_thread_names *names, uint32_t process, uint64_t thread_pointer, uint64_t clock,
                         char *name) {
    names->names = ts_memory_grow(names->names, &names->capacity, names->count + 1, sizeof(*names->names));
    names->names[names->count++] = (struct name){process, thread_pointer, clock, name};
}

static int order(uint64_t a, uint64_t b) {
    return (a > b) - (a < b);
}

static int compare_names(const void *left, const void *right) {
    const struct name *a = left;
    const struct name *b = right;
    int by_process = order(a->process, b->process);
    int by_pointer = order(a->thread_pointer, b->thread_pointer);
    return by_process ? by_process : by_pointer ? by_pointer : order(a->clock, b->clock);
}

static int compare_threads(const void *left, const void *right) {
    const struct ts_thread_facts *a = *(struct ts_thread_facts *const *)left;
    const struct ts_thread_facts *b = *(struct ts_thread_facts *const *)right;
    int by_process = order(a->process, b->process);
    int by_pointer = order(a->thread_pointer, b->thread_pointer);
    return by_process ? by_process : by_pointer ? by_pointer : order(a->start_clock, b->start_clock);
}

static int same_pointer(const struct ts_thread_facts *a, const struct ts_thread_facts *b) {
    return a->process == b->process && a->thread_pointer == b->thread_pointer;
}

static void set_name(struct ts_thread_facts *thread, const char *name) {
    free(thread->name);
    thread->name = ts_memory_copy(name, strlen(name));
}

/* Threads and names are in the same order: one walk. */
static void assign_recorded(struct ts_thread_facts **threads, size_t thread_count, const struct name *names,
                            size_t name_count) {
    size_t t = 0;
    for (size_t n = 0; n < name_count; n++) {
        const struct name *name = &names[n];
        for (; t < thread_count; t++) {
            const struct ts_thread_facts *thread = threads[t];
            int side = order(thread->process, name->process);
            if (!side)
                side = order(thread->thread_pointer, name->thread_pointer);
            if (side > 0)
                break; /* a thread that recorded nothing */
            if (side < 0)
                continue;
            int is_last = t + 1 == thread_count || !same_pointer(thread, threads[t + 1]);
            if (name->clock <= thread->last_clock || (is_last && !thread->ended)) {
                set_name(threads[t], name->text);
                break;
            }
        }
    }
}

/* The thread of `process` that had this pointer at `clock`. */
static const struct ts_thread_facts *find_thread(struct ts_thread_facts **threads, size_t count, uint32_t process,
                                                 uint64_t thread_pointer, uint64_t clock) {
    struct ts_thread_facts key = {.process = process, .thread_pointer = thread_pointer, .start_clock = clock};
    struct ts_thread_facts *wanted = &key;
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_threads(&threads[middle], &wanted) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low && same_pointer(threads[low - 1], &key) ? threads[low - 1] : NULL;
}

void ts_thread_names_assign(const struct ts_thread_names *names, struct ts_facts *facts) {
    if (!facts->thread_count)
        return;
    struct ts_thread_facts **threads = ts_memory_new(facts->thread_count, sizeof(struct ts_thread_facts *));
    for (size_t i = 0; i < facts->thread_count; i++)
        threads[i] = &facts->threads[i];
    qsort(threads, facts->thread_count, sizeof(struct ts_thread_facts *), compare_threads);
    if (names->count)
        qsort(names->names, names->count, sizeof(*names->names), compare_names);
    assign_recorded(threads, facts->thread_count, names->names, names->count);

    /* A parent's number is smaller than its child's, so its name is settled first. */
    for (size_t i = 0; i < facts->thread_count; i++) {
        struct ts_thread_facts *thread = &facts->threads[i];
        const struct ts_process_facts *process = ts_facts_process(facts, thread->process);
        if (thread->name || !thread->inherited || !process->parent_number)
            continue;
        const struct ts_thread_facts *forked = find_thread(threads, facts->thread_count, process->parent_number,
                                                           thread->thread_pointer, process->start_clock);
        if (forked && forked->name)
            set_name(thread, forked->name);
    }
    free(threads);
}
