#include "collector/stacks.h"
#include "collector/system.h"

#include <sys/mman.h>

struct stack {
    uint64_t low;   /* 0: free */
    uint64_t bytes; /* 0: being written */
};

#define CHUNK_STACKS 4094
struct chunk {
    struct chunk *next;
    uint64_t used;
    struct stack stacks[CHUNK_STACKS];
};

static struct chunk *newest;

/* A stack that overlaps a new one was freed: its place is taken over. */
static struct stack *overlapping(uint64_t low, uint64_t bytes) {
    for (struct chunk *chunk = __atomic_load_n(&newest, __ATOMIC_ACQUIRE); chunk; chunk = chunk->next) {
        uint64_t used = __atomic_load_n(&chunk->used, __ATOMIC_ACQUIRE);
        for (uint64_t i = 0; i < used && i < CHUNK_STACKS; i++) {
            struct stack *stack = &chunk->stacks[i];
            uint64_t start = __atomic_load_n(&stack->low, __ATOMIC_ACQUIRE);
            if (start < low + bytes && low < start + __atomic_load_n(&stack->bytes, __ATOMIC_ACQUIRE))
                return stack;
        }
    }
    return NULL;
}

void ts_stacks_note(uint64_t low, uint64_t bytes) {
    struct stack *stack = overlapping(low, bytes);
    if (stack && __atomic_load_n(&stack->low, __ATOMIC_ACQUIRE) == low &&
        __atomic_load_n(&stack->bytes, __ATOMIC_ACQUIRE) == bytes)
        return;
    while (!stack) {
        struct chunk *chunk = __atomic_load_n(&newest, __ATOMIC_ACQUIRE);
        uint64_t at = chunk ? __atomic_fetch_add(&chunk->used, 1, __ATOMIC_ACQ_REL) : CHUNK_STACKS;
        if (at < CHUNK_STACKS) {
            stack = &chunk->stacks[at];
            break;
        }
        int64_t fresh = ts_system_mmap(NULL, sizeof *chunk, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (ts_system_failed(fresh))
            return;
        struct chunk *added = (struct chunk *)fresh;
        added->next = chunk;
        if (!__atomic_compare_exchange_n(&newest, &chunk, added, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
            ts_system_munmap(added, sizeof *added);
    }
    __atomic_store_n(&stack->bytes, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&stack->low, low, __ATOMIC_RELEASE);
    __atomic_store_n(&stack->bytes, bytes, __ATOMIC_RELEASE);
}

int ts_stacks_find(uint64_t address, uint64_t *low, uint64_t *bytes) {
    for (struct chunk *chunk = __atomic_load_n(&newest, __ATOMIC_ACQUIRE); chunk; chunk = chunk->next) {
        uint64_t used = __atomic_load_n(&chunk->used, __ATOMIC_ACQUIRE);
        for (uint64_t i = 0; i < used && i < CHUNK_STACKS; i++) {
            uint64_t start = __atomic_load_n(&chunk->stacks[i].low, __ATOMIC_ACQUIRE);
            uint64_t size = __atomic_load_n(&chunk->stacks[i].bytes, __ATOMIC_ACQUIRE);
            if (address - start < size) {
                *low = start;
                *bytes = size;
                return 0;
            }
        }
    }
    return -1;
}
