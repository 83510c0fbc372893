#include "collector/process.h"
#include "collector/system.h"
#include "collector/trace_map.h"

#include <sys/mman.h>

struct ts_process_page *ts_process_page;
uint32_t ts_process_number;
uint32_t ts_process_parent;
uint32_t ts_process_parent_pid;
uint64_t ts_process_start;

/* States of ts_process_page->known. */
enum { UNKNOWN = 0, BEING_MADE_KNOWN = 1, KNOWN = 2 };

int ts_process_begin(uint64_t clock) {
    uint64_t bytes = sizeof(struct ts_process_page);
    int64_t page = ts_system_mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (ts_system_failed(page))
        return -1;
    ts_system_madvise((void *)page, bytes, MADV_WIPEONFORK);
    ts_process_number = 1;
    ts_process_start = clock;
    ts_process_page = (struct ts_process_page *)page;
    ts_process_page->pid = (uint64_t)ts_system_getpid();
    ts_process_page->known = KNOWN;
    return 0;
}

int ts_process_make_known(uint64_t clock) {
    uint64_t state = UNKNOWN;
    if (__atomic_load_n(&ts_process_page->known, __ATOMIC_ACQUIRE) == KNOWN)
        return 0;
    if (!__atomic_compare_exchange_n(&ts_process_page->known, &state, BEING_MADE_KNOWN, 0, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE)) {
        while (__atomic_load_n(&ts_process_page->known, __ATOMIC_ACQUIRE) != KNOWN)
            ts_system_sleep(1000); /* another thread is between here and there, a few instructions */
        return 0;
    }
    ts_process_page->pid = (uint64_t)ts_system_getpid();
    ts_process_parent = ts_process_number;
    ts_process_parent_pid = (uint32_t)ts_system_getppid();
    ts_process_number = __atomic_add_fetch(&ts_trace_map.header->process_count, 1, __ATOMIC_RELAXED);
    ts_process_start = clock;
    __atomic_store_n(&ts_process_page->known, KNOWN, __ATOMIC_RELEASE);
    return 1;
}

void ts_process_after_fork(void) {
    uint64_t pid = (uint64_t)ts_system_getpid();
    if (!ts_process_page || ts_process_page->pid == pid) /* a pthread_atfork handler of the program came first */
        return;
    volatile uint64_t *word = (volatile uint64_t *)ts_process_page;
    for (size_t i = 0; i < sizeof *ts_process_page / sizeof *word; i++)
        word[i] = 0;
    ts_process_page->pid = pid; /* so that a vfork child of this process is told apart before its first event */
}
