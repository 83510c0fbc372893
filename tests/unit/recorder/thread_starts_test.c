/* Cannot find: a start that a thread uses while another one takes it; the threads of e2e/213 and 011 would. */
#include "preload/thread_starts.h"
#include "tests/unit/recorder/failing_system.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>

enum { MANY = 1000 };

static void *give_back(void *argument) {
    return argument;
}

static struct ts_thread_start *take(unsigned number) {
    struct ts_thread_start *start = ts_thread_start_take(number, number + 7);
    cr_assert_not_null(start);
    start->function = give_back;
    start->argument = (void *)(uintptr_t)number;
    return start;
}

Test(thread_starts, each_is_its_threads_own_until_used) {
    struct ts_thread_start *starts[MANY];
    for (unsigned i = 0; i < MANY; i++)
        starts[i] = take(i);
    for (unsigned i = 0; i < MANY; i++) {
        struct ts_thread_start used = ts_thread_start_use(starts[i]);
        cr_assert_eq(used.maker, i);
        cr_assert_eq(used.clock, i + 7);
        cr_assert_eq(used.function(used.argument), (void *)(uintptr_t)i);
    }
}

Test(thread_starts, what_is_used_or_given_back_needs_no_memory_again) {
    ts_thread_start_give(take(1));
    failing_system_arm(1u << FAILING_MMAP, 1, UINT64_MAX, ENOMEM);
    for (unsigned i = 0; i < 100000; i++) {
        struct ts_thread_start *start = take(i);
        if (i % 2)
            ts_thread_start_give(start);
        else
            ts_thread_start_use(start);
    }
    unsigned held = 0;
    while (held < MANY && ts_thread_start_take(1, 1))
        held++;
    cr_assert_lt(held, MANY, "there is no memory for so many at once");
    failing_system_disarm();
}

static void *take_many(void *number) {
    for (unsigned i = 0; i < 20000; i++) {
        struct ts_thread_start *start = take((unsigned)(uintptr_t)number);
        cr_assert_eq(start->maker, (uintptr_t)number, "two threads have the same");
        ts_thread_start_use(start);
    }
    return NULL;
}

Test(thread_starts, threads_take_different_ones) {
    pthread_t threads[4];
    for (uintptr_t i = 0; i < 4; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, take_many, (void *)(i + 1)), 0);
    for (unsigned i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}
