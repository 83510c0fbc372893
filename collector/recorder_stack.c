#include "collector/recorder_private.h"
#include "collector/stacks.h"
#include "collector/system.h"
#include "collector/text.h"

#include <pthread.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>

/*
 * A shadow stack never moves, since an interrupted hook holds its addresses. It is mapped once, large enough for every
 * frame that its stack can hold (8 bytes for each of the stack's, an entry having 64), and only touched pages cost
 * memory.
 */
#define SHADOW_FOR_STACK 8u
#define SHADOW_LEAST (64u << 10)
#define SHADOW_MOST (UINT64_C(8) << 30)
/* Entries behind `last`: one that stands for calls that found no room. */
#define SHADOW_SLACK 16
/* A context on a stack that nobody announced: its first frame is near the top. */
#define GUESS_BELOW (256u << 10)
/* Frames larger than this are taken for a jump to another stack. */
#define GROWTH_STEP (1u << 20)
#define MAIN_STACK_MOST (UINT64_C(1) << 36)
#define THREAD_STACK_MOST (UINT64_C(1) << 30)

struct ts_recorder_memory ts_recorder_memory = {.shadow_most = SHADOW_MOST, .thread_stack = 8u << 20};

void ts_recorder_stack_begin(void) {
    struct rlimit limit;
    pthread_attr_t attributes;
    size_t usual;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        ts_recorder_memory.shadow_most = limit.rlim_cur / 1024;
    if (getrlimit(RLIMIT_STACK, &limit) == 0)
        ts_recorder_memory.main_stack = limit.rlim_cur;
    if (pthread_attr_init(&attributes) == 0) {
        if (pthread_attr_getstacksize(&attributes, &usual) == 0 && usual)
            ts_recorder_memory.thread_stack = usual;
        pthread_attr_destroy(&attributes);
    }
}

static int shadow_map(struct ts_track *track, uint64_t bytes) {
    int64_t base =
        ts_system_mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (ts_system_failed(base))
        return -1;
    ts_system_madvise((void *)base, bytes, MADV_NOHUGEPAGE);
    track->first = track->top = (struct ts_shadow_entry *)base;
    track->first->cfa = TS_CFA_SENTINEL;
    track->last = track->first + bytes / sizeof *track->first - SHADOW_SLACK;
    return 0;
}

static int shadow_start(struct ts_track *track) {
    uint64_t bytes = track->stack_bytes * SHADOW_FOR_STACK;
    if (bytes > ts_recorder_memory.shadow_most)
        bytes = ts_recorder_memory.shadow_most;
    bytes = bytes > SHADOW_LEAST ? (bytes + 65535) & ~UINT64_C(65535) : SHADOW_LEAST;
    return shadow_map(track, bytes) == 0 ? 0 : shadow_map(track, SHADOW_LEAST);
}

static uint64_t shadow_bytes(const struct ts_track *track) {
    return ((uint64_t)(track->last - track->first) + SHADOW_SLACK) * sizeof *track->first;
}

/* The main thread's stack ends just above the strings that the kernel put there, and grows down to its limit. */
static int on_main_stack(const struct ts_recorder *recorder, uint64_t address, uint64_t *low, uint64_t *bytes) {
    if (recorder->tid != recorder->pid)
        return 0;
    uint64_t last_string = getauxval(AT_EXECFN);
    uint64_t end =
        last_string ? (last_string + ts_text_length((const char *)last_string) + 9 + 4095) & ~UINT64_C(4095) : 0;
    uint64_t most = 8u << 20;
    if (ts_recorder_memory.main_stack > most)
        most = ts_recorder_memory.main_stack < MAIN_STACK_MOST ? ts_recorder_memory.main_stack : MAIN_STACK_MOST;
    most += 1u << 20;
    *low = end > most ? end - most : 0;
    *bytes = end - *low;
    return address - *low < *bytes;
}

/* libc puts a thread's own data, where the thread pointer points, at the top of its stack. */
static int on_thread_stack(uint64_t address, uint64_t thread_pointer, uint64_t *low, uint64_t *bytes) {
    uint64_t usual = ts_recorder_memory.thread_stack;
    if (address >= thread_pointer || thread_pointer - address > THREAD_STACK_MOST)
        return 0;
    if (thread_pointer - address > usual)
        usual = thread_pointer - address + (1u << 20);
    *low = thread_pointer - usual;
    *bytes = usual;
    return 1;
}

static void find_stack(const struct ts_recorder *recorder, struct ts_track *track, uint64_t address) {
    if (ts_stacks_find(address, &track->stack_low, &track->stack_bytes) == 0 ||
        on_main_stack(recorder, address, &track->stack_low, &track->stack_bytes) ||
        on_thread_stack(address, recorder->thread_pointer, &track->stack_low, &track->stack_bytes))
        return;
    track->stack_low = address - GUESS_BELOW;
    track->stack_bytes = ((address | 4095) + 1) - track->stack_low; /* its page is surely mapped */
}

int ts_recorder_stack_start(struct ts_recorder *recorder) {
    struct ts_track found, *track = recorder->tracks;
    find_stack(recorder, &found, (uint64_t)__builtin_frame_address(0));
    if (!track) {
        int64_t tracks = ts_system_mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (ts_system_failed(tracks))
            return -1;
        track = (struct ts_track *)tracks;
        track->stack_bytes = found.stack_bytes;
        if (shadow_start(track)) {
            ts_system_munmap(track, 4096);
            return -1;
        }
        recorder->tracks = track;
        recorder->track_capacity = 4096 / sizeof *track;
    }
    track->number = 0;
    track->top = track->first;
    track->stack_low = found.stack_low;
    track->stack_bytes = found.stack_bytes;
    recorder->overflow = 0;
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

void ts_recorder_stack_shrink(struct ts_recorder *recorder) {
    for (uint32_t i = 0; i < recorder->track_count; i++) {
        struct ts_track *track = &recorder->tracks[i];
        struct ts_shadow_entry *top = i == recorder->track ? recorder->top : track->top;
        uint64_t used = ((uint64_t)(top - track->first) * sizeof *top + SHADOW_LEAST + 65535) & ~UINT64_C(65535);
        uint64_t bytes = shadow_bytes(track);
        if (used + SHADOW_LEAST > bytes)
            continue;
        track->last = track->first + used / sizeof *top - SHADOW_SLACK;
        if (i == recorder->track && !recorder->overflow)
            recorder->last = track->last;
        ts_system_munmap((char *)track->first + used, bytes - used);
    }
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
        recorder->tracks = tracks; /* an interrupted hook may hold the old array: it stays */
        recorder->track_capacity *= 2;
    }
    struct ts_track *track = &recorder->tracks[recorder->track_count];
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
    if (shadow_start(track))
        return NULL;
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
    ts_recorder_end_overflow(recorder);
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
    if (recorder->on_alternate || ts_system_forbidden || ts_system_failed(ts_system_sigaltstack(&alternate)) ||
        !(alternate.ss_flags & SS_ONSTACK) || address - (uint64_t)alternate.ss_sp >= alternate.ss_size)
        return 0;
    /* Calls of the handler nest in the call that it interrupted, wherever its stack lies. */
    recorder->on_alternate = 1;
    recorder->floor = recorder->top;
    recorder->stack_low = (uint64_t)alternate.ss_sp;
    recorder->stack_bytes = alternate.ss_size;
    return 1;
}

/*
 * A thread's stack was taken for one of the usual size. Calls that go on just below its end tell that it is larger, and
 * no other stack that is known lies there.
 */
static int grow_thread_stack(struct ts_recorder *recorder, uint64_t address) {
    struct ts_track *own = recorder->tracks;
    if (recorder->track != 0 || address >= own->stack_low || own->stack_low - address > GROWTH_STEP)
        return 0;
    own->stack_low -= GROWTH_STEP;
    own->stack_bytes += GROWTH_STEP;
    recorder->stack_low = own->stack_low;
    recorder->stack_bytes = own->stack_bytes;
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
    uint64_t low, bytes;
    int noted =
        ts_stacks_find(address, &low, &bytes) == 0; /* may lie inside another stack, or where an older one was */
    for (uint32_t i = 0; i < recorder->track_count; i++) {
        const struct ts_track *known = &recorder->tracks[i];
        if (noted ? known->stack_low != low || known->stack_bytes != bytes
                  : address - known->stack_low >= known->stack_bytes)
            continue;
        if (i != recorder->track)
            set_current(recorder, i, clock);
        return;
    }
    if (grow_thread_stack(recorder, address))
        return;
    track = ts_system_forbidden ? NULL : add_track(recorder, address);
    if (track)
        set_current(recorder, track->number, clock);
}

int ts_recorder_stack_is_elsewhere(struct ts_recorder *recorder, uint64_t address, uint64_t clock) {
    const struct ts_track *track = &recorder->tracks[recorder->track];
    uint64_t low, bytes;
    if (ts_recorder_stack_enter_alternate(recorder, address))
        return 1;
    if (recorder->on_alternate || ts_stacks_find(address, &low, &bytes) ||
        (low == track->stack_low && bytes == track->stack_bytes))
        return 0;
    ts_recorder_stack_select(recorder, address, clock);
    return 1;
}
