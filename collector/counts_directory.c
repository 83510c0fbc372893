#include "collector/counts_directory.h"
#include "collector/process.h"
#include "collector/system.h"

#include <sys/mman.h>

/* A key of a module that is gone: its slot keeps the chains whole until the directory grows. No code lies there. */
#define GONE UINT64_C(1)

/* 256 slots and the head. */
#define FIRST_SLOTS 256u

/* All that were ever made; those of ended threads have no owner. */
static struct ts_counts *all;

static int kernel_wipes = 1;

static uint64_t bytes_of(uint64_t slots) {
    return sizeof(struct ts_counts_directory) + slots * sizeof(struct ts_counts_slot);
}

static struct ts_counts_directory *new_directory(uint64_t slots) {
    int64_t memory = ts_system_mmap(NULL, bytes_of(slots), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (ts_system_failed(memory))
        return NULL;
    if (ts_system_failed(ts_system_madvise((void *)memory, bytes_of(slots), MADV_WIPEONFORK)))
        kernel_wipes = 0;
    return (struct ts_counts_directory *)memory;
}

struct ts_counts *ts_counts_directory_take(void) {
    struct ts_counts *counts = __atomic_load_n(&all, __ATOMIC_ACQUIRE);
    for (; counts; counts = counts->next)
        if (!__atomic_load_n(&counts->owned, __ATOMIC_RELAXED) &&
            !__atomic_exchange_n(&counts->owned, 1, __ATOMIC_ACQUIRE))
            return counts;
    if (ts_system_forbidden)
        return NULL;
    int64_t memory = ts_system_mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct ts_counts_directory *directory = ts_system_failed(memory) ? NULL : new_directory(FIRST_SLOTS);
    if (!directory) {
        if (!ts_system_failed(memory))
            ts_system_munmap((void *)memory, sizeof *counts);
        return NULL;
    }
    counts = (struct ts_counts *)memory;
    counts->directory = directory;
    counts->mask = FIRST_SLOTS - 1;
    counts->owned = 1;
    counts->next = __atomic_load_n(&all, __ATOMIC_ACQUIRE);
    while (!__atomic_compare_exchange_n(&all, &counts->next, counts, 0, __ATOMIC_RELEASE, __ATOMIC_ACQUIRE))
        ;
    return counts;
}

void ts_counts_directory_give(struct ts_counts *counts) {
    __atomic_store_n(&counts->owned, 0, __ATOMIC_RELEASE);
}

const struct ts_counts_slot *ts_counts_directory_find(const struct ts_counts *counts, uint64_t key) {
    uint64_t mask = counts->mask;
    const struct ts_counts_slot *slots = counts->directory->slots;
    for (uint64_t at = ts_counts_slot_of(key), tries = 0; tries <= mask; at++, tries++) {
        uint64_t found = __atomic_load_n(&slots[at & mask].key, __ATOMIC_ACQUIRE);
        if (found == key)
            return &slots[at & mask];
        if (!found)
            return NULL;
    }
    return NULL;
}

/* Between the thread that grows its directory and one that unloads a module. Free in a forked child. */
static void lock(void) {
    while (__atomic_exchange_n(&ts_process_fresh->counts_locked, 1, __ATOMIC_ACQUIRE))
        if (!ts_system_forbidden)
            ts_system_yield();
}

static void unlock(void) {
    __atomic_store_n(&ts_process_fresh->counts_locked, 0, __ATOMIC_RELEASE);
}

static void put(struct ts_counts_directory *directory, uint64_t mask, uint64_t key, uint64_t record) {
    uint64_t at = ts_counts_slot_of(key);
    while (directory->slots[at & mask].key)
        at++;
    directory->slots[at & mask].counts = record;
    __atomic_store_n(&directory->slots[at & mask].key, key, __ATOMIC_RELEASE);
    directory->used++;
}

static int grow(struct ts_counts *counts) {
    struct ts_counts_directory *old = counts->directory;
    uint64_t slots = counts->mask + 1;
    struct ts_counts_directory *larger = ts_system_forbidden ? NULL : new_directory(2 * slots);
    if (!larger)
        return -1;
    larger->room = old->room;
    larger->room_end = old->room_end;
    larger->window_bytes = old->window_bytes;
    lock();
    for (uint64_t i = 0; i < slots; i++)
        if (old->slots[i].key > GONE)
            put(larger, 2 * slots - 1, old->slots[i].key, old->slots[i].counts);
    counts->directory = larger;
    __atomic_store_n(&counts->mask, 2 * slots - 1, __ATOMIC_RELEASE);
    unlock();
    return 0;
}

int ts_counts_directory_make_room(struct ts_counts *counts) {
    return counts->directory->used < (counts->mask + 1) / 2 ? 0 : grow(counts);
}

void ts_counts_directory_add(struct ts_counts *counts, uint64_t key, uint64_t record) {
    put(counts->directory, counts->mask, key, record);
}

void ts_counts_directory_after_fork(void) {
    struct ts_counts *counts = kernel_wipes ? NULL : all;
    for (; counts; counts = counts->next) {
        volatile uint64_t *word = (volatile uint64_t *)counts->directory;
        for (uint64_t i = 0; i < bytes_of(counts->mask + 1) / sizeof *word; i++)
            word[i] = 0;
    }
}

static uint64_t address_of(uint64_t key) {
    if (key & TS_COUNTS_PLACE)
        return key & ~TS_COUNTS_PLACE;
    return (key & ~TS_COUNTS_CARRY) << TS_COUNTS_CODE_SHIFT;
}

void ts_counts_forget(uint64_t low, uint64_t high) {
    struct ts_signal_mask mask;
    if (!__atomic_load_n(&all, __ATOMIC_ACQUIRE))
        return;
    ts_system_block_signals(&mask);
    lock();
    for (struct ts_counts *counts = __atomic_load_n(&all, __ATOMIC_ACQUIRE); counts; counts = counts->next)
        for (uint64_t i = 0; i <= counts->mask; i++) {
            struct ts_counts_slot *slot = &counts->directory->slots[i];
            if (slot->key > GONE && address_of(slot->key) - low < high - low)
                __atomic_store_n(&slot->key, GONE, __ATOMIC_RELEASE);
        }
    unlock();
    ts_system_restore_signals(&mask);
}
