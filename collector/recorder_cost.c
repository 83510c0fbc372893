#include "collector/recorder_cost.h"
#include "collector/recorder.h"
#include "collector/recorder_hold.h"
#include "collector/system.h"

#include <sys/mman.h>

/* Few, on few pages: every process pays for it at its end. */
#define ROUNDS 5
#define CALLS 64
#define BUFFER_BYTES (8u << 10)
#define ENTRIES 17 /* of the shadow stack, with its sentinel */
#define SHADOW_BYTES (ENTRIES * sizeof(struct ts_shadow_entry))
#define STACK_BYTES (16u << 10) /* around the measuring function's frame */

/* Calls of one function in one frame, as a loop would make them. Returns how long they took. */
static uint64_t run_events(struct ts_recorder *recorder, void (*call)(void)) {
    uint64_t frame = recorder->stack_low + 1024;
    uint64_t start = ts_system_nanoseconds(CLOCK_MONOTONIC);
    (void)call;
    for (int i = 0; i < CALLS; i++) {
        uint64_t clock = ts_clock_now();
        recorder->epoch = clock >> TS_EPOCH_SHIFT;
        ts_recorder_enter(recorder, 4096, 1, frame, frame, clock, 0, 0);
        ts_recorder_exit(4096, frame - 16, 0, ts_clock_now(), 0);
    }
    return ts_system_nanoseconds(CLOCK_MONOTONIC) - start;
}

/* NULL: the loop alone. */
static uint64_t run_calls(struct ts_recorder *recorder, void (*call)(void)) {
    uint64_t start = ts_system_nanoseconds(CLOCK_MONOTONIC);
    for (int i = 0; i < CALLS; i++) {
        recorder->epoch = ts_clock_now() >> TS_EPOCH_SHIFT;
        if (call)
            call();
    }
    return ts_system_nanoseconds(CLOCK_MONOTONIC) - start;
}

/* A recorder that nothing else has, and its cursor: zero, and kept, since the process ends soon. NULL: no memory. */
static struct ts_recorder *take_recorder(void) {
    static int64_t memory;
    if (!memory) {
        int64_t got =
            ts_system_mmap(NULL, TS_CURSOR_DISTANCE + sizeof(struct ts_recorder) + SHADOW_BYTES + BUFFER_BYTES,
                           PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (ts_system_failed(got))
            return NULL;
        memory = got;
    }
    struct ts_recorder *recorder = (struct ts_recorder *)(memory + TS_CURSOR_DISTANCE);
    ts_cpu_zero(recorder, sizeof *recorder + SHADOW_BYTES);
    return recorder;
}

/* The shortest of some rounds, in ns; 0 when there is no memory. The recorder knows [stack, stack + stack_bytes). */
static uint64_t measure(uint64_t stack, uint64_t stack_bytes,
                        uint64_t run_round(struct ts_recorder *recorder, void (*call)(void)), void (*call)(void)) {
    struct ts_recorder *recorder = take_recorder();
    if (!recorder)
        return 0;
    struct ts_cursor *cursor = TS_CURSOR_OF(recorder);
    struct ts_track track = {0};
    recorder->tracks = &track;
    recorder->track_count = 1;
    recorder->stack_low = track.stack_low = stack;
    recorder->stack_bytes = track.stack_bytes = stack_bytes;
    track.first = recorder->top = recorder->floor = (struct ts_shadow_entry *)(recorder + 1);
    track.first->cfa = TS_CFA_SENTINEL;
    track.last = recorder->last = recorder->top + ENTRIES - 1;
    cursor->base = (uint64_t)recorder + sizeof *recorder + SHADOW_BYTES;
    ts_cursor_set_limit(cursor, BUFFER_BYTES);

    struct ts_recorder_hold hold;
    struct ts_recorder *mine;
    uint64_t best = UINT64_MAX;
    if (ts_recorder_hold(&hold, &mine, TS_RECORDER_HERE, 0, ts_clock_now()))
        return 0;
    __atomic_store_n(&ts_this_recorder, recorder, __ATOMIC_RELAXED);
    for (int round = 0; round < ROUNDS; round++) {
        cursor->next = cursor->base;
        uint64_t took = run_round(recorder, call);
        best = took < best ? took : best;
    }
    ts_recorder_release(&hold, mine);
    return best;
}

uint64_t ts_recorder_cost_measure(void) {
    uint64_t here = (uint64_t)__builtin_frame_address(0);
    return measure(here - STACK_BYTES, 2 * STACK_BYTES, run_events, NULL) * 1000 / (2 * CALLS);
}

uint64_t ts_recorder_cost_of(void (*call)(void)) {
    uint64_t here = (uint64_t)__builtin_frame_address(0);
    uint64_t with = measure(here - STACK_BYTES, 2 * STACK_BYTES, run_calls, call);
    uint64_t without = measure(here - STACK_BYTES, 2 * STACK_BYTES, run_calls, NULL);
    return with > without ? (with - without) * 1000 / CALLS : 0;
}
