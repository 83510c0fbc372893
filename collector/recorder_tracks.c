#include "collector/recorder_tracks.h"
#include "collector/recorder_private.h"
#include "collector/system.h"

#include <pthread.h>
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
/* A stack whose bounds are guessed may become this large. */
#define GUESSED_MOST (256u << 10)

/* Tracks lie in one mapping with their index: a hash table of twice as many slots, each a track's number or 0. */
#define TRACKS_FIRST 64u
#define TRACKS_BYTES(capacity) ((capacity) * (sizeof(struct ts_track) + 2 * sizeof(uint32_t)))
/* A new track looks at so many old ones for one whose stack has ended. */
#define RECLAIM_LOOKS 4

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

static uint64_t shadow_wanted(uint64_t stack_bytes) {
    uint64_t bytes = stack_bytes * SHADOW_FOR_STACK;
    if (bytes > ts_recorder_memory.shadow_most)
        bytes = ts_recorder_memory.shadow_most;
    return bytes > SHADOW_LEAST ? (bytes + 65535) & ~UINT64_C(65535) : SHADOW_LEAST;
}

static int shadow_start(struct ts_track *track, uint64_t stack_bytes) {
    return shadow_map(track, shadow_wanted(stack_bytes)) == 0 ? 0 : shadow_map(track, SHADOW_LEAST);
}

static uint64_t shadow_bytes(const struct ts_track *track) {
    return ((uint64_t)(track->last - track->first) + SHADOW_SLACK) * sizeof *track->first;
}

static uint64_t shadow_for(const struct ts_stack *stack) {
    return stack->stamp & TS_STACK_GUESSED && stack->bytes < GUESSED_MOST ? GUESSED_MOST : stack->bytes;
}

/* Stacks that live at once end in different pages. */
static uint64_t key_of(uint64_t low, uint64_t bytes) {
    return (low + bytes - 1) >> 12;
}

/* Where the index has the track of this key, or would have it. */
static uint32_t *slot_of(const struct ts_recorder *recorder, uint64_t key) {
    uint32_t slots = 2 * recorder->track_capacity;
    uint32_t *index = (uint32_t *)(recorder->tracks + recorder->track_capacity);
    uint64_t at = key * UINT64_C(0x9E3779B97F4A7C15) >> 32;
    for (;; at++) {
        uint32_t *slot = &index[at & (slots - 1)];
        const struct ts_track *track = &recorder->tracks[*slot];
        if (!*slot || key_of(track->stack_low, track->stack_bytes) == key)
            return slot;
    }
}

/* Those behind a slot that gets free move up, where their search would end at it. */
static void index_remove(struct ts_recorder *recorder, uint32_t *slot) {
    uint32_t slots = 2 * recorder->track_capacity;
    uint32_t *index = (uint32_t *)(recorder->tracks + recorder->track_capacity);
    *slot = 0;
    for (uint32_t at = (uint32_t)(slot - index);;) {
        at = (at + 1) & (slots - 1);
        uint32_t number = index[at];
        if (!number)
            return;
        index[at] = 0;
        const struct ts_track *track = &recorder->tracks[number];
        *slot_of(recorder, key_of(track->stack_low, track->stack_bytes)) = number;
    }
}

int ts_recorder_tracks_start(struct ts_recorder *recorder, uint64_t low, uint64_t bytes, uint64_t room) {
    struct ts_track *own = recorder->tracks;
    if (!own) {
        int64_t tracks = ts_system_mmap(NULL, TRACKS_BYTES(TRACKS_FIRST), PROT_READ | PROT_WRITE,
                                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (ts_system_failed(tracks))
            return -1;
        own = (struct ts_track *)tracks;
        if (shadow_start(own, room)) {
            ts_system_munmap(own, TRACKS_BYTES(TRACKS_FIRST));
            return -1;
        }
        recorder->tracks = own;
        recorder->track_capacity = TRACKS_FIRST;
    }
    for (uint32_t i = 1; i < recorder->track_count; i++)
        ts_system_munmap(recorder->tracks[i].first, shadow_bytes(&recorder->tracks[i]));
    uint32_t *index = (uint32_t *)(own + recorder->track_capacity);
    if (recorder->track_count > 1)
        for (uint32_t i = 0; i < 2 * recorder->track_capacity; i++)
            index[i] = 0;
    own->number = 0;
    own->top = own->first;
    own->stack_low = low;
    own->stack_bytes = bytes;
    recorder->track_count = 1;
    recorder->track_oldest = 1;
    return 0;
}

uint32_t ts_recorder_tracks_find(const struct ts_recorder *recorder, const struct ts_stack *stack) {
    uint32_t number = *slot_of(recorder, key_of(stack->low, stack->bytes));
    return number ? number : TS_TRACK_NONE;
}

static int grow(struct ts_recorder *recorder) {
    uint32_t capacity = 2 * recorder->track_capacity;
    int64_t more =
        ts_system_mmap(NULL, TRACKS_BYTES(capacity), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (ts_system_failed(more))
        return -1;
    struct ts_track *tracks = (struct ts_track *)more;
    for (uint32_t i = 0; i < recorder->track_count; i++)
        tracks[i] = recorder->tracks[i];
    recorder->tracks = tracks; /* an interrupted hook may hold the old array: it stays */
    recorder->track_capacity = capacity;
    for (uint32_t i = 1; i < recorder->track_count; i++)
        *slot_of(recorder, key_of(tracks[i].stack_low, tracks[i].stack_bytes)) = i;
    return 0;
}

/* A track whose stack has ended, by turns; TS_TRACK_NONE: none among a few. */
static uint32_t find_ended(struct ts_recorder *recorder) {
    for (unsigned i = 0; i < RECLAIM_LOOKS && i + 1 < recorder->track_count; i++) {
        uint32_t number = recorder->track_oldest++;
        if (recorder->track_oldest >= recorder->track_count)
            recorder->track_oldest = 1;
        const struct ts_track *track = &recorder->tracks[number];
        struct ts_stack stack;
        if (number != recorder->track && number != recorder->handler_track && number != recorder->handler_from &&
            (ts_stacks_find(track->stack_low + track->stack_bytes - 1, &stack) || stack.stamp != track->stamp))
            return number;
    }
    return TS_TRACK_NONE;
}

uint32_t ts_recorder_tracks_add(struct ts_recorder *recorder, const struct ts_stack *stack) {
    uint32_t number = find_ended(recorder);
    if (number != TS_TRACK_NONE) {
        struct ts_track *old = &recorder->tracks[number];
        index_remove(recorder, slot_of(recorder, key_of(old->stack_low, old->stack_bytes)));
    } else {
        if (recorder->track_count == recorder->track_capacity && grow(recorder))
            return TS_TRACK_NONE;
        number = recorder->track_count;
        if (shadow_start(&recorder->tracks[number], shadow_for(stack)))
            return TS_TRACK_NONE;
        recorder->tracks[number].number = number;
        recorder->track_count++;
    }
    struct ts_track *track = &recorder->tracks[number];
    track->stack_low = stack->low;
    track->stack_bytes = stack->bytes;
    track->stamp = 0;
    *slot_of(recorder, key_of(stack->low, stack->bytes)) = number;
    return number;
}

void ts_recorder_tracks_renew(struct ts_track *track, const struct ts_stack *stack) {
    struct ts_track larger = *track;
    track->stack_low = stack->low;
    track->stack_bytes = stack->bytes;
    track->stamp = stack->stamp;
    if (!ts_system_forbidden && shadow_bytes(track) < shadow_wanted(shadow_for(stack)) &&
        shadow_map(&larger, shadow_wanted(shadow_for(stack))) == 0) {
        struct ts_track old = *track;
        track->first = track->top = larger.first;
        track->last = larger.last;
        ts_system_munmap(old.first, shadow_bytes(&old));
    }
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
