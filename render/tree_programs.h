/* Processes that run the same program, as one: for the merged view of sessions with many processes. */
#ifndef TRACESHIM_RENDER_TREE_PROGRAMS_H
#define TRACESHIM_RENDER_TREE_PROGRAMS_H

#include "render/hash_index.h"
#include "render/session.h"

#include <stdbool.h>

struct ts_tree_program {
    const char *name;                /* of its processes */
    const struct ts_process *latest; /* of them */
    uint32_t root;                   /* of the call tree: all threads of all its processes */
    uint64_t processes;
    uint64_t failed; /* so many of them */
    uint64_t total_ns;
    uint64_t maximum_ns;
};

/* All zero is none. */
struct ts_tree_programs {
    struct ts_tree_program *programs;
    size_t count;
    size_t capacity;
    struct ts_hash_index index;
    uint64_t seed;
};

/* The program of this process, with the process counted; *made tells that it is new and needs a root. */
struct ts_tree_program *ts_tree_programs_add(struct ts_tree_programs *programs, const struct ts_process *process,
                                             bool *made);
/* By total, descending, then name. The index no longer holds. */
void ts_tree_programs_sort(struct ts_tree_programs *programs);
void ts_tree_programs_free(struct ts_tree_programs *programs);

/* Whether it ended with a status that is not 0, or by a signal. */
bool ts_tree_process_failed(const struct ts_process *process);

#endif
