#include "collector/recorder_pause.h"
#include "collector/control.h"
#include "collector/recorder_private.h"

void ts_recorder_begin_paused(uint64_t clock) {
    ts_process->pause_clock = clock;
    __atomic_store_n(&ts_process->paused, 1, __ATOMIC_RELEASE);
}

void ts_recorder_toggle(void) {
    struct ts_process *process = ts_process;
    uint32_t paused = __atomic_load_n(&process->paused, __ATOMIC_ACQUIRE);
    uint64_t clock;
    if (!ts_process_fresh)
        return;
    do { /* the clock is read behind the state, so that toggles of several threads are in the order of their clocks */
        clock = ts_clock_now();
        if (!paused)
            __atomic_store_n(&process->pause_clock, clock, __ATOMIC_RELAXED);
    } while (!__atomic_compare_exchange_n(&process->paused, &paused, !paused, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
    if (!paused) {
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        ts_recorder_pool_stop();
    }
    struct ts_record_pause record = {.clock = ts_u64_of(clock)};
    ts_control_write(paused ? TS_RECORD_RESUME : TS_RECORD_PAUSE, &record, sizeof record, NULL, 0, NULL, 0);
}
