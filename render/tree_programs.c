#include "render/tree_programs.h"

#include "collector/trace_format.h"
#include "render/memory.h"

#include <stdlib.h>
#include <string.h>

bool ts_tree_process_failed(const struct ts_process *process) {
    switch (process->end_reason) {
    case TS_END_EXIT:
    case TS_END_IMMEDIATE:
    case TS_END_QUICK_EXIT:
        return process->end_status != 0;
    case TS_END_ABORT:
    case TS_END_SIGNAL:
        return true;
    default:
        return false;
    }
}

static struct ts_tree_program *find(struct ts_tree_programs *programs, const char *name, bool *made) {
    if (!programs->seed)
        programs->seed = ts_hash_seed() | 1;
    uint64_t hash = ts_hash_mix_bytes(programs->seed, name, strlen(name));
    size_t at = hash;
    *made = false;
    for (uint32_t i; ts_hash_index_next(&programs->index, hash, &at, &i);)
        if (!strcmp(programs->programs[i].name, name))
            return &programs->programs[i];
    programs->programs =
        ts_memory_grow(programs->programs, &programs->capacity, programs->count + 1, sizeof *programs->programs);
    ts_hash_index_add(&programs->index, hash, (uint32_t)programs->count);
    struct ts_tree_program *program = &programs->programs[programs->count++];
    *program = (struct ts_tree_program){.name = name};
    *made = true;
    return program;
}

struct ts_tree_program *ts_tree_programs_add(struct ts_tree_programs *programs, const struct ts_process *process,
                                             bool *made) {
    struct ts_tree_program *program = find(programs, process->name, made);
    if (program->latest == process) /* another thread of it: those of a process come side by side */
        return program;
    uint64_t ns = process->end_ns > process->start_ns ? process->end_ns - process->start_ns : 0;
    program->latest = process;
    program->processes++;
    program->failed += ts_tree_process_failed(process);
    program->total_ns += ns;
    program->maximum_ns = ns > program->maximum_ns ? ns : program->maximum_ns;
    return program;
}

static int compare(const void *left, const void *right) {
    const struct ts_tree_program *a = left, *b = right;
    if (a->total_ns != b->total_ns)
        return a->total_ns > b->total_ns ? -1 : 1;
    return strcmp(a->name, b->name);
}

void ts_tree_programs_sort(struct ts_tree_programs *programs) {
    if (programs->count)
        qsort(programs->programs, programs->count, sizeof *programs->programs, compare);
    ts_hash_index_free(&programs->index);
}

void ts_tree_programs_free(struct ts_tree_programs *programs) {
    free(programs->programs);
    ts_hash_index_free(&programs->index);
    *programs = (struct ts_tree_programs){0};
}
