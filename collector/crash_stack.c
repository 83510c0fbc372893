#include "collector/crash_stack.h"
#include "collector/system.h"

#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

/* For handlers of the program's too, should they ask for an alternate stack without setting one. Untouched pages cost
 * nothing. */
#define LEAST 65536u
#define PAGE 4096u

static uint64_t stack_bytes; /* 0: not begun */

void ts_crash_stack_begin(void) {
    /* What the kernel stores for a handler, which grows with the processor's registers. */
    uint64_t frame = getauxval(AT_MINSIGSTKSZ);
    stack_bytes = (LEAST + frame + PAGE - 1) / PAGE * PAGE;
}

int ts_crash_stack_is(const struct ts_recorder *recorder, uint64_t low) {
    return recorder && recorder->crash_stack && low == recorder->crash_stack;
}

void ts_crash_stack_set(struct ts_recorder *recorder) {
    stack_t now;
    if (!stack_bytes || ts_system_forbidden || ts_system_failed(ts_system_sigaltstack(NULL, &now)) ||
        now.ss_flags != SS_DISABLE)
        return;
    if (!recorder->crash_stack) {
        int64_t low = ts_system_mmap(NULL, stack_bytes, PROT_READ | PROT_WRITE,
                                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
        if (ts_system_failed(low))
            return;
        recorder->crash_stack = (uint64_t)low;
    }
    stack_t ours = {.ss_sp = (void *)recorder->crash_stack, .ss_size = stack_bytes};
    ts_system_sigaltstack(&ours, NULL);
}

void ts_crash_stack_unset(const struct ts_recorder *recorder) {
    stack_t now, none = {.ss_flags = SS_DISABLE};
    if (!recorder->crash_stack || ts_system_forbidden || ts_system_failed(ts_system_sigaltstack(NULL, &now)) ||
        (uint64_t)now.ss_sp != recorder->crash_stack || now.ss_flags & SS_ONSTACK)
        return;
    ts_system_sigaltstack(&none, NULL);
}
