/* What a thread that is being made is to know when it starts. */
#ifndef TRACESHIM_PRELOAD_THREAD_STARTS_H
#define TRACESHIM_PRELOAD_THREAD_STARTS_H

#include <stdint.h>

struct ts_thread_start {
    union {
        void *(*function)(void *);
        int (*c_function)(void *); /* of thrd_create */
    };
    void *argument;
    uint64_t clock; /* when the thread was made */
    uint32_t maker; /* number of the thread that made it, in the file */
    uint32_t taken;
};

/* By the maker, any thread. NULL: there is no memory. What is given back, or used, may be taken again. */
struct ts_thread_start *ts_thread_start_take(uint32_t maker, uint64_t clock);
void ts_thread_start_give(struct ts_thread_start *start); /* the thread was not made */

/* By the new thread, first of all. Tells the recorder where it comes from; the copy is what it is to run. */
struct ts_thread_start ts_thread_start_use(struct ts_thread_start *start);

#endif
