/*
 * What can be read without asking the kernel: once system calls are forbidden, nothing else can. Cannot find: a page
 * that is taken away past libc's mprotect, by code that calls the kernel itself.
 */
#include "collector/system.h"
#include "preload/readable.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096 };

static int asked(const void *address) {
    struct ts_readable readable = {0};
    return ts_readable_byte(&readable, (uint64_t)address);
}

static int unasked(const void *address) {
    ts_system_forbidden = 1;
    int result = asked(address);
    ts_system_forbidden = 0;
    return result;
}

/* Large enough that it is not on the page of the frame that asks. */
static char data[64 * PAGE] = "x";

/* Its segments may be unmapped, and no allocator tells where they end. */
Test(readable, the_program_itself_is_asked) {
    ts_readable_begin();
    cr_assert(asked(data + 32 * PAGE));
    cr_assert(!unasked(data + 32 * PAGE));
    cr_assert(!unasked("literal"));
    cr_assert(!unasked(NULL));
    cr_assert(!unasked((void *)1));
}

Test(readable, heap_as_far_as_it_reaches) {
    ts_readable_begin();
    char *low = sbrk(8 * PAGE);
    low = (char *)(((uint64_t)low + PAGE - 1) & -(uint64_t)PAGE);
    cr_assert(!unasked(low + 2 * PAGE), "not yet asked for");
    cr_assert(asked(low + 2 * PAGE));
    cr_assert(unasked(low + 2 * PAGE));
    cr_assert(unasked(low + 5 * PAGE));
    cr_assert(!unasked(low + PAGE), "below the lowest that was asked for");
    cr_assert(asked(low + PAGE));
    cr_assert(unasked(low + PAGE));
    sbrk(-4 * PAGE);
    cr_assert(!unasked(low + 5 * PAGE), "given back");
    cr_assert(!asked(low + 5 * PAGE));
    cr_assert(unasked(low + PAGE));
    cr_assert(sbrk(4 * PAGE) != (void *)-1);
    cr_assert(unasked(low + 5 * PAGE), "there again");
}

Test(readable, elsewhere_always_asked) {
    ts_readable_begin();
    char *memory = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert(asked(memory) && asked(memory));
    cr_assert(!unasked(memory));
    munmap(memory, 2 * PAGE);
    cr_assert(!asked(memory));
}

__attribute__((noinline)) static int deep(const char *above, int pages, int (*look)(const void *)) {
    volatile char frame[PAGE];
    frame[0] = (char)pages;
    int result = pages ? deep(above, pages - 1, look) : look(above);
    return result + 0 * frame[0];
}

Test(readable, main_stack_above_the_frame) {
    ts_readable_begin();
    char here[2 * PAGE];
    cr_assert(!deep(here + PAGE, 2, unasked), "not yet asked for");
    cr_assert(deep(here + PAGE, 3, asked));
    cr_assert(deep(here + PAGE, 2, unasked));
    cr_assert(deep(here + PAGE, 1, unasked));
    cr_assert(!deep(here + PAGE, 9, unasked), "from below what was looked at");
    cr_assert(!unasked((char *)__builtin_frame_address(0) - 4 * PAGE), "below the frame");
}

/* Whether a page of the heap that is known is still known then. */
static int after_taking(void *address, size_t bytes) {
    char *heap = (char *)sbrk(4 * PAGE) + PAGE;
    cr_assert(asked(heap) && unasked(heap));
    ts_readable_taken_away((uint64_t)address, bytes);
    cr_assert(asked(heap));
    return unasked(heap);
}

Test(readable, mapping_taken_away) {
    ts_readable_begin();
    char *memory = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert(after_taking(memory, PAGE), "none that is known");
}

Test(readable, heap_taken_away) {
    ts_readable_begin();
    cr_assert_not(after_taking(sbrk(PAGE), PAGE));
}

Test(readable, stack_taken_away) {
    char here[PAGE];
    ts_readable_begin();
    cr_assert_not(after_taking(here, PAGE));
}
