#include "render/process_index.h"

#include "render/memory.h"

#include <stdlib.h>

/* Of the same moment, by the clocks of two files. */
#define CLOCKS_APART_NS UINT64_C(10000000)

static int order(uint64_t left, uint64_t right) {
    return (left > right) - (left < right);
}

static int compare_pids(const void *left_pointer, const void *right_pointer) {
    const struct ts_process *left = *(const struct ts_process *const *)left_pointer;
    const struct ts_process *right = *(const struct ts_process *const *)right_pointer;
    return left->pid != right->pid ? order(left->pid, right->pid) : order(left->start_ns, right->start_ns);
}

static int compare_numbers(const void *left_pointer, const void *right_pointer) {
    const struct ts_process *left = *(const struct ts_process *const *)left_pointer;
    const struct ts_process *right = *(const struct ts_process *const *)right_pointer;
    return left->trace != right->trace ? order((uintptr_t)left->trace, (uintptr_t)right->trace)
                                       : order(left->number, right->number);
}

static struct ts_process **sorted(const struct ts_session *session, int (*compare)(const void *, const void *)) {
    struct ts_process **processes = ts_memory_new(session->process_count, sizeof *processes);
    for (size_t i = 0; i < session->process_count; i++)
        processes[i] = session->processes[i];
    if (session->process_count)
        qsort(processes, session->process_count, sizeof *processes, compare);
    return processes;
}

void ts_process_index_make(struct ts_process_index *index, const struct ts_session *session) {
    index->count = session->process_count;
    index->by_pid = sorted(session, compare_pids);
    index->by_number = sorted(session, compare_numbers);
}

void ts_process_index_free(struct ts_process_index *index) {
    free(index->by_pid);
    free(index->by_number);
    *index = (struct ts_process_index){0};
}

struct ts_process *ts_process_index_numbered(const struct ts_process_index *index, const struct ts_trace *trace,
                                             uint32_t number) {
    size_t low = 0, high = index->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        struct ts_process *process = index->by_number[middle];
        if (process->trace == trace && process->number == number)
            return process;
        if ((uintptr_t)process->trace < (uintptr_t)trace || (process->trace == trace && process->number < number))
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

struct ts_process *ts_process_index_after(const struct ts_process_index *index, uint32_t pid, uint64_t ns,
                                          bool is_image) {
    size_t low = 0, high = index->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct ts_process *process = index->by_pid[middle];
        if (process->pid < pid || (process->pid == pid && process->start_ns <= ns))
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < index->count && index->by_pid[low]->pid == pid; low++)
        if (!is_image || index->by_pid[low]->number == 1)
            return index->by_pid[low];
    return NULL;
}

uint64_t ts_process_index_begins_ns(uint64_t ns) {
    return ns > CLOCKS_APART_NS ? ns - CLOCKS_APART_NS : 0;
}
