#include "preload/readable.h"
#include "collector/memory_probe.h"
#include "collector/placement.h"
#include "collector/recorder.h"
#include "collector/system.h"
#include "collector/text.h"

#include <stddef.h>
#include <sys/auxv.h>

/* The smallest page that any machine has. */
#define PAGE 4096u
#define PAGE_OF(address) ((address) & ~(uint64_t)(PAGE - 1))
#define PAGES_END(address) PAGE_OF((address) + PAGE - 1)

/* Farther below its end the main thread's stack is asked for page by page. */
#define STACK_MOST (UINT64_C(64) << 20)

/*
 * Where libc says that the heap ends, which grows without holes from wherever it begins; not there in other C
 * libraries.
 */
extern void *__curbrk __attribute__((weak));

/* From here to the end of it no page is missing. 0: nothing is known yet. Changed by any thread. */
static uint64_t heap_low, stack_low;
static uint64_t below_heap; /* pages up to this one are none of the heap */
static uint64_t stack_end;  /* of the main thread's stack */
static int taken_away;

static uint64_t heap_end(void) {
    return &__curbrk ? PAGES_END((uint64_t)__atomic_load_n(&__curbrk, __ATOMIC_RELAXED)) : 0;
}

void ts_readable_begin(void) {
    uint64_t last_string = getauxval(AT_EXECFN);
    if (last_string) /* the last thing on the stack, but for a word */
        stack_end = PAGES_END(last_string + ts_text_length((const char *)last_string) + 1 + sizeof(uint64_t));
}

void ts_readable_taken_away(uint64_t address, uint64_t bytes) {
    uint64_t end = address + bytes;
    int is_stack = stack_end && end > stack_end - STACK_MOST && address < stack_end;
    if (is_stack || address < heap_end())
        __atomic_store_n(&taken_away, 1, __ATOMIC_RELAXED);
}

/* The end of the pages from this one on that are known to be there; 0: it is to be asked for. */
static uint64_t known_to(uint64_t page, uint64_t here) {
    if (__atomic_load_n(&taken_away, __ATOMIC_RELAXED))
        return 0;
    uint64_t low = __atomic_load_n(&heap_low, __ATOMIC_RELAXED), end = heap_end();
    if (low && page >= low && page < end)
        return end;
    low = __atomic_load_n(&stack_low, __ATOMIC_RELAXED);
    return low && here >= low && page > here && page < stack_end ? stack_end : 0;
}

/* No page is missing from `from` to `end`, or to where that is known already. */
static int is_whole(uint64_t from, uint64_t end, uint64_t known_from) {
    uint64_t asked = known_from && known_from < end ? known_from : end;
    return from >= asked || ts_system_mapped((const void *)from, asked - from);
}

/* The page can be read: whether that can be told the next time without asking. */
static void learn(uint64_t page, uint64_t here) {
    if (__atomic_load_n(&taken_away, __ATOMIC_RELAXED))
        return;
    uint64_t end = heap_end(), low = __atomic_load_n(&heap_low, __ATOMIC_RELAXED);
    if (page < end && page > __atomic_load_n(&below_heap, __ATOMIC_RELAXED)) {
        if (is_whole(page, end, low))
            __atomic_store_n(&heap_low, page, __ATOMIC_RELAXED);
        else
            __atomic_store_n(&below_heap, page, __ATOMIC_RELAXED);
    }
    low = __atomic_load_n(&stack_low, __ATOMIC_RELAXED);
    if (page > here && page < stack_end && here > stack_end - STACK_MOST && is_whole(here, stack_end, low))
        __atomic_store_n(&stack_low, here, __ATOMIC_RELAXED); /* the kernel adds pages where they are first used */
}

TS_WARM int ts_readable_more(struct ts_readable *readable, uint64_t address) {
    uint64_t here = PAGE_OF((uint64_t)__builtin_frame_address(0)), page = PAGE_OF(address);
    readable->low = page;
    if (ts_memory_probe_is_on() && ts_this_recorder) { /* before its first event what a thread blocks is not known */
        readable->high = page + PAGE;
        return ts_memory_probe_byte(address) ? 1 : (readable->high = readable->low = 0);
    }
    readable->high = page == here ? page + PAGE : known_to(page, here);
    if (readable->high)
        return 1;
    if (ts_system_forbidden || !page || !ts_system_readable((const void *)page)) {
        readable->low = 0;
        return 0;
    }
    learn(page, here);
    readable->high = page + PAGE;
    return 1;
}

int ts_readable_range(uint64_t address, uint64_t bytes) {
    struct ts_readable readable = {0};
    for (uint64_t at = address; at < address + bytes; at = readable.high)
        if (!ts_readable_byte(&readable, at))
            return 0;
    return address + bytes >= address;
}
