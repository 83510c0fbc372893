#include "preload/callers.h"
#include "collector/clock.h"
#include "collector/control.h"
#include "collector/recorder_hook.h"
#include "collector/recorder_pause.h"
#include "collector/system.h"
#include "collector/text.h"
#include "preload/message.h"
#include "preload/stack.h"
#include "preload/unseen.h"

#include <assert.h>
#include <sys/mman.h>

/* Frames that a thread remembers; when they are used up, it begins anew. */
#define FRAMES 16384u
#define CHAINS 4096u
#define SETS 256u
#define WAYS 4u
/* A stack that is deeper is cut. */
#define DEPTH_MOST 256u
/* FRAME records written at once, and what a window must have left: for the call, and what it says of descriptors. */
#define FRAMES_AT_ONCE 16u
#define ROOM 1536u
#define TRIES 3

struct frame {
    uint64_t slot;   /* where the return address lies */
    uint64_t saved;  /* as it lies there */
    uint64_t window; /* sequence of the one that tells of the frame */
    uint32_t outer;  /* as in ts_record_frame */
    uint32_t next;   /* of its chain: number of a frame, or 0 */
};

struct stack {
    uint64_t return_address; /* 0: none here */
    uint64_t cfa;
    uint64_t base; /* CFA of the open call that it begins in */
    uint32_t frame;
};

/* Of a thread. Changed with signals blocked. */
struct ts_callers {
    struct stack stacks[SETS][WAYS];
    uint32_t chains[CHAINS]; /* numbers of the first frames, or 0 */
    uint32_t used;           /* of `frames` */
    uint32_t victim;
    uint32_t newest; /* frame of the newest stack; 0: none */
    uint64_t newest_base;
    uint64_t generation; /* of the modules */
    struct ts_stack_rules rules;
    struct {
        uint64_t slot;
        uint64_t saved;
    } walked[DEPTH_MOST];
    uint32_t untold[DEPTH_MOST];
    uint8_t memory[TS_STACK_MEMORY] __attribute__((aligned(64)));
    struct frame frames[FRAMES];
};

static_assert(FRAMES + TS_FRAME_NUMBERS <= TS_FRAME_NUMBERS_END, "collector/trace_records.h");

static struct {
    uint64_t walked;  /* stacks */
    uint64_t unwound; /* frames, by libunwind */
    uint64_t refused; /* calls without a stack */
} counts;
static int has_libunwind;

static uint64_t generation; /* grows when code goes */

void ts_callers_begin(ts_stack_is_harmless *is_harmless) {
    ts_recorder_limits.behind_bytes = TS_BEHIND_BYTES;
    has_libunwind = ts_stack_begin(is_harmless) == 0;
}

void ts_callers_say_missing(void) {
    if (has_libunwind)
        return;
    ts_message("libunwind.so.8 cannot be loaded: callers are shown up to code without an unwind table", NULL, NULL);
    ts_unseen("callers behind code without an unwind table", "libunwind.so.8 could not be loaded");
}

void ts_callers_record(void) {
    char line[256];
    struct ts_text text = TS_TEXT_IN(line);
    if (!counts.walked && !counts.refused)
        return;
    ts_text_add_number(&text, counts.walked);
    ts_text_add(&text, " stacks walked, the others of the process verified; ");
    ts_text_add_number(&text, counts.unwound);
    ts_text_add(&text, " frames by libunwind; ");
    ts_text_add_number(&text, counts.refused);
    ts_text_add(&text, " calls without a stack");
    struct ts_record_metadata record = {.key = TS_METADATA_CALLERS, .value_bytes = (uint32_t)text.used};
    ts_control_write(TS_RECORD_METADATA, &record, sizeof record, line, record.value_bytes, NULL, 0);
}

struct ts_recorder_place ts_callers_place(uint64_t cfa, uint64_t return_address, uint64_t pointer) {
    uint32_t caller = ts_callers_find(cfa, return_address, pointer);
    const struct ts_recorder *recorder = ts_this_recorder;
    return (struct ts_recorder_place){recorder ? recorder->window_sequence : 0, recorder ? caller : 0};
}

void ts_callers_forget(void) {
    __atomic_fetch_add(&generation, 1, __ATOMIC_RELAXED);
}

static void count(uint64_t *counter) {
    __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

static struct frame *frame_of(struct ts_callers *callers, uint32_t number) {
    return &callers->frames[(number - TS_FRAME_NUMBERS) % FRAMES];
}

static uint64_t hash(uint64_t a, uint64_t b) {
    uint64_t mixed = (a ^ b << 20) * UINT64_C(0x9e3779b97f4a7c15); /* Fibonacci hashing */
    return mixed >> 32;
}

/* CFA of the innermost call that is open around this one, on the same stack; UINT64_MAX: none. */
static uint64_t base_of(const struct ts_recorder *recorder, uint64_t cfa) {
    const struct ts_shadow_entry *entry = recorder->top;
    while ((entry->cfa & ~TS_AT_WORK) <= cfa)
        entry--;
    uint64_t base = entry->cfa & ~TS_AT_WORK;
    return ts_recorder_knows_stack(recorder, base) ? base : UINT64_MAX;
}

/* Whether this frame's return address and those of all outer ones lie where they lay. Reads words of foreign frames. */
__attribute__((no_sanitize("address"))) static inline int holds(struct ts_callers *callers, uint32_t number,
                                                                uint64_t low, uint64_t bytes) {
    while (number >= TS_FRAME_NUMBERS) {
        const struct frame *frame = frame_of(callers, number);
        if (frame->slot - low >= bytes || *(const volatile uint64_t *)frame->slot != frame->saved)
            return 0;
        number = frame->outer;
    }
    return 1;
}

static uint32_t find_known(const struct ts_recorder *recorder, struct ts_callers *callers, uint64_t cfa,
                           uint64_t return_address, uint64_t base) {
    const struct stack *set = callers->stacks[hash(return_address, cfa) % SETS];
    for (unsigned way = 0; way < WAYS; way++)
        if (set[way].return_address == return_address && set[way].cfa == cfa && set[way].base == base &&
            holds(callers, frame_of(callers, set[way].frame)->outer, recorder->stack_low, recorder->stack_bytes))
            return set[way].frame;
    return 0;
}

static void forget_all(struct ts_callers *callers) {
    for (unsigned set = 0; set < SETS; set++)
        for (unsigned way = 0; way < WAYS; way++)
            callers->stacks[set][way].return_address = 0;
    for (unsigned chain = 0; chain < CHAINS; chain++)
        callers->chains[chain] = 0;
    for (unsigned rule = 0; rule < TS_STACK_RULES; rule++)
        callers->rules.of[rule].address = 0;
    callers->used = callers->newest = 0;
}

static uint32_t add_frame(struct ts_callers *callers, uint32_t outer, uint64_t slot, uint64_t saved) {
    uint32_t *chain = &callers->chains[hash(slot ^ saved << 8, outer) % CHAINS];
    for (uint32_t number = *chain; number; number = frame_of(callers, number)->next) {
        const struct frame *frame = frame_of(callers, number);
        if (frame->slot == slot && frame->saved == saved && frame->outer == outer)
            return number;
    }
    uint32_t number = callers->used++ + TS_FRAME_NUMBERS;
    *frame_of(callers, number) = (struct frame){.slot = slot, .saved = saved, .outer = outer, .next = *chain};
    return *chain = number;
}

/* Among the frames of the newest stack, the one that was just walked, if what is outside of it holds. */
static uint32_t shared_with_newest(const struct ts_recorder *recorder, struct ts_callers *callers, uint32_t *newest,
                                   uint64_t slot, uint64_t saved) {
    const struct frame *frame;
    for (; *newest >= TS_FRAME_NUMBERS; *newest = frame->outer) {
        frame = frame_of(callers, *newest);
        if (frame->slot == slot && frame->saved == saved)
            return holds(callers, frame->outer, recorder->stack_low, recorder->stack_bytes) ? *newest : 0;
        if (frame->slot >= slot)
            return 0;
    }
    return 0;
}

/* Walks up to the open call with CFA `base`, or to frames of the newest stack. */
static uint32_t walk(struct ts_recorder *recorder, struct ts_callers *callers, uint64_t cfa, uint64_t return_address,
                     uint64_t pointer, uint64_t base) {
    uint64_t stack_end = recorder->stack_low + recorder->stack_bytes, slot = 0;
    struct ts_stack_place place = {return_address, cfa, pointer, 1};
    uint32_t newest = base == callers->newest_base ? callers->newest : 0, depth = 0, outer = TS_FRAME_UNKNOWN;
    int refused = 0;
    while (depth < DEPTH_MOST) {
        enum ts_stack_step taken = ts_stack_walk(&callers->rules, &place, stack_end, &slot);
        if (taken == TS_STACK_LOST) {
            taken = ts_stack_unwind(callers->memory, &place, stack_end, &slot, &refused);
            if (taken == TS_STACK_STEP)
                count(&counts.unwound);
        }
        if (taken != TS_STACK_STEP) {
            outer = taken == TS_STACK_FIRST    ? TS_FRAME_NOTHING
                    : taken == TS_STACK_SIGNAL ? TS_FRAME_SIGNAL
                                               : TS_FRAME_UNKNOWN;
            break;
        }
        if (place.stack >= base) {
            outer = TS_FRAME_CALL;
            break;
        }
        uint64_t saved = *(const volatile uint64_t *)slot;
        uint32_t shared = newest ? shared_with_newest(recorder, callers, &newest, slot, saved) : 0;
        if (shared) {
            outer = shared;
            break;
        }
        callers->walked[depth].slot = slot;
        callers->walked[depth++].saved = saved;
    }
    if (callers->used + depth + 1 > FRAMES) {
        forget_all(callers);
        return walk(recorder, callers, cfa, return_address, pointer, base);
    }
    while (depth-- > 0)
        outer = add_frame(callers, outer, callers->walked[depth].slot, callers->walked[depth].saved);
    uint32_t frame = add_frame(callers, outer, cfa, return_address);
    count(&counts.walked);
    if (refused) /* in a handler perhaps: asked again next time */
        return frame;
    callers->newest = frame;
    callers->newest_base = base;
    callers->stacks[hash(return_address, cfa) % SETS][callers->victim++ % WAYS] =
        (struct stack){.return_address = return_address, .cfa = cfa, .base = base, .frame = frame};
    return frame;
}

/* Frames of a stack of which the window does not tell, the innermost first. Those around one of which it tells it
 * tells. */
static uint32_t list_untold(struct ts_callers *callers, uint32_t number, uint64_t window) {
    uint32_t untold = 0;
    for (; number >= TS_FRAME_NUMBERS && untold < DEPTH_MOST; number = frame_of(callers, number)->outer) {
        if (frame_of(callers, number)->window == window)
            break;
        callers->untold[untold++] = number;
    }
    return untold;
}

static void write_frames(struct ts_callers *callers, uint32_t untold, uint64_t clock) {
    while (untold > 0) {
        struct ts_record_frame records[FRAMES_AT_ONCE];
        uint32_t count = 0;
        for (; count < FRAMES_AT_ONCE && untold > 0; count++) {
            uint32_t number = callers->untold[--untold];
            const struct frame *frame = frame_of(callers, number);
            uint64_t address = TS_STACK_ADDRESS(frame->saved);
            records[count] = (struct ts_record_frame){.head = TS_RECORD_FRAME,
                                                      .frame = number,
                                                      .outer = frame->outer,
                                                      .address = {(uint32_t)address, (uint32_t)(address >> 32)}};
        }
        ts_recorder_note_all(&records[0].head, sizeof *records / 4, count, clock);
    }
}

/* Sees to it that the window tells of the frame and has room for the call. 0, or -1: nothing can be written now. */
static int tell(struct ts_recorder *recorder, struct ts_callers *callers, uint32_t number) {
    uint64_t clock = ts_clock_now();
    for (int i = 0; i < TRIES; i++) {
        if (!ts_recorder_has_room(recorder, ROOM) && ts_recorder_ask_room(ROOM + 1024, clock))
            return -1;
        uint64_t window = recorder->window_sequence;
        uint32_t untold = list_untold(callers, number, window);
        write_frames(callers, untold, clock);
        if (recorder->window_sequence != window || !ts_recorder_has_room(recorder, TS_HOOKED_CALL_BYTES))
            continue;
        while (untold > 0)
            frame_of(callers, callers->untold[--untold])->window = window;
        return 0;
    }
    return -1;
}

static struct ts_callers *callers_of(struct ts_recorder *recorder) {
    if (!recorder->callers && !ts_system_forbidden) {
        int64_t memory =
            ts_system_mmap(NULL, sizeof(struct ts_callers), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (!ts_system_failed(memory))
            recorder->callers = (struct ts_callers *)memory;
    }
    return recorder->callers;
}

/* What the fast way does not know. */
__attribute__((noinline, cold)) static uint32_t find_slowly(uint64_t cfa, uint64_t return_address, uint64_t pointer) {
    struct ts_signal_mask mask;
    uint32_t frame = 0;
    if (ts_system_forbidden || ts_recorder_pauses())
        return 0;
    ts_system_block_signals(&mask);
    ts_recorder_stack_end(cfa - 8, ts_clock_now()); /* the thread's first event, or on another stack */
    struct ts_recorder *recorder = ts_this_recorder;
    struct ts_callers *callers = recorder ? callers_of(recorder) : NULL;
    if (callers && ts_recorder_knows_stack(recorder, cfa - 8)) {
        uint64_t now = __atomic_load_n(&generation, __ATOMIC_RELAXED), base = base_of(recorder, cfa);
        if (callers->generation != now)
            forget_all(callers);
        callers->generation = now;
        frame = find_known(recorder, callers, cfa, return_address, base);
        if (!frame)
            frame = walk(recorder, callers, cfa, return_address, pointer, base);
        if (tell(recorder, callers, frame))
            frame = 0;
    }
    if (!frame)
        count(&counts.refused);
    ts_system_restore_signals(&mask);
    return frame;
}

uint32_t ts_callers_find(uint64_t cfa, uint64_t return_address, uint64_t pointer) {
    struct ts_recorder *recorder = ts_this_recorder;
    if (TS_UNLIKELY(!recorder) || TS_UNLIKELY(!ts_recorder_knows_stack(recorder, cfa - 8)) ||
        TS_UNLIKELY(!recorder->callers) ||
        TS_UNLIKELY(recorder->callers->generation != __atomic_load_n(&generation, __ATOMIC_RELAXED)))
        return find_slowly(cfa, return_address, pointer);
    struct ts_callers *callers = recorder->callers;
    uint32_t frame = find_known(recorder, callers, cfa, return_address, base_of(recorder, cfa));
    if (TS_UNLIKELY(!frame) || TS_UNLIKELY(frame_of(callers, frame)->window != recorder->window_sequence) ||
        TS_UNLIKELY(!ts_recorder_has_room(recorder, ROOM)))
        return find_slowly(cfa, return_address, pointer);
    return frame;
}
