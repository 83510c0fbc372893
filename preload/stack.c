#include "preload/stack.h"
#include "collector/system.h"
#include "cpu.h"
#include "preload/real.h"
#include "preload/stack_memory.h"
#include "unwind_context.h"

#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#define LIBRARY "libunwind.so.8"
/* Its unw_cursor_t has 1016 bytes on x86-64 and up to 32 KiB elsewhere: not on the stack, which may be small. */
#define CURSOR_BYTES (32u << 10)
static_assert(CURSOR_BYTES + sizeof(ucontext_t) <= TS_STACK_MEMORY, "preload/stack.h");
/* What is searched of a stack for a signal's frame; deeper ones count as having one. */
#define SEARCH_BYTES (512u << 10)
#define SIGNALS 64
#define RESTORERS_MOST 4
/* The vDSO's code, where a machine returns from handlers there. */
#define VDSO_BYTES 16384

/* libunwind(3): unw_init_local, unw_step, unw_get_reg. */
static struct {
    int (*init)(void *cursor, void *context);
    int (*step)(void *cursor);
    int (*get)(void *cursor, int number, uint64_t *value);
} unwind;

static ts_stack_is_harmless *harmless;

static int find(void *library, const char *name, void *function) {
    *(void **)function = ts_real(dlsym)(library, name);
    return *(void **)function != NULL;
}

/* Its first steps allocate and read what later ones find ready. */
static void warm(void) {
    uint64_t here = (uint64_t)__builtin_frame_address(0), slot;
    struct ts_stack_place place = {(uint64_t)__builtin_return_address(0), here + 16, *(const uint64_t *)here, 1};
    int refused;
    int64_t memory = ts_system_mmap(NULL, TS_STACK_MEMORY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (ts_system_failed(memory))
        return;
    for (int i = 0; i < 64 && ts_stack_unwind((void *)memory, &place, UINT64_MAX, &slot, &refused) == TS_STACK_STEP;
         i++)
        ;
    ts_system_munmap((void *)memory, TS_STACK_MEMORY);
}

int ts_stack_begin(ts_stack_is_harmless *is_harmless) {
    harmless = is_harmless;
    void *(*open)(const char *, int) = ts_real_libc_dlopen ? ts_real_libc_dlopen : ts_real(dlopen);
    void *library = open ? open(LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND) : NULL;
    if (!library) {
        dlerror(); /* the program has not called dlopen */
        return -1;
    }
    if (!find(library, TS_UNWIND_PREFIX "init_local", &unwind.init) ||
        !find(library, TS_UNWIND_PREFIX "step", &unwind.step) ||
        !find(library, TS_UNWIND_PREFIX "get_reg", &unwind.get) || ts_stack_memory_lead((uint64_t)unwind.step)) {
        unwind.init = NULL;
        return -1;
    }
    warm();
    return 0;
}

int ts_stack_is_in(uint64_t low, uint64_t high) {
    return unwind.init && (uint64_t)unwind.step - low < high - low;
}

/*
 * A handler returns to code of libc or of the vDSO, and that address lies above its frame: whether the stack may hold
 * one. What an earlier handler has left behind looks the same.
 */
__attribute__((no_sanitize("address"))) static int may_be_handler(uint64_t from, uint64_t end) {
    uint64_t restorers[RESTORERS_MOST], vdso = getauxval(AT_SYSINFO_EHDR);
    unsigned count = 0;
    for (int number = 1; number <= SIGNALS; number++) {
        struct ts_signal_action action;
        if (ts_system_failed(ts_system_sigaction(number, NULL, &action)) || action.handler <= 1 ||
            harmless(action.handler))
            continue;
        unsigned known = 0;
        while (known < count && restorers[known] != action.restorer)
            known++;
        if (known == RESTORERS_MOST)
            return 1;
        restorers[known] = action.restorer;
        count += known == count;
    }
    if (!count)
        return 0;
    if (end - from > SEARCH_BYTES)
        return 1;
    for (const uint64_t *at = (const uint64_t *)(from & ~UINT64_C(7)); at < (const uint64_t *)end; at++) {
        uint64_t word = TS_STACK_ADDRESS(*at);
        if (vdso && word - vdso < VDSO_BYTES)
            return 1;
        for (unsigned i = 0; i < count; i++)
            if (word == restorers[i])
                return 1;
    }
    return 0;
}

/* Where the return address lies that libunwind has found: no machine but x86-64 has one place for it. */
__attribute__((no_sanitize("address"))) static uint64_t find_slot(const struct ts_stack_place *from, uint64_t cfa,
                                                                  uint64_t address, uint64_t stack_end) {
    uint64_t at = ts_unwind_slot(cfa);
    if (at)
        return at >= from->stack && at < stack_end && TS_STACK_ADDRESS(*(const uint64_t *)at) == address ? at : 0;
    for (at = from->stack; at < cfa && at < stack_end; at += 8)
        if (TS_STACK_ADDRESS(*(const uint64_t *)at) == address)
            return at;
    return 0;
}

static enum ts_stack_step step(uint8_t *memory, struct ts_stack_place *place, uint64_t stack_end, uint64_t *slot) {
    ucontext_t *context = (ucontext_t *)(memory + CURSOR_BYTES);
    void *cursor = memory;
    uint64_t address, stack, pointer;
    ts_unwind_context(context, place);
    if (unwind.init(cursor, context))
        return TS_STACK_LOST;
    int more = unwind.step(cursor);
    if (more <= 0)
        return more ? TS_STACK_LOST : TS_STACK_FIRST;
    if (unwind.get(cursor, TS_UNWIND_ADDRESS, &address) || unwind.get(cursor, TS_UNWIND_STACK, &stack) ||
        unwind.get(cursor, TS_UNWIND_POINTER, &pointer))
        return TS_STACK_LOST;
    address = TS_STACK_ADDRESS(address);
    uint64_t at = find_slot(place, stack, address, stack_end);
    if (!at || stack <= place->stack || stack > stack_end)
        return TS_STACK_LOST;
    *place = (struct ts_stack_place){address, stack, pointer, 1};
    *slot = at;
    return TS_STACK_STEP;
}

TS_CPU_ALIGNS_STACK enum ts_stack_step ts_stack_unwind(void *memory, struct ts_stack_place *place, uint64_t stack_end,
                                                       uint64_t *slot, int *refused) {
    *refused = 0;
    if (!unwind.init)
        return TS_STACK_LOST;
    *refused = ts_system_forbidden || may_be_handler(place->stack, stack_end);
    if (*refused)
        return TS_STACK_LOST;
    int error = errno;
    enum ts_stack_step taken = step(memory, place, stack_end, slot);
    errno = error;
    return taken;
}
