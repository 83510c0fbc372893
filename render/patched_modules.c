#include "render/patched_modules.h"

#include "render/memory.h"
#include "render/session_private.h"

#include <stdlib.h>
#include <string.h>

/* A mapping of one process, by generation. */
struct mapping {
    uint32_t generation;
    size_t object;
};

static int compare_mappings(const void *left, const void *right) {
    const struct mapping *a = left, *b = right;
    return (a->generation > b->generation) - (a->generation < b->generation);
}

/* The modules by object. */
static int compare_objects(const void *left, const void *right) {
    const struct ts_object *a = (*(struct ts_patched_module *const *)left)->object;
    const struct ts_object *b = (*(struct ts_patched_module *const *)right)->object;
    return (a > b) - (a < b);
}

static struct ts_patched_module *find(struct ts_patched_module **by_object, size_t count,
                                      const struct ts_object *object) {
    struct ts_patched_module key = {.object = object}, *wanted = &key;
    struct ts_patched_module **found =
        count ? bsearch(&wanted, by_object, count, sizeof(struct ts_patched_module *), compare_objects) : NULL;
    return found ? *found : NULL;
}

/* What was patched for the process is told from facts->slots[*at] on; *at moves behind it. */
static void add_slots(struct ts_patched_modules *patched, struct ts_patched_module **by_object,
                      const struct ts_facts *facts, const struct ts_process_facts *process, size_t *at) {
    size_t count = ts_module_map_count(process->modules), found = 0;
    struct mapping *mappings = ts_memory_new(count, sizeof *mappings);
    for (size_t i = 0; i < count; i++) {
        const struct ts_module *module = ts_module_map_at(process->modules, i);
        struct ts_patched_module *its = find(by_object, patched->count, module->object);
        if (!its)
            continue;
        its->is_instrumented |= (module->flags & TS_LOAD_INSTRUMENTED) != 0;
        if (module->flags & TS_LOAD_VDSO)
            its->is_library = 0;
        mappings[found++] = (struct mapping){module->generation, (size_t)(its - patched->modules)};
    }
    if (found)
        qsort(mappings, found, sizeof *mappings, compare_mappings);
    for (; *at < facts->slots_count && facts->slots[*at].process == process->number; ++*at) {
        const struct ts_slots_facts *slots = &facts->slots[*at];
        struct mapping key = {.generation = slots->generation};
        const struct mapping *mapping = bsearch(&key, mappings, found, sizeof *mappings, compare_mappings);
        if (!mapping)
            continue;
        struct ts_patched_module *its = &patched->modules[mapping->object];
        its->is_told = 1;
        its->patched += slots->patched;
        its->left += slots->left;
        its->refused += slots->refused;
    }
    free(mappings);
}

void ts_patched_modules_find(struct ts_patched_modules *patched, const struct ts_session *session) {
    uint32_t count = ts_functions_object_count(session->functions);
    struct ts_patched_module **by_object = ts_memory_new(count, sizeof(struct ts_patched_module *));
    *patched = (struct ts_patched_modules){.modules = ts_memory_new(count, sizeof *patched->modules)};
    for (uint32_t i = 0; i < count; i++) {
        const struct ts_object *object = ts_functions_object_at(session->functions, i);
        if (!object->is_loaded)
            continue;
        by_object[patched->count] = &patched->modules[patched->count];
        patched->modules[patched->count++] =
            (struct ts_patched_module){.object = object, .is_library = *object->path && !object->is_recorder};
    }
    if (patched->count)
        qsort(by_object, patched->count, sizeof(struct ts_patched_module *), compare_objects);
    for (size_t t = 0; t < session->trace_count; t++) {
        const struct ts_facts *facts = session->traces[t]->facts;
        size_t at = 0;
        for (size_t p = 0; p < facts->process_count; p++)
            add_slots(patched, by_object, facts, &facts->processes[p], &at);
    }
    free(by_object);
}

void ts_patched_modules_free(struct ts_patched_modules *patched) {
    free(patched->modules);
    *patched = (struct ts_patched_modules){0};
}
