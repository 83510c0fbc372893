#include "collector/kept_memory.h"
#include "collector/system.h"

#include <stdint.h>
#include <sys/mman.h>

#define ALIGNMENT 16u
#define FIRST_BYTES 8192u
#define CHUNK_BYTES (64u << 10)
#define LARGEST (CHUNK_BYTES / 4) /* a larger piece gets a mapping of its own */

struct __attribute__((may_alias)) chunk {
    uint64_t used; /* may pass the end */
    uint64_t unused;
    uint8_t bytes[];
};

static uint8_t first[sizeof(struct chunk) + FIRST_BYTES] __attribute__((aligned(ALIGNMENT)));
static struct chunk *current; /* NULL: the first */

static void *map(size_t bytes) {
    int64_t memory = ts_system_mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return ts_system_failed(memory) ? NULL : (void *)memory;
}

static void *take(struct chunk *chunk, size_t bytes) {
    uint64_t size = (uint8_t *)chunk == first ? FIRST_BYTES : CHUNK_BYTES - sizeof(struct chunk);
    uint64_t at = __atomic_fetch_add(&chunk->used, bytes, __ATOMIC_RELAXED);
    return at + bytes <= size ? chunk->bytes + at : NULL;
}

void *ts_kept_memory(size_t bytes) {
    if (bytes > LARGEST)
        return map(bytes);
    bytes = (bytes + ALIGNMENT - 1) & -(size_t)ALIGNMENT;
    for (;;) {
        struct chunk *known = __atomic_load_n(&current, __ATOMIC_ACQUIRE);
        void *piece = take(known ? known : (struct chunk *)first, bytes);
        if (piece)
            return piece;
        struct chunk *fresh = map(CHUNK_BYTES);
        if (!fresh)
            return NULL;
        if (!__atomic_compare_exchange_n(&current, &known, fresh, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            ts_system_munmap(fresh, CHUNK_BYTES); /* another thread has made one */
    }
}

char *ts_kept_text(const char *text, size_t length) {
    static char empty[1];
    char *copy = ts_kept_memory(length + 1);
    if (!copy)
        return empty;
    for (size_t i = 0; i < length; i++)
        copy[i] = text[i];
    return copy;
}
