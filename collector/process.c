#include "collector/process.h"
#include "collector/system.h"
#include "collector/trace_map.h"

static struct ts_process nothing;
struct ts_process_fresh *ts_process_fresh;
struct ts_process *ts_process = &nothing;

/* States of ts_process_fresh->known. */
enum { UNKNOWN = 0, BEING_MADE_KNOWN = 1, KNOWN = 2 };

void ts_process_begin(const struct ts_process_memory *memory, uint64_t clock) {
    ts_process = memory->process;
    ts_process->number = 1;
    ts_process->start = clock;
    ts_process_fresh = memory->fresh;
    ts_process_fresh->pid = (uint64_t)ts_system_getpid();
    ts_process_fresh->known = KNOWN;
}

int ts_process_make_known(uint64_t clock) {
    uint64_t state = UNKNOWN;
    if (__atomic_load_n(&ts_process_fresh->known, __ATOMIC_ACQUIRE) == KNOWN)
        return 0;
    if (!__atomic_compare_exchange_n(&ts_process_fresh->known, &state, BEING_MADE_KNOWN, 0, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE)) {
        while (__atomic_load_n(&ts_process_fresh->known, __ATOMIC_ACQUIRE) != KNOWN)
            ts_system_sleep(1000); /* another thread is between here and there, a few instructions */
        return 0;
    }
    if (!ts_process_fresh->pid)
        ts_process_fresh->pid = (uint64_t)ts_system_getpid();
    ts_process->parent = ts_process->number;
    ts_process->parent_pid = (uint32_t)ts_system_getppid();
    ts_process->number = __atomic_add_fetch(&ts_trace_map.header->process_count, 1, __ATOMIC_RELAXED);
    ts_process->start = clock;
    __atomic_store_n(&ts_process_fresh->known, KNOWN, __ATOMIC_RELEASE);
    return 1;
}

void ts_process_after_fork(void) {
    uint64_t pid = (uint64_t)ts_system_getpid();
    if (!ts_process_fresh || ts_process_fresh->pid == pid) /* a pthread_atfork handler of the program came first */
        return;
    volatile uint64_t *word = (volatile uint64_t *)ts_process_fresh;
    for (size_t i = 0; i < sizeof *ts_process_fresh / sizeof *word; i++)
        word[i] = 0;
    ts_process_fresh->pid = pid; /* so that a vfork child of this process is told apart before its first event */
}
