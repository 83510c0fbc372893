/* The threads of this process, by system calls alone. Async-signal-safe; needs one descriptor for a moment. */
#ifndef TRACESHIM_PRELOAD_THREAD_LIST_H
#define TRACESHIM_PRELOAD_THREAD_LIST_H

#include <stdint.h>

struct ts_thread_list {
    int fd; /* -1: none can be listed */
    uint32_t used;
    uint32_t at;
    uint64_t entries[128]; /* struct linux_dirent64 */
};

void ts_thread_list_open(struct ts_thread_list *list);
/* The next thread's id; 0: that were all. */
int ts_thread_list_next(struct ts_thread_list *list);
void ts_thread_list_close(struct ts_thread_list *list);

#endif
