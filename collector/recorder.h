/*
 * The recorder of one thread, and the hot path: what happens at every instrumented call.
 *
 * A signal handler of the program may run between any two instructions here, and it records too; it may also never come
 * back (siglongjmp). What makes that safe is order:
 *
 *   ENTER  top = entry FIRST; cfa with TS_AT_WORK; fields; p = reserve(8): one read-modify-write instruction; bounds;
 *          position = p; ONE 8-byte store commits the record; cfa LAST
 *   EXIT   cfa with TS_AT_WORK FIRST; p = reserve(4); bounds; position = p | 1; ONE 4-byte store commits; cfa = 0;
 *          position = 0; top = the entry below
 *
 * A handler that comes while a hook is at work finds that entry on top, takes the slow path for its cfa, and first
 * commits what the hook had reserved (ts_recorder_settle): the hook, should it come back, stores the same again. So
 * whatever the handler does next, a new window or a jump away, the file has no reservation open.
 *
 * `position` ties the private stack to the file: whether the reader has a call open follows from the word it points to
 * (ts_recorder_reader_has). Slots above `top` have cfa 0, position 0 and bytes 0.
 *
 * Budget (x86-64, gcc -O2): about 30 instructions for ENTER and 20 for EXIT besides the clock read; no call, no lock
 * prefix, no shared line, errno and vector registers untouched; everything rare leaves by one cold call.
 */
#ifndef TRACESHIM_COLLECTOR_RECORDER_H
#define TRACESHIM_COLLECTOR_RECORDER_H

#include "collector/clock.h"
#include "collector/trace_format.h"
#include "collector/window.h"
#include "cpu.h"

#define TS_UNLIKELY(condition) __builtin_expect(!!(condition), 0)
/* Stores that a handler must see in this order: the compiler keeps volatile accesses in sequence. */
#define TS_STORE(place, value) (*(volatile __typeof__(place) *)&(place) = (value))

/* The canonical frame address of a call identifies its frame: the stack slot of its return address, plus its size. */
struct ts_shadow_entry { /* one cache line: an entry that straddles two costs 4 % of an event */
    uint64_t cfa;        /* falls with depth; 0: a hook is at work on the entry */
    uint64_t function;   /* its address */
    uint64_t site;  /* return address of the hook << 32 | low half of the call site: tells calls of one frame apart */
    uint64_t clock; /* when it was entered */
    uint64_t position; /* enum ts_position, or where its ENTER (bit 0 clear) or its EXIT (bit 0 set) was written */
    uint64_t unknown;  /* where LISTED: how many entries below it the reader does not know */
    uint64_t bytes;    /* what a hook reserves now, when that is not the plain record's size; else 0 */
    uint64_t unused;
};

static_assert(sizeof(struct ts_shadow_entry) == 64, "a shadow entry is one cache line");

/* Makes a cfa less than any other, as a signed number. */
#define TS_AT_WORK (UINT64_C(1) << 63)
/* Of the sentinel below the outermost call. */
#define TS_CFA_SENTINEL (~TS_AT_WORK)

enum ts_position {
    TS_POSITION_NONE = 0,   /* the reader does not know the call: being written, or deeper than TRACE_DEPTH */
    TS_POSITION_WIDE = 1,   /* the same, and what is being written is an ENTER_WIDE */
    TS_POSITION_LOST = 2,   /* entered while nothing could, or was to, be written: the next window's header names it */
    TS_POSITION_LISTED = 4, /* named by the header of a window */
    TS_POSITION_FIRST = 8,  /* from here on: addresses */
};

/*
 * All zero in a forked child (MADV_WIPEONFORK), which so takes the slow path at its first event. Any thread may set the
 * limit to 0 (recorder_pause.h).
 */
struct ts_cursor {
    volatile uint64_t next;
    volatile uint64_t base;
    volatile uint64_t limit; /* bytes from base that may be reserved at */
    uint64_t unused[5];
};

/* Room behind `limit`: reservations of handlers that find the window full at once. */
#define TS_CURSOR_SLACK 256u

/* A stack that calls nest on. */
struct ts_track {
    uint64_t stack_low;
    uint64_t stack_bytes;
    struct ts_shadow_entry *first; /* sentinel, never dead */
    struct ts_shadow_entry *top;
    struct ts_shadow_entry *last; /* no more entries behind it */
    uint64_t stamp;               /* of the stack (collector/stacks.h); 0: track 0, or calls of an ended stack */
    uint32_t number;
};

struct ts_recorder {
    /* hot */
    uint64_t epoch; /* clock >> TS_EPOCH_SHIFT of the newest TIME record */
    struct ts_shadow_entry *top;
    struct ts_shadow_entry *last;
    uint64_t stack_low;
    uint64_t stack_bytes;
    /* cold */
    struct ts_window window;
    uint64_t window_sequence; /* of `window` */
    uint64_t lowest_depth;    /* of open calls while the last window was written */
    uint64_t tagged_end;      /* where the newest tagged record of `window` ends: its last words may be zero */
    uint32_t windows;         /* claimed so far: sizes grow with it */
    uint32_t thread;          /* number in the file */
    uint32_t process;         /* number in the file */
    int pid;
    int tid;
    uint64_t process_start;
    uint64_t thread_pointer;
    uint64_t made_clock; /* when `maker` made this thread */
    uint32_t maker;      /* its number in the file, until a window tells of it; else 0 */
    uint64_t lost;       /* events since the last window, 0: a window is there */
    uint64_t lost_retry; /* a window is asked for again when `lost` has come to this, where one may be had then */
    uint32_t lost_reason;
    int first_of_process;  /* the next window begins a forked child */
    int paused;            /* events since the last window may have been left out by a pause */
    struct ts_window rest; /* of the window that a pause has ended: the next one; header NULL: none */
    uint64_t other_words;  /* in `window` */
    uint64_t unwound;      /* in `window` */
    /* stacks */
    struct ts_track *tracks;
    uint32_t track; /* index of the current one */
    uint32_t track_count;
    uint32_t track_capacity;
    uint32_t track_oldest;         /* which is looked at next for one whose stack has ended */
    struct ts_shadow_entry *floor; /* entries up to it belong to a stack below the current one */
    uint64_t overflow;             /* open calls that found no room: one entry without a function stands for them */
    uint64_t stack_stamp;          /* of the newest stack when the thread began */
    /* the alternate signal stack, and the handler that runs there or has left it for another stack, to come back */
    uint64_t alternate_low;
    uint64_t alternate_bytes;
    uint64_t alternate_stamp; /* of the newest stack when it became known */
    int alternate_known;      /* that there is one, or none */
    int on_alternate;         /* the handler runs there */
    uint32_t handler_track;   /* of the calls that it interrupted, which its own lie on; TS_TRACK_NONE */
    uint32_t handler_from;    /* it has come back, it seems, and the track before was this; or NONE */
    uint64_t handler_next;    /* the cursor then */
    uint64_t handler_low;     /* its stack */
    uint64_t handler_bytes;
    uint64_t jump_next;             /* the cursor at the last longjmp */
    uint64_t crash_stack;           /* ours (collector/crash_stack.h), kept for the next thread; 0: none yet */
    uint64_t owner;                 /* tid; 0: this recorder is free */
    char name[16];                  /* as last written */
    uint64_t page_above;            /* a page above a hooked call's frame that could be read (preload/hook_call.c) */
    struct ts_described *described; /* descriptors that `window` tells of (preload/descriptors.c); may be NULL */
    struct ts_callers *callers;     /* stacks seen (preload/callers.c); may be NULL */
    /* The callers of the hooked call that is about to be entered, for the slow path. */
    uint32_t stack_frame;  /* 0: not known */
    uint64_t stack_cfa;    /* of that call */
    uint64_t stack_window; /* that names the frame */
};

/*
 * Cursors lie in a region of their own, TS_CURSOR_DISTANCE below the recorders, which the kernel wipes in a forked
 * child: one base pointer reaches both.
 */
#define TS_CURSOR_DISTANCE 65536
#define TS_CURSOR_OF(recorder) ((struct ts_cursor *)((char *)(recorder)-TS_CURSOR_DISTANCE))

/* Of this thread; NULL until its first event, and while a slow path holds it (collector/recorder_hold.h). */
extern __thread struct ts_recorder *ts_this_recorder __attribute__((tls_model("initial-exec")));

/* What the options ask of the hot path; constant after start. */
struct ts_recorder_limits {
    uint64_t depth;          /* calls deeper than this are not recorded; UINT64_MAX: no limit */
    uint64_t duration_ticks; /* calls without calls inside that end sooner are un-written; 0: none */
    uint64_t behind_bytes;   /* TS_BEHIND_BYTES: a record of the caller stands behind each ENTER; 0: none does */
};
extern struct ts_recorder_limits ts_recorder_limits;

/* CALL_SITE or STACK, as one store: the head, and what it tells above. Never zero, nor its last word. */
#define TS_BEHIND_BYTES 8u
#define TS_BEHIND_WORDS (TS_BEHIND_BYTES / 4)
static inline __attribute__((always_inline)) uint64_t ts_recorder_behind(uint32_t type, uint64_t low_half) {
    return low_half << 32 | TS_HEAD(type, TS_BEHIND_WORDS);
}

/*
 * What follows the clock in a record that has more to say than a plain one: the address and arguments of an ENTER_WIDE,
 * error, result and filled arguments of a RESULT.
 */
struct ts_record_values {
    const uint32_t *words;
    uint32_t count;
};
/* The most that there may be, the words before them, and those of an ENTER_WIDE without arguments and of a RESULT. */
#define TS_VALUES_MOST 192u
#define TS_VALUES_AT 3u
#define TS_VALUES_OF_ENTER 2u
#define TS_VALUES_OF_RESULT 3u

/*
 * Cold continuations; arguments as in the inline functions. `values` NULL: a plain record. They may do anything the
 * recorder ever does.
 */
void ts_recorder_enter_slow(uint64_t function, uint64_t site, uint64_t cfa, uint64_t stack, uint64_t clock,
                            const struct ts_record_values *values);
void ts_recorder_enter_full(struct ts_recorder *recorder, uint64_t position, uint64_t cfa, uint64_t clock,
                            const struct ts_record_values *values);
void ts_recorder_exit_slow(uint64_t function, uint64_t frame, int tail, uint64_t clock,
                           const struct ts_record_values *values);
void ts_recorder_exit_full(struct ts_recorder *recorder, uint64_t position, uint64_t clock,
                           const struct ts_record_values *values);

/* The same for a call whose address needs all its bits. */
void ts_recorder_enter_slow_wide(uint64_t function, uint64_t site, uint64_t cfa, uint64_t stack, uint64_t clock);
void ts_recorder_enter_full_wide(struct ts_recorder *recorder, uint64_t position, uint64_t cfa, uint64_t clock);

/*
 * The end of the stack that `stack` lies on, up to which may be read; makes this thread's recorder, and that stack its
 * current one, where they are not. Where nothing is recorded: the end of its page.
 */
uint64_t ts_recorder_stack_end(uint64_t stack, uint64_t clock);

/* What an ENTER_WIDE takes beyond an ENTER, in words: it counts as one. */
#define TS_WIDE_WORDS ((sizeof(struct ts_record_enter_wide) - TS_ENTER_BYTES) / 4)

/* Two words, of a record or of what becomes one, as one access; both are aligned to words. */
typedef uint64_t ts_record_words __attribute__((aligned(4), may_alias));

static inline __attribute__((always_inline)) uint64_t ts_recorder_enter_word(uint64_t function, uint64_t clock) {
    return function << 32 | ((uint32_t)clock & TS_CLOCK_FIELD) | TS_KIND_ENTER;
}

/*
 * A record that takes more than one store: PENDING first, the head last. The low bits of the head tell the shadow stack
 * that it is complete.
 */
static inline __attribute__((always_inline)) void
ts_recorder_write_values(uint64_t position, uint32_t type, uint64_t clock, const struct ts_record_values *values) {
    volatile uint32_t *record = (volatile uint32_t *)position;
    uint32_t words = TS_VALUES_AT + values->count;
    record[0] = TS_HEAD_PENDING(words);
    record[1] = (uint32_t)clock;
    record[2] = (uint32_t)(clock >> 32);
    uint32_t i = 0;
    for (; i + 1 < values->count; i += 2)
        *(volatile ts_record_words *)&record[TS_VALUES_AT + i] = *(const ts_record_words *)&values->words[i];
    if (i < values->count)
        record[TS_VALUES_AT + i] = values->words[i];
    __atomic_store_n(record, TS_HEAD(type, words), __ATOMIC_RELEASE); /* for readers that do not wait for the end */
}

/* What a window counts as other words: it counts as an ENTER or EXIT, and what it has beyond one. */
static inline uint32_t ts_recorder_other_words(uint32_t type, const struct ts_record_values *values) {
    return TS_VALUES_AT + values->count - (type == TS_RECORD_ENTER_WIDE ? TS_ENTER_BYTES : TS_EXIT_BYTES) / 4;
}

static inline __attribute__((always_inline)) void ts_recorder_write_wide(uint64_t position, uint64_t function,
                                                                         uint64_t clock) {
    uint32_t address[TS_VALUES_OF_ENTER] = {(uint32_t)function, (uint32_t)(function >> 32)};
    struct ts_record_values values = {.words = address, .count = TS_VALUES_OF_ENTER};
    ts_recorder_write_values(position, TS_RECORD_ENTER_WIDE, clock, &values);
}

/* Atomic for other threads; volatile, so that a handler sees it read and set in its place among the others. */
static inline __attribute__((always_inline)) uint64_t ts_cursor_limit(const struct ts_cursor *cursor) {
    return __atomic_load_n(&cursor->limit, __ATOMIC_RELAXED);
}

static inline void ts_cursor_set_limit(struct ts_cursor *cursor, uint64_t limit) {
    __atomic_store_n(&cursor->limit, limit, __ATOMIC_RELAXED);
}

/*
 * Whether what was reserved at `position` begins in the window. The limit is read first: a handler that comes between
 * the two reads may take the thread's first window, and where there was none base, limit and position are 0.
 */
static inline __attribute__((always_inline)) int ts_recorder_is_inside(const struct ts_cursor *cursor,
                                                                       uint64_t position) {
    uint64_t limit = ts_cursor_limit(cursor);
    return position - cursor->base < limit;
}

/* Whether a record that was reserved at `position` is in the window: it may end in the slack behind its limit. */
static inline __attribute__((always_inline)) int ts_recorder_fits(const struct ts_cursor *cursor, uint64_t position,
                                                                  uint64_t bytes) {
    uint64_t limit = ts_cursor_limit(cursor), at = position - cursor->base; /* in this order, as above */
    return at < limit && at + bytes <= limit + TS_CURSOR_SLACK;
}

static inline __attribute__((always_inline)) int ts_recorder_is_at_work(const struct ts_shadow_entry *entry) {
    return (int64_t)entry->cfa <= 0;
}

/* Whether `stack`, an address in the running hook's frame, lies on the stack that the recorder knows as current. */
static inline __attribute__((always_inline)) int ts_recorder_knows_stack(const struct ts_recorder *recorder,
                                                                         uint64_t stack) {
    return stack - recorder->stack_low < recorder->stack_bytes;
}

/*
 * Whether the open calls with this CFA are of the frame that enters now: functions inlined into one frame share its CFA
 * and call site. An open call of the same hook address says no: its ENTER runs again, so that its exit was skipped.
 */
static inline __attribute__((always_inline)) int ts_recorder_same_frame(const struct ts_shadow_entry *top, uint64_t cfa,
                                                                        uint64_t site) {
    for (; top->cfa == cfa; top--)
        if (top->site == site || (uint32_t)top->site != (uint32_t)site)
            return 0;
    return 1;
}

/*
 * A call begins; ts_recorder_knows_stack holds. `cfa` is the frame's, `site` as in ts_shadow_entry, `stack` an address
 * in the hook's frame. `limited`: TRACE_DEPTH may be set. `wide`: the function's module overlaps another modulo 2^32.
 * `behind`: what is written behind the ENTER (ts_recorder_behind), where `has_behind`. Async-signal-safe.
 */
static inline __attribute__((always_inline)) void ts_recorder_enter_with(struct ts_recorder *recorder,
                                                                         uint64_t function, uint64_t site, uint64_t cfa,
                                                                         uint64_t stack, uint64_t clock, int limited,
                                                                         int wide, int has_behind, uint64_t behind) {
    struct ts_shadow_entry *top = recorder->top;
    uint64_t below = top->cfa;
    if (TS_UNLIKELY(clock >> TS_EPOCH_SHIFT != recorder->epoch) || TS_UNLIKELY(top == recorder->last) ||
        ((int64_t)below <= (int64_t)cfa && (below != cfa || !ts_recorder_same_frame(top, cfa, site))) ||
        (limited &&
         TS_UNLIKELY((uint64_t)(top - recorder->tracks[recorder->track].first) >= ts_recorder_limits.depth))) {
        if (wide)
            ts_recorder_enter_slow_wide(function, site, cfa, stack, clock);
        else
            ts_recorder_enter_slow(function, site, cfa, stack, clock, NULL);
        return;
    }
    struct ts_shadow_entry *entry = top + 1;
    TS_STORE(recorder->top, entry);
    TS_STORE(entry->cfa, cfa | TS_AT_WORK);
    TS_STORE(entry->function, function);
    TS_STORE(entry->site, site);
    TS_STORE(entry->clock, clock);
    if (wide)
        TS_STORE(entry->position, TS_POSITION_WIDE);
    struct ts_cursor *cursor = TS_CURSOR_OF(recorder);
    uint32_t bytes = wide ? sizeof(struct ts_record_enter_wide) : TS_ENTER_BYTES;
    uint64_t position = ts_cpu_reserve(&cursor->next, bytes + (has_behind ? TS_BEHIND_BYTES : 0));
    if (TS_UNLIKELY(!ts_recorder_is_inside(cursor, position))) {
        if (wide)
            ts_recorder_enter_full_wide(recorder, position, cfa, clock);
        else
            ts_recorder_enter_full(recorder, position, cfa, clock, NULL);
        return;
    }
    TS_STORE(entry->position, position);
    if (wide) {
        ts_recorder_write_wide(position, function, clock);
        TS_STORE(recorder->tagged_end, position + sizeof(struct ts_record_enter_wide));
        recorder->other_words += TS_WIDE_WORDS;
    } else {
        *(volatile ts_record_words *)position = ts_recorder_enter_word(function, clock);
    }
    if (has_behind) {
        *(volatile ts_record_words *)(position + bytes) = behind;
        recorder->other_words += TS_BEHIND_WORDS;
    }
    TS_STORE(entry->cfa, cfa);
}

/* Without anything behind the ENTER. */
static inline __attribute__((always_inline)) void ts_recorder_enter(struct ts_recorder *recorder, uint64_t function,
                                                                    uint64_t site, uint64_t cfa, uint64_t stack,
                                                                    uint64_t clock, int limited, int wide) {
    ts_recorder_enter_with(recorder, function, site, cfa, stack, clock, limited, wide, 0, 0);
}

/* Removes the innermost entry; the file shows its call as closed, or never showed it. */
static inline __attribute__((always_inline)) void ts_recorder_pop(struct ts_recorder *recorder,
                                                                  struct ts_shadow_entry *entry) {
    TS_STORE(entry->cfa, 0);
    TS_STORE(entry->position, TS_POSITION_NONE);
    TS_STORE(recorder->top, entry - 1);
}

/*
 * Takes back the ENTER of a call that was short and called nothing: zero the record first, then move the cursor back if
 * nothing was reserved behind it. Returns whether the call is gone.
 */
static inline __attribute__((always_inline)) int
ts_recorder_unwrite(struct ts_recorder *recorder, struct ts_shadow_entry *entry, uint64_t behind_bytes) {
    struct ts_cursor *cursor = TS_CURSOR_OF(recorder);
    uint64_t position = entry->position, end = position + TS_ENTER_BYTES + behind_bytes, behind = 0;
    if (cursor->next != end || !ts_recorder_is_inside(cursor, position))
        return 0;
    volatile ts_record_words *record = (volatile ts_record_words *)position;
    if (behind_bytes) {
        behind = record[1];
        record[1] = 0;
    }
    uint64_t word = *record;
    *record = 0;
    TS_STORE(entry->position, TS_POSITION_NONE);
    if (!ts_cpu_replace(&cursor->next, end, position)) {
        *record = word;
        if (behind_bytes)
            record[1] = behind;
        TS_STORE(entry->position, position);
        return 0;
    }
    if (behind_bytes)
        recorder->other_words -= TS_BEHIND_WORDS;
    ts_recorder_pop(recorder, entry);
    return 1;
}

/* The EXIT of the innermost call, `entry`, of which the file shows that it is open; its `cfa` says TS_AT_WORK. */
static inline __attribute__((always_inline)) void
ts_recorder_write_exit(struct ts_recorder *recorder, struct ts_shadow_entry *entry, uint64_t clock) {
    struct ts_cursor *cursor = TS_CURSOR_OF(recorder);
    uint64_t position = ts_cpu_reserve(&cursor->next, TS_EXIT_BYTES);
    if (TS_UNLIKELY(!ts_recorder_is_inside(cursor, position))) {
        ts_recorder_exit_full(recorder, position, clock, NULL);
        return;
    }
    TS_STORE(entry->position, position | 1);
    *(volatile uint32_t *)position = ((uint32_t)clock & TS_CLOCK_FIELD) | TS_KIND_EXIT;
    ts_recorder_pop(recorder, entry);
}

/*
 * The innermost call of `function` ends. `frame` is the address above the hook's own return address; `tail` tells that
 * the hook was jumped to, so that its return address is the function's own (gcc -O2 ends void functions so). A dead
 * call of the same function below the frame is told from the own one by that. `has_behind` as at its ENTER.
 * Async-signal-safe.
 */
static inline __attribute__((always_inline)) void ts_recorder_exit_with(uint64_t function, uint64_t frame, int tail,
                                                                        uint64_t clock, int limited, int has_behind) {
    struct ts_recorder *recorder = ts_this_recorder;
    if (TS_UNLIKELY(!recorder)) {
        ts_recorder_exit_slow(function, frame, tail, clock, NULL);
        return;
    }
    struct ts_shadow_entry *entry = recorder->top;
    uint64_t cfa = entry->cfa;
    if (TS_UNLIKELY(!ts_recorder_knows_stack(recorder, frame - 8)) || TS_UNLIKELY(entry->function != function) ||
        TS_UNLIKELY((int64_t)cfa < (int64_t)(frame + !tail)) ||
        TS_UNLIKELY(clock >> TS_EPOCH_SHIFT != recorder->epoch) || TS_UNLIKELY(entry->position < TS_POSITION_LISTED)) {
        ts_recorder_exit_slow(function, frame, tail, clock, NULL);
        return;
    }
    TS_STORE(entry->cfa, cfa | TS_AT_WORK);
    if (limited && clock - entry->clock < ts_recorder_limits.duration_ticks &&
        ts_recorder_unwrite(recorder, entry, has_behind ? TS_BEHIND_BYTES : 0))
        return;
    ts_recorder_write_exit(recorder, entry, clock);
}

static inline __attribute__((always_inline)) void ts_recorder_exit(uint64_t function, uint64_t frame, int tail,
                                                                   uint64_t clock, int limited) {
    ts_recorder_exit_with(function, frame, tail, clock, limited, 0);
}

#endif
