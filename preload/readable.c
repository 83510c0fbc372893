#include "preload/readable.h"
#include "collector/system.h"
#include "collector/text.h"

#include <link.h>
#include <sys/auxv.h>
#include <sys/mman.h>

/* The smallest page that any machine has. */
#define PAGE 4096u
#define PAGE_OF(address) ((address) & ~(uint64_t)(PAGE - 1))
#define PAGES_END(address) PAGE_OF((address) + PAGE - 1)

/* Farther below its end the main thread's stack is asked for page by page. */
#define STACK_MOST (UINT64_C(64) << 20)
#define SEGMENTS_MOST 6u

struct range {
    uint64_t low, high;
};

/*
 * Where libc says that the heap ends, which grows without holes from wherever it begins; not there in other C
 * libraries.
 */
extern void *__curbrk __attribute__((weak));

static struct range segments[SEGMENTS_MOST]; /* the program's own, those that can be read */
static uint32_t segment_count;
/* From here to the end of it no page is missing. 0: nothing is known yet. Changed by any thread, only downwards. */
static uint64_t heap_low, stack_low;
static uint64_t stack_end; /* of the main thread's stack */
static int taken_away;

static uint64_t heap_end(void) {
    return &__curbrk ? PAGES_END((uint64_t)__atomic_load_n(&__curbrk, __ATOMIC_RELAXED)) : 0;
}

static void add_segment(uint64_t low, uint64_t high) {
    struct range *last = segment_count ? &segments[segment_count - 1] : NULL;
    if (last && last->high == low)
        last->high = high;
    else if (segment_count < SEGMENTS_MOST)
        segments[segment_count++] = (struct range){low, high};
}

void ts_readable_begin(void) {
    const ElfW(Phdr) *header = (const ElfW(Phdr) *)getauxval(AT_PHDR);
    uint64_t count = header ? getauxval(AT_PHNUM) : 0, bias = 0, last_string = getauxval(AT_EXECFN);
    int is_placed = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t start = bias + header[i].p_vaddr;
        if (header[i].p_type == PT_PHDR) { /* comes before the others (System V ABI) */
            bias = (uint64_t)header - header[i].p_vaddr;
            is_placed = 1;
        } else if (is_placed && header[i].p_type == PT_LOAD && header[i].p_flags & PF_R) {
            add_segment(PAGE_OF(start), PAGES_END(start + header[i].p_memsz));
        }
    }
    if (last_string) /* the last thing on the stack, but for a word */
        stack_end = PAGES_END(last_string + ts_text_length((const char *)last_string) + 1 + sizeof(uint64_t));
}

void ts_readable_taken_away(uint64_t address, uint64_t bytes) {
    uint64_t end = address + bytes;
    int is_stack = stack_end && end > stack_end - STACK_MOST && address < stack_end;
    if (is_stack || address < heap_end() || (segment_count && address < segments[segment_count - 1].high))
        __atomic_store_n(&taken_away, 1, __ATOMIC_RELAXED);
}

/* The end of the pages from this one on that are known to be there; 0: it is to be asked for. */
static uint64_t known_to(uint64_t page, uint64_t here) {
    if (__atomic_load_n(&taken_away, __ATOMIC_RELAXED))
        return 0;
    uint64_t low = __atomic_load_n(&heap_low, __ATOMIC_RELAXED), end = heap_end();
    if (low && page >= low && page < end)
        return end;
    for (uint32_t i = 0; i < segment_count; i++)
        if (page - segments[i].low < segments[i].high - segments[i].low)
            return segments[i].high;
    low = __atomic_load_n(&stack_low, __ATOMIC_RELAXED);
    return low && here >= low && page > here && page < stack_end ? stack_end : 0;
}

/* The page was asked for: whether it can be told the next time. */
static void learn(uint64_t page, uint64_t here) {
    uint64_t *known = NULL, end = heap_end(), from = page;
    if (segment_count && page >= segments[segment_count - 1].high && page < end) {
        known = &heap_low;
    } else if (page > here && page < stack_end && here > stack_end - STACK_MOST) {
        known = &stack_low;
        end = stack_end;
        from = here; /* the kernel adds pages where they are first used: those below may not be there yet */
    }
    if (!known || __atomic_load_n(&taken_away, __ATOMIC_RELAXED))
        return;
    uint64_t low = __atomic_load_n(known, __ATOMIC_RELAXED);
    if (low && low < end)
        end = low;
    if (from < end && ts_system_mapped((const void *)from, end - from))
        __atomic_store_n(known, from, __ATOMIC_RELAXED);
}

int ts_readable_more(struct ts_readable *readable, uint64_t address) {
    uint64_t here = PAGE_OF((uint64_t)__builtin_frame_address(0)), page = PAGE_OF(address);
    readable->low = page;
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
