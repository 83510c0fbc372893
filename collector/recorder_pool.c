#include "collector/process.h"
#include "collector/recorder_attach.h"
#include "collector/recorder_private.h"
#include "collector/system.h"

#include <sys/mman.h>

/*
 * Recorders come in slabs of two regions: cursors, wiped on fork, and TS_CURSOR_DISTANCE above them the recorders. 63
 * threads share a slab's two mappings, so that 20 000 threads do not use up the process's mappings.
 */
#define STRIDE 1024
#define SLOTS (TS_CURSOR_DISTANCE / STRIDE)

static_assert(sizeof(struct ts_recorder) <= STRIDE, "a recorder does not fit its slot");
static_assert(sizeof(struct ts_cursor) == 64, "a cursor is one cache line");

struct slab { /* in slot 0 of the recorders' region */
    struct slab *next;
    uint32_t hint;             /* slot to try first */
    uint32_t used;             /* slots above this one were never taken: their pages do not exist yet */
    struct ts_process process; /* of the first slab; the fresh part is in slot 0 of its cursors' region */
};
static_assert(sizeof(struct slab) <= STRIDE && sizeof(struct ts_process_fresh) <= STRIDE, "they do not fit slot 0");

static struct slab *slabs;

static struct ts_recorder *slot_of(struct slab *slab, unsigned slot) {
    return (struct ts_recorder *)((char *)slab + (size_t)slot * STRIDE);
}

static struct ts_recorder *take_from(struct slab *slab, uint64_t owner) {
    unsigned hint = __atomic_load_n(&slab->hint, __ATOMIC_RELAXED);
    for (unsigned i = 0; i < SLOTS - 1; i++) {
        unsigned slot = 1 + (hint + i) % (SLOTS - 1);
        struct ts_recorder *recorder = slot_of(slab, slot);
        uint64_t free = 0;
        if (__atomic_load_n(&recorder->owner, __ATOMIC_RELAXED) == 0 &&
            __atomic_compare_exchange_n(&recorder->owner, &free, owner, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
            __atomic_store_n(&slab->hint, slot, __ATOMIC_RELAXED);
            uint32_t used = __atomic_load_n(&slab->used, __ATOMIC_RELAXED);
            while (used < slot &&
                   !__atomic_compare_exchange_n(&slab->used, &used, slot, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
                ;
            return recorder;
        }
    }
    return NULL;
}

static struct slab *new_slab(void) {
    int64_t base =
        ts_system_mmap(NULL, 2 * TS_CURSOR_DISTANCE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (ts_system_failed(base))
        return NULL;
    /* Kernels before 4.14 refuse; there ts_recorder_pool_after_fork, called by the interposed fork, wipes. */
    ts_system_madvise((void *)base, TS_CURSOR_DISTANCE, MADV_WIPEONFORK);
    return (struct slab *)(base + TS_CURSOR_DISTANCE);
}

static void add_slab(struct slab *slab) {
    slab->next = __atomic_load_n(&slabs, __ATOMIC_ACQUIRE);
    while (!__atomic_compare_exchange_n(&slabs, &slab->next, slab, 0, __ATOMIC_RELEASE, __ATOMIC_ACQUIRE))
        ;
}

int ts_recorder_pool_begin(struct ts_process_memory *memory) {
    struct slab *slab = new_slab();
    if (!slab)
        return -1;
    add_slab(slab);
    memory->process = &slab->process;
    memory->fresh = (struct ts_process_fresh *)((char *)slab - TS_CURSOR_DISTANCE);
    return 0;
}

struct ts_recorder *ts_recorder_pool_take(uint64_t owner) {
    struct ts_recorder *recorder;
    for (struct slab *slab = __atomic_load_n(&slabs, __ATOMIC_ACQUIRE); slab; slab = slab->next)
        if ((recorder = take_from(slab, owner)))
            return recorder;
    struct slab *slab = new_slab();
    if (!slab)
        return NULL;
    recorder = slot_of(slab, 1);
    recorder->owner = owner;
    slab->used = 1;
    add_slab(slab);
    return recorder;
}

/* Its shadow stacks stay with it for the next owner. */
void ts_recorder_pool_give(struct ts_recorder *recorder) {
    struct ts_cursor *cursor = TS_CURSOR_OF(recorder);
    ts_cursor_set_limit(cursor, 0);
    cursor->next = cursor->base = 0;
    recorder->window.header = recorder->rest.header = NULL;
    __atomic_store_n(&recorder->owner, 0, __ATOMIC_RELEASE);
}

void ts_recorder_pool_after_fork(struct ts_recorder *mine) {
    for (struct slab *slab = slabs; slab; slab = slab->next)
        for (unsigned slot = 1; slot <= slab->used; slot++) {
            struct ts_recorder *recorder = slot_of(slab, slot);
            if (recorder != mine && recorder->owner && recorder->owner >> 32 != ts_process->number)
                ts_recorder_pool_give(recorder);
        }
}

void ts_recorder_pool_stop(void) {
    for (struct slab *slab = __atomic_load_n(&slabs, __ATOMIC_ACQUIRE); slab; slab = slab->next) {
        uint32_t used = __atomic_load_n(&slab->used, __ATOMIC_RELAXED);
        for (uint32_t slot = 1; slot <= used; slot++)
            ts_cursor_set_limit(TS_CURSOR_OF(slot_of(slab, slot)), 0);
    }
}

void ts_recorder_pool_shrink(void) {
    for (struct slab *slab = __atomic_load_n(&slabs, __ATOMIC_ACQUIRE); slab; slab = slab->next)
        for (unsigned slot = 1; slot <= slab->used; slot++)
            ts_recorder_stack_shrink(slot_of(slab, slot));
}

void ts_recorder_each_thread(void (*visit)(int tid, void *context), void *context) {
    for (struct slab *slab = __atomic_load_n(&slabs, __ATOMIC_ACQUIRE); slab; slab = slab->next) {
        uint32_t used = __atomic_load_n(&slab->used, __ATOMIC_RELAXED);
        for (uint32_t slot = 1; slot <= used; slot++) {
            uint64_t owner = __atomic_load_n(&slot_of(slab, slot)->owner, __ATOMIC_ACQUIRE);
            if (owner && owner >> 32 == ts_process->number)
                visit((int)(uint32_t)owner, context);
        }
    }
}
