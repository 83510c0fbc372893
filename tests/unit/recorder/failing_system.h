/*
 * collector/system.c with faults: any of its calls that may fail can be made to. Every test of this directory is linked
 * with it; nothing fails until a test asks for it.
 */
#ifndef TRACESHIM_TESTS_FAILING_SYSTEM_H
#define TRACESHIM_TESTS_FAILING_SYSTEM_H

#include <stdint.h>

#define FAILING_CALLS(X)                                                                                               \
    X(MMAP)                                                                                                            \
    X(MADVISE)                                                                                                         \
    X(MAP_AGAIN)                                                                                                       \
    X(OPEN)                                                                                                            \
    X(FTRUNCATE)                                                                                                       \
    X(PWRITE)                                                                                                          \
    X(FALLOCATE)                                                                                                       \
    X(MPROTECT)                                                                                                        \
    X(FSTATFS)

enum failing_call {
#define X(name) FAILING_##name,
    FAILING_CALLS(X)
#undef X
        FAILING_CALL_COUNT
};

/* Of these calls, a bit each, counted together from now on, those from the `first`-th (1...) to the `last`-th fail. */
void failing_system_arm(unsigned calls, uint64_t first, uint64_t last, int error);
void failing_system_disarm(void);
/* How many of the armed calls were made since failing_system_arm. */
uint64_t failing_system_count(void);

/*
 * The place has no room: populating what was not populated before fails. 0: from now on; n: after n more successes;
 * UINT64_MAX: it has room again.
 */
void failing_system_fill_place(uint64_t successes);

/* Populating does nothing from now on, and says that it did. */
void failing_system_pretend_to_populate(void);

#endif
