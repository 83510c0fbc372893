/*
 * The recorder for hooked calls: as the hot path of recorder.h, but not inlined, with arguments and results. A call is
 * known by the address of its hook's stub, and its frame exactly.
 */
#ifndef TRACESHIM_COLLECTOR_RECORDER_HOOK_H
#define TRACESHIM_COLLECTOR_RECORDER_HOOK_H

#include "collector/placement.h"
#include "collector/recorder.h"

/* The largest ENTER_WIDE, and what stands behind it. */
#define TS_HOOKED_CALL_BYTES ((TS_VALUES_AT + TS_VALUES_MOST) * 4u + TS_BEHIND_BYTES)

/*
 * A hooked call begins. `cfa` is that of the stub's frame, `stack` an address in the running hook's frame; `values` as
 * in an ENTER_WIDE, NULL: a plain ENTER. Async-signal-safe; errno is kept.
 */
void ts_recorder_hook_enter(uint64_t stub, uint64_t site, uint64_t cfa, uint64_t stack, uint64_t clock,
                            const struct ts_record_values *values);
/* The same at level 2. `frame`: its caller, that a FRAME of the window has told; 0: no more than its call site is
 * known. */
void ts_recorder_hook_enter_from(uint64_t stub, uint64_t site, uint64_t cfa, uint64_t stack, uint64_t clock,
                                 const struct ts_record_values *values, uint32_t frame);
/* It ends. `values` as in a RESULT; NULL: a plain EXIT. */
void ts_recorder_hook_exit(uint64_t stub, uint64_t cfa, uint64_t clock, const struct ts_record_values *values);

/* A FRAME that window `window` has told; frame 0: none. */
struct ts_recorder_place {
    uint64_t window;
    uint32_t frame;
};

/* An exception, or a thread's end (`forced`), leaves the innermost call whose stub lies in [low, high). */
void ts_recorder_hook_unwind(uint64_t low, uint64_t high, uint64_t clock, int forced);

/*
 * An exception has arrived in a frame whose stack pointer is `cfa`: calls in frames below it were left by it. Then the
 * record of that, as in ts_recorder_note_from.
 */
void ts_recorder_exception_caught(uint64_t cfa, const uint32_t *words, uint32_t count, struct ts_recorder_place place,
                                  uint64_t clock);

/* The thread is about to longjmp: if the next event finds calls gone, that is why. Async-signal-safe. */
void ts_recorder_jump(void);

/*
 * Tagged records of this thread that open and close nothing, in the window in which the next hooked call begins.
 * Signals are blocked meanwhile.
 */
void ts_recorder_note(const uint32_t *words, uint32_t count, uint64_t clock);
/* The same for records of one size, `count` of them. */
void ts_recorder_note_all(const uint32_t *words, uint32_t words_of_one, uint32_t count, uint64_t clock);
/* As ts_recorder_note, and behind the record its STACK where the window that it comes to is that of the place. */
void ts_recorder_note_from(const uint32_t *words, uint32_t count, struct ts_recorder_place place, uint64_t clock);
/* Sees to it that so many bytes fit into the window. 0, or -1: nothing can be written now. */
int ts_recorder_ask_room(uint32_t bytes, uint64_t clock);

/* Whether that many bytes fit into the window. */
static inline int ts_recorder_has_room(const struct ts_recorder *recorder, uint64_t bytes) {
    const struct ts_cursor *cursor = TS_CURSOR_OF(recorder);
    return cursor->base && cursor->next - cursor->base + bytes <= ts_cursor_limit(cursor);
}

#endif
