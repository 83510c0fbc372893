#include "tests/unit/recorder/reading.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#define TRACKS 512

struct track {
    struct ts_open_call *calls;
    uint64_t depth;
    uint64_t capacity;
    uint64_t lowest; /* since the thread's previous window began */
};

struct replay {
    struct track tracks[TRACKS];
    uint32_t track;
    const struct ts_window_header *window;
    uint64_t other_words; /* in this window, as the file shows them */
    uint64_t unwound;
    uint64_t wide; /* ENTER_WIDE records: what they add to other_words is not said */
    uint64_t wanted_function;
    uint64_t wanted_parent;
    uint64_t found;
};

static void push(struct track *track, uint64_t address, uint64_t clock) {
    if (track->depth == track->capacity) {
        track->capacity = track->capacity ? 2 * track->capacity : 64;
        track->calls = realloc(track->calls, track->capacity * sizeof *track->calls);
    }
    track->calls[track->depth++] = (struct ts_open_call){.address = address, .clock = clock};
}

static void pop(struct track *track, uint64_t count) {
    cr_assert_leq(count, track->depth, "%llu calls end, %llu are open", (unsigned long long)count,
                  (unsigned long long)track->depth);
    track->depth -= count;
    track->lowest = track->depth < track->lowest ? track->depth : track->lowest;
}

static void end_window(struct replay *replay) {
    const struct ts_window_header *window = replay->window;
    if (!window || !(window->flags & TS_WINDOW_CLOSED))
        return;
    cr_assert_eq(window->end_depth, replay->tracks[replay->track].depth, "end_depth %llu, replayed %llu",
                 (unsigned long long)window->end_depth, (unsigned long long)replay->tracks[replay->track].depth);
    if (!replay->wide)
        cr_assert_eq(window->other_words, replay->other_words);
    cr_assert_eq(window->unwound, replay->unwound);
}

static void begin_window(struct replay *replay, const struct ts_window_header *window) {
    const struct ts_open_call *open = (const struct ts_open_call *)(window + 1);
    end_window(replay);
    cr_assert_eq(window->previous, replay->window ? replay->window->sequence : 0, "windows are not chained");
    replay->window = window;
    replay->other_words = 0;
    replay->unwound = 0;
    replay->wide = 0;
    cr_assert_lt(window->track, TRACKS);
    replay->track = window->track;
    struct track *track = &replay->tracks[window->track];
    cr_assert_eq(window->records, sizeof *window + window->open_count * sizeof *open);
    if (window->flags & TS_WINDOW_FIRST_OF_PROCESS) {
        for (uint64_t i = 0; i < window->open_count; i++)
            push(track, open[i].address, open[i].clock);
    }
    cr_assert_eq(window->depth, track->depth, "a window begins at depth %llu, replayed %llu",
                 (unsigned long long)window->depth, (unsigned long long)track->depth);
    cr_assert_leq(window->open_count, window->depth);
    uint64_t most = window->bytes / 8 / sizeof *open;
    cr_assert(window->open_count == window->depth || window->open_count + 4 >= most, "%u of %llu open calls are listed",
              window->open_count, (unsigned long long)window->depth);
    cr_assert_leq(window->lowest_depth, track->lowest, "lowest_depth %llu, replayed %llu",
                  (unsigned long long)window->lowest_depth, (unsigned long long)track->lowest);
    for (uint64_t i = 0; i < window->open_count; i++) {
        const struct ts_open_call *call = &track->calls[track->depth - window->open_count + i];
        cr_assert_eq((uint32_t)open[i].address, (uint32_t)call->address, "another open call");
        cr_assert_eq(open[i].clock >> 2, call->clock >> 2, "an open call with another clock");
    }
    track->lowest = track->depth;
}

static void replay_event(void *context, const struct reading_event *event) {
    struct replay *replay = context;
    if (event->window != replay->window)
        begin_window(replay, event->window);
    struct track *track = &replay->tracks[replay->track];
    replay->wide += event->words && (event->type == READING_ENTER || event->type == READING_EXIT);
    if (event->words)
        replay->other_words += TS_HEAD_WORDS(*event->words);
    if (event->type == READING_ENTER) {
        uint64_t parent = track->depth ? track->calls[track->depth - 1].address : 0;
        replay->found +=
            (uint32_t)event->address == replay->wanted_function && (uint32_t)parent == replay->wanted_parent;
        push(track, event->address, event->clock);
    } else if (event->type == READING_EXIT) {
        pop(track, 1);
    } else if (event->type == TS_RECORD_UNWIND) {
        uint64_t gone = ((const struct ts_record_unwind *)event->words)->count;
        replay->unwound += gone;
        pop(track, gone);
    } else if (event->type == TS_RECORD_SWITCH) {
        const struct ts_record_switch *to = (const struct ts_record_switch *)event->words;
        cr_assert_lt(to->track, TRACKS);
        replay->track = to->track;
        cr_assert_eq(reading_u64(to->depth), replay->tracks[to->track].depth);
    }
}

static uint64_t finish(struct replay *replay) {
    uint64_t open = 0;
    end_window(replay);
    for (unsigned i = 0; i < TRACKS; i++) {
        open += replay->tracks[i].depth;
        free(replay->tracks[i].calls);
    }
    return open;
}

uint64_t reading_check_thread(const struct reading *reading, uint32_t thread) {
    struct replay replay = {0};
    reading_each(reading, thread, replay_event, &replay);
    return finish(&replay);
}

uint64_t reading_calls_below(const struct reading *reading, uint32_t thread, uint64_t function, uint64_t parent) {
    struct replay replay = {.wanted_function = (uint32_t)function, .wanted_parent = (uint32_t)parent};
    reading_each(reading, thread, replay_event, &replay);
    finish(&replay);
    return replay.found;
}
