#include "collector/recorder_private.h"
#include "collector/stacks.h"
#include "collector/system.h"
#include "collector/text.h"

#include <pthread.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>

#define FIRST_SHADOW_BYTES (64u << 10)
#define TRACK_SHADOW_BYTES (16u << 10)
/* Entries behind `last`: none is used, unless a handler comes while the stack is being exchanged. */
#define SHADOW_SLACK 16
/* A context on a stack that nobody announced: its first frame is near the top. */
#define GUESS_BELOW (256u << 10)
#define MAIN_STACK_MOST (UINT64_C(1) << 36)
#define THREAD_STACK_MOST (UINT64_C(1) << 30)

static int shadow_start(struct ts_track *track, uint64_t bytes) {
    int64_t base =
        ts_system_mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (ts_system_failed(base))
        return -1;
    track->first = track->top = (struct ts_shadow_entry *)base;
    track->last = track->first + bytes / sizeof *track->first - SHADOW_SLACK;
    return 0;
}

static uint64_t shadow_bytes(const struct ts_track *track) {
    return ((uint64_t)(track->last - track->first) + SHADOW_SLACK) * sizeof *track->first;
}

/* The main thread's stack ends just above the strings that the kernel put there, and grows down to its limit. */
static int on_main_stack(uint64_t address, uint64_t *low, uint64_t *bytes) {
    uint64_t last_string = getauxval(AT_EXECFN);
    uint64_t end =
        last_string ? (last_string + ts_text_length((const char *)last_string) + 9 + 4095) & ~UINT64_C(4095) : 0;
    struct rlimit limit;
    uint64_t most = 8u << 20;
    if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur > most)
        most = limit.rlim_cur < MAIN_STACK_MOST ? limit.rlim_cur : MAIN_STACK_MOST;
    most += 1u << 20;
    *low = end > most ? end - most : 0;
    *bytes = end - *low;
    return address - *low < *bytes;
}

/* libc puts a thread's own data, where the thread pointer points, at the top of its stack. */
static int on_thread_stack(uint64_t address, uint64_t thread_pointer, uint64_t *low, uint64_t *bytes) {
    size_t usual = 8u << 20;
    pthread_attr_t attributes;
    if (address >= thread_pointer || thread_pointer - address > THREAD_STACK_MOST)
        return 0;
    if (pthread_attr_init(&attributes) == 0) {
        pthread_attr_getstacksize(&attributes, &usual);
        pthread_attr_destroy(&attributes);
    }
    if (thread_pointer - address > usual)
        usual = thread_pointer - address + (1u << 20);
    *low = thread_pointer - usual;
    *bytes = usual;
    return 1;
}

int ts_recorder_stack_start(struct ts_recorder *recorder) {
    uint64_t here = (uint64_t)__builtin_frame_address(0);
    struct ts_track *track = recorder->tracks;
    if (!track) {
        int64_t tracks = ts_system_mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (ts_system_failed(tracks))
            return -1;
        recorder->tracks = track = (struct ts_track *)tracks;
        recorder->track_capacity = 4096 / sizeof *track;
        if (shadow_start(track, FIRST_SHADOW_BYTES)) {
            ts_system_munmap(track, 4096);
            recorder->tracks = NULL;
            return -1;
        }
    }
    track->number = 0;
    track->top = track->first;
    if (!on_main_stack(here, &track->stack_low, &track->stack_bytes) &&
        !on_thread_stack(here, recorder->thread_pointer, &track->stack_low, &track->stack_bytes)) {
        track->stack_low = here - GUESS_BELOW;
        track->stack_bytes = ((here | 4095) + 1) - track->stack_low; /* its page is surely mapped */
    }
    for (uint32_t i = 1; i < recorder->track_count; i++)
        ts_system_munmap(recorder->tracks[i].first, shadow_bytes(&recorder->tracks[i]));
    recorder->track_count = 1;
    recorder->track = 0;
    recorder->on_alternate = 0;
    recorder->top = recorder->floor = track->first;
    recorder->last = track->last;
    recorder->stack_low = track->stack_low;
    recorder->stack_bytes = track->stack_bytes;
    return 0;
}

int ts_recorder_stack_grow(struct ts_recorder *recorder) {
    struct ts_track *track = &recorder->tracks[recorder->track];
    struct ts_track bigger = *track;
    uint64_t bytes = shadow_bytes(track);
    if (shadow_start(&bigger, 2 * bytes))
        return -1;
    uint64_t used = (uint64_t)(recorder->top - track->first) + 1;
    for (uint64_t i = 0; i < used; i++)
        bigger.first[i] = track->first[i];
    struct ts_shadow_entry *old = track->first;
    recorder->top = bigger.first + (recorder->top - old);
    recorder->floor = bigger.first + (recorder->floor - old);
    recorder->last = bigger.last;
    *track = bigger;
    ts_system_munmap(old, bytes);
    return 0;
}

static struct ts_track *add_track(struct ts_recorder *recorder, uint64_t address) {
    if (recorder->track_count == recorder->track_capacity) {
        uint64_t bytes = recorder->track_capacity * sizeof *recorder->tracks;
        int64_t more = ts_system_mmap(NULL, 2 * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (ts_system_failed(more))
            return NULL;
        struct ts_track *tracks = (struct ts_track *)more;
        for (uint32_t i = 0; i < recorder->track_count; i++)
            tracks[i] = recorder->tracks[i];
        ts_system_munmap(recorder->tracks, bytes);
        recorder->tracks = tracks;
        recorder->track_capacity *= 2;
    }
    struct ts_track *track = &recorder->tracks[recorder->track_count];
    if (shadow_start(track, TRACK_SHADOW_BYTES))
        return NULL;
    if (ts_stacks_find(address, &track->stack_low, &track->stack_bytes)) {
        track->stack_low = address - GUESS_BELOW;
        track->stack_bytes = ((address | 4095) + 1) - track->stack_low; /* its page is surely mapped */
        for (uint32_t i = 0; i < recorder->track_count; i++) {          /* not over a stack that is known */
            const struct ts_track *other = &recorder->tracks[i];
            uint64_t end = other->stack_low + other->stack_bytes;
            if (end <= address && end > track->stack_low) {
                track->stack_bytes -= end - track->stack_low;
                track->stack_low = end;
            }
        }
    }
    track->number = recorder->track_count++;
    return track;
}

static void set_current(struct ts_recorder *recorder, uint32_t index, uint64_t clock) {
    struct ts_track *track = &recorder->tracks[index];
    struct ts_record_switch record = {
        .head = TS_RECORD_SWITCH,
        .clock = ts_u64_of(clock),
        .track = track->number,
        .kind = index ? TS_SWITCH_CONTEXT : TS_SWITCH_THREAD_STACK,
        .depth = ts_u64_of((uint64_t)(track->top - track->first)),
    };
    if (ts_recorder_make_room(recorder, sizeof record, clock) == 0)
        ts_recorder_write(recorder, &record.head, sizeof record / 4);
    recorder->tracks[recorder->track].top = recorder->top;
    recorder->track = index;
    recorder->top = track->top;
    recorder->floor = track->first;
    recorder->last = track->last;
    recorder->stack_low = track->stack_low;
    recorder->stack_bytes = track->stack_bytes;
}

int ts_recorder_stack_enter_alternate(struct ts_recorder *recorder, uint64_t address) {
    stack_t alternate = {0};
    if (recorder->on_alternate || ts_system_failed(ts_system_sigaltstack(&alternate)) ||
        !(alternate.ss_flags & SS_ONSTACK) || address - (uint64_t)alternate.ss_sp >= alternate.ss_size)
        return 0;
    /* Calls of the handler nest in the call that it interrupted, wherever its stack lies. */
    recorder->on_alternate = 1;
    recorder->floor = recorder->top;
    recorder->stack_low = (uint64_t)alternate.ss_sp;
    recorder->stack_bytes = alternate.ss_size;
    return 1;
}

void ts_recorder_stack_select(struct ts_recorder *recorder, uint64_t address, uint64_t clock) {
    struct ts_track *track = &recorder->tracks[recorder->track];
    if (recorder->on_alternate) { /* the handler has returned, or jumped out */
        recorder->on_alternate = 0;
        ts_recorder_unwind_to(recorder, recorder->floor, clock, TS_UNWIND_UNKNOWN);
        recorder->floor = track->first;
        recorder->stack_low = track->stack_low;
        recorder->stack_bytes = track->stack_bytes;
        if (address - recorder->stack_low < recorder->stack_bytes)
            return;
    }
    if (ts_recorder_stack_enter_alternate(recorder, address))
        return;
    for (uint32_t i = 0; i < recorder->track_count; i++)
        if (address - recorder->tracks[i].stack_low < recorder->tracks[i].stack_bytes) {
            if (i != recorder->track)
                set_current(recorder, i, clock);
            return;
        }
    track = add_track(recorder, address);
    if (track)
        set_current(recorder, track->number, clock);
}
