#include "collector/recorder_hook.h"
#include "collector/recorder_attach.h"
#include "collector/recorder_hold.h"
#include "collector/recorder_pause.h"
#include "collector/recorder_private.h"

static inline __attribute__((always_inline)) void enter_with_values(struct ts_recorder *recorder, uint64_t stub,
                                                                    uint64_t site, uint64_t cfa, uint64_t clock,
                                                                    const struct ts_record_values *values,
                                                                    int has_behind, uint64_t behind) {
    uint64_t own = (TS_VALUES_AT + values->count) * UINT64_C(4), bytes = own + (has_behind ? TS_BEHIND_BYTES : 0);
    struct ts_shadow_entry *entry = recorder->top + 1;
    TS_STORE(recorder->top, entry);
    TS_STORE(entry->cfa, cfa | TS_AT_WORK);
    TS_STORE(entry->function, stub);
    TS_STORE(entry->site, site);
    TS_STORE(entry->clock, clock);
    TS_STORE(entry->bytes, bytes);
    TS_STORE(entry->position, TS_POSITION_WIDE);
    struct ts_cursor *cursor = TS_CURSOR_OF(recorder);
    uint64_t position = ts_cpu_reserve(&cursor->next, (uint32_t)bytes);
    if (TS_UNLIKELY(!ts_recorder_fits(cursor, position, bytes))) {
        ts_recorder_enter_full(recorder, position, cfa, clock, values);
        return;
    }
    TS_STORE(entry->position, position);
    ts_recorder_write_values(position, TS_RECORD_ENTER_WIDE, clock, values);
    if (has_behind)
        *(volatile ts_record_words *)(position + own) = behind;
    TS_STORE(recorder->tagged_end, position + bytes);
    TS_STORE(entry->bytes, 0);
    TS_STORE(entry->cfa, cfa);
    recorder->other_words += ts_recorder_other_words(TS_RECORD_ENTER_WIDE, values) + (has_behind ? TS_BEHIND_WORDS : 0);
}

static inline __attribute__((always_inline)) void hook_enter(uint64_t stub, uint64_t site, uint64_t cfa, uint64_t stack,
                                                             uint64_t clock, const struct ts_record_values *values,
                                                             int has_behind, uint64_t behind) {
    struct ts_recorder *recorder = ts_this_recorder;
    if (TS_UNLIKELY(!recorder) || TS_UNLIKELY(!ts_recorder_knows_stack(recorder, stack))) {
        ts_recorder_stack_end(stack, clock);
        ts_recorder_enter_slow(stub, site, cfa, stack, clock, values);
        return;
    }
    if (!values) {
        ts_recorder_enter_with(recorder, stub, site, cfa, stack, clock, 1, 0, has_behind, behind);
        return;
    }
    struct ts_shadow_entry *top = recorder->top;
    if (TS_UNLIKELY(clock >> TS_EPOCH_SHIFT != recorder->epoch) || TS_UNLIKELY(top == recorder->last) ||
        (int64_t)top->cfa <= (int64_t)cfa ||
        TS_UNLIKELY((uint64_t)(top - recorder->tracks[recorder->track].first) >= ts_recorder_limits.depth))
        ts_recorder_enter_slow(stub, site, cfa, stack, clock, values);
    else
        enter_with_values(recorder, stub, site, cfa, clock, values, has_behind, behind);
}

TS_HOT void ts_recorder_hook_enter(uint64_t stub, uint64_t site, uint64_t cfa, uint64_t stack, uint64_t clock,
                                   const struct ts_record_values *values) {
    hook_enter(stub, site, cfa, stack, clock, values, 0, 0);
}

void ts_recorder_hook_enter_from(uint64_t stub, uint64_t site, uint64_t cfa, uint64_t stack, uint64_t clock,
                                 const struct ts_record_values *values, uint32_t frame) {
    struct ts_recorder *recorder = ts_this_recorder;
    if (recorder) {
        recorder->stack_frame = frame;
        recorder->stack_cfa = cfa;
        recorder->stack_window = recorder->window_sequence;
    }
    hook_enter(stub, site, cfa, stack, clock, values, 1,
               frame ? ts_recorder_behind(TS_RECORD_STACK, frame) : ts_recorder_behind(TS_RECORD_CALL_SITE, site));
}

TS_HOT static void exit_with_values(struct ts_recorder *recorder, struct ts_shadow_entry *entry, uint64_t cfa,
                                    uint64_t clock, const struct ts_record_values *values) {
    uint64_t bytes = (TS_VALUES_AT + values->count) * UINT64_C(4);
    TS_STORE(entry->cfa, cfa | TS_AT_WORK);
    TS_STORE(entry->bytes, bytes);
    struct ts_cursor *cursor = TS_CURSOR_OF(recorder);
    uint64_t position = ts_cpu_reserve(&cursor->next, (uint32_t)bytes);
    if (TS_UNLIKELY(!ts_recorder_fits(cursor, position, bytes))) {
        ts_recorder_exit_full(recorder, position, clock, values);
        return;
    }
    TS_STORE(entry->position, position | 1);
    ts_recorder_write_values(position, TS_RECORD_RESULT, clock, values);
    TS_STORE(recorder->tagged_end, position + bytes);
    TS_STORE(entry->bytes, 0);
    ts_recorder_pop(recorder, entry);
    recorder->other_words += ts_recorder_other_words(TS_RECORD_RESULT, values);
}

/*
 * ts_recorder_unwrite for an ENTER with arguments. At every moment the record is whole, PENDING or zero: what a handler
 * that comes meanwhile commits again has lost its arguments, not more.
 */
static int unwrite_values(struct ts_recorder *recorder, struct ts_shadow_entry *entry) {
    struct ts_cursor *cursor = TS_CURSOR_OF(recorder);
    volatile uint32_t *record = (volatile uint32_t *)entry->position;
    if (entry->position < TS_POSITION_FIRST || (record[0] & 3) != (TS_HEAD(0, 0) & 3))
        return 0;
    uint64_t position = entry->position, words = TS_HEAD_WORDS(record[0]);
    uint64_t bytes = 4 * words + ts_recorder_limits.behind_bytes;
    if (cursor->next != position + bytes || !ts_recorder_is_inside(cursor, position))
        return 0;
    volatile ts_record_words *behind = (volatile ts_record_words *)(position + 4 * words);
    if (ts_recorder_limits.behind_bytes)
        *behind = 0;
    record[0] = TS_HEAD_PENDING(words);
    for (uint64_t i = words; --i > 0;)
        record[i] = 0;
    TS_STORE(entry->bytes, bytes);
    record[0] = 0;
    TS_STORE(entry->position, TS_POSITION_WIDE);
    int gone = ts_cpu_replace(&cursor->next, position + bytes, position);
    TS_STORE(entry->bytes, 0);
    if (!gone) {
        TS_STORE(entry->position, position);
        if (!record[0])
            ts_recorder_write_wide(position, entry->function, entry->clock);
        return 0;
    }
    recorder->other_words -= (uint32_t)(bytes - TS_ENTER_BYTES) / 4;
    TS_STORE(recorder->tagged_end, position); /* what is behind is gone */
    ts_recorder_pop(recorder, entry);
    return 1;
}

/* A call that was short, called nothing and has not failed. */
__attribute__((cold, noinline)) static int take_back(struct ts_recorder *recorder, struct ts_shadow_entry *entry,
                                                     uint64_t cfa) {
    TS_STORE(entry->cfa, cfa | TS_AT_WORK);
    if (ts_recorder_unwrite(recorder, entry, ts_recorder_limits.behind_bytes) || unwrite_values(recorder, entry))
        return 1;
    TS_STORE(entry->cfa, cfa);
    return 0;
}

static int is_short(const struct ts_shadow_entry *entry, uint64_t clock, const struct ts_record_values *values) {
    return clock - entry->clock < ts_recorder_limits.duration_ticks && (!values || !values->words[0]);
}

TS_HOT void ts_recorder_hook_exit(uint64_t stub, uint64_t cfa, uint64_t clock, const struct ts_record_values *values) {
    struct ts_recorder *recorder = ts_this_recorder;
    if (TS_UNLIKELY(!recorder)) {
        ts_recorder_exit_slow(stub, cfa, 1, clock, values);
        return;
    }
    struct ts_shadow_entry *entry = recorder->top;
    if (TS_UNLIKELY(!ts_recorder_knows_stack(recorder, cfa - 8)) || TS_UNLIKELY(entry->function != stub) ||
        TS_UNLIKELY(entry->cfa != cfa) || TS_UNLIKELY(clock >> TS_EPOCH_SHIFT != recorder->epoch) ||
        TS_UNLIKELY(entry->position < TS_POSITION_LISTED))
        ts_recorder_exit_slow(stub, cfa, 1, clock, values);
    else if (TS_UNLIKELY(is_short(entry, clock, values)) && take_back(recorder, entry, cfa))
        return;
    else if (values)
        exit_with_values(recorder, entry, cfa, clock, values);
    else {
        TS_STORE(entry->cfa, cfa | TS_AT_WORK);
        ts_recorder_write_exit(recorder, entry, clock);
    }
}

void ts_recorder_hook_unwind(uint64_t low, uint64_t high, uint64_t clock, int forced) {
    struct ts_recorder_hold hold;
    struct ts_recorder *recorder = ts_this_recorder;
    if (!recorder || ts_recorder_hold(&hold, &recorder, TS_RECORDER_HERE, 0, clock))
        return;
    ts_recorder_settle(recorder);
    struct ts_shadow_entry *entry = recorder->top;
    while (entry > recorder->floor && entry->function - low >= high - low)
        entry--;
    if (entry > recorder->floor)
        ts_recorder_unwind_to(recorder, entry - 1, clock, forced ? TS_UNWIND_THREAD_END : TS_UNWIND_EXCEPTION);
    ts_recorder_release(&hold, recorder);
}

static void unwind_below(struct ts_recorder *recorder, uint64_t cfa, uint64_t clock) {
    struct ts_shadow_entry *entry = recorder->top;
    while (entry > recorder->floor && (entry->cfa & ~TS_AT_WORK) <= cfa)
        entry--;
    if (entry != recorder->top)
        ts_recorder_unwind_to(recorder, entry, clock, TS_UNWIND_EXCEPTION);
}

/* Makes room for so many bytes, and writes the records. `caught` 0: nothing was. */
static int note(uint64_t caught, uint32_t bytes, const uint32_t *words, uint32_t words_of_one, uint32_t count,
                struct ts_recorder_place place, uint64_t clock) {
    struct ts_recorder_hold hold;
    struct ts_recorder *recorder;
    int failed = -1;
    if (!caught && ts_recorder_pauses())
        return -1;
    if (ts_recorder_hold(&hold, &recorder, TS_RECORDER_HERE, 0, clock))
        return -1;
    recorder = ts_recorder_attach(recorder, clock);
    if (recorder) {
        ts_recorder_settle(recorder);
        if (caught && ts_recorder_knows_stack(recorder, caught - 8))
            unwind_below(recorder, caught, clock);
        failed = ts_recorder_make_room(recorder, bytes, clock);
        for (uint32_t i = 0; i < count && !failed; i++)
            ts_recorder_write(recorder, words + i * words_of_one, words_of_one);
        struct ts_record_stack stack = {.head = TS_RECORD_STACK, .frame = place.frame};
        if (place.frame && place.window == recorder->window_sequence && !failed)
            ts_recorder_write(recorder, &stack.head, sizeof stack / 4);
    }
    ts_recorder_release(&hold, recorder);
    return failed;
}

static const struct ts_recorder_place nowhere = {0, 0};

void ts_recorder_note(const uint32_t *words, uint32_t count, uint64_t clock) {
    note(0, count * 4 + TS_HOOKED_CALL_BYTES, words, count, 1, nowhere, clock);
}

void ts_recorder_note_all(const uint32_t *words, uint32_t words_of_one, uint32_t count, uint64_t clock) {
    note(0, count * words_of_one * 4 + TS_HOOKED_CALL_BYTES, words, words_of_one, count, nowhere, clock);
}

void ts_recorder_note_from(const uint32_t *words, uint32_t count, struct ts_recorder_place place, uint64_t clock) {
    note(0, count * 4 + TS_BEHIND_BYTES, words, count, 1, place, clock);
}

int ts_recorder_ask_room(uint32_t bytes, uint64_t clock) {
    return note(0, bytes, NULL, 0, 0, nowhere, clock);
}

void ts_recorder_exception_caught(uint64_t cfa, const uint32_t *words, uint32_t count, struct ts_recorder_place place,
                                  uint64_t clock) {
    note(cfa, count * 4 + TS_BEHIND_BYTES, words, count, 1, place, clock);
}

void ts_recorder_jump(void) {
    struct ts_recorder *recorder = ts_this_recorder;
    if (recorder)
        recorder->jump_next = TS_CURSOR_OF(recorder)->next;
}
