#include "preload/thread_starts.h"
#include "collector/kept_memory.h"
#include "collector/recorder_attach.h"

#include <stddef.h>

/* A start is in use from the call that makes the thread until it runs: a page of them is enough for most programs. */
#define PAGE_STARTS ((4096 - 16) / sizeof(struct ts_thread_start))

struct page {
    struct page *next;
    uint32_t hint; /* to try first */
    struct ts_thread_start starts[PAGE_STARTS];
};

static struct page *pages; /* only ever added to */

static struct ts_thread_start *take_from(struct page *page) {
    uint32_t hint = __atomic_load_n(&page->hint, __ATOMIC_RELAXED);
    for (uint32_t i = 0; i < PAGE_STARTS; i++) {
        uint32_t number = (hint + i) % PAGE_STARTS;
        struct ts_thread_start *start = &page->starts[number];
        if (!__atomic_load_n(&start->taken, __ATOMIC_RELAXED) &&
            !__atomic_exchange_n(&start->taken, 1, __ATOMIC_ACQUIRE)) {
            __atomic_store_n(&page->hint, number, __ATOMIC_RELAXED);
            return start;
        }
    }
    return NULL;
}

static struct ts_thread_start *take(void) {
    for (struct page *page = __atomic_load_n(&pages, __ATOMIC_ACQUIRE); page; page = page->next) {
        struct ts_thread_start *start = take_from(page);
        if (start)
            return start;
    }
    struct page *page = ts_kept_memory(sizeof *page);
    if (!page)
        return NULL;
    page->starts[0].taken = 1;
    page->next = __atomic_load_n(&pages, __ATOMIC_ACQUIRE);
    while (!__atomic_compare_exchange_n(&pages, &page->next, page, 0, __ATOMIC_RELEASE, __ATOMIC_ACQUIRE))
        ;
    return &page->starts[0];
}

struct ts_thread_start *ts_thread_start_take(uint32_t maker, uint64_t clock) {
    struct ts_thread_start *start = take();
    if (start) {
        start->maker = maker;
        start->clock = clock;
    }
    return start;
}

void ts_thread_start_give(struct ts_thread_start *start) {
    __atomic_store_n(&start->taken, 0, __ATOMIC_RELEASE);
}

struct ts_thread_start ts_thread_start_use(struct ts_thread_start *start) {
    struct ts_thread_start used = {.argument = start->argument, .clock = start->clock, .maker = start->maker};
    used.function = start->function; /* not `taken`, which other threads try */
    ts_thread_start_give(start);
    ts_recorder_made_by(used.maker, used.clock);
    return used;
}
