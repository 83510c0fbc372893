#include "preload/hook_call.h"
#include "collector/clock.h"
#include "collector/recorder_hook.h"
#include "collector/system.h"
#include "preload/callers.h"
#include "preload/hook_values.h"
#include "preload/hook_window.h"
#include "preload/hooks.h"

#define CLEANUP_PHASE 2
#define FORCED_UNWINDING 8
#define CONTINUE_UNWINDING 8

static uint64_t cfa_of(const struct ts_hook_frame *frame) {
    return (uint64_t)frame->stack_arguments;
}

/*
 * Above the caller's frame may be the end of the stack, wherever that is: the next page is probed, once while the
 * thread needs the same one.
 */
static int has_page(uint64_t page) {
    struct ts_recorder *recorder = ts_this_recorder;
    if (recorder && recorder->page_above == page)
        return 1;
    if (ts_system_forbidden || !ts_system_readable((const void *)page))
        return 0;
    if (recorder)
        recorder->page_above = page;
    return 1;
}

#define TAILS_MOST 16

/*
 * A function that ends by jumping to another hooked one leaves its stub's frame behind, which holds the stack arguments
 * of both. So may that one, and so on without an end, on a stack that grew for none of them before: with TAILS_MOST
 * frames one below the other the next function is jumped to as well. Of its call the beginning alone is recorded.
 */
__attribute__((noinline)) static uint64_t window_of_tail(uint64_t stub, const struct ts_hook_frame *frame) {
    uint64_t stack = cfa_of(frame), end = frame->pointer - TS_HOOK_FRAME_BELOW, tails = 0;
    for (const struct ts_hook_frame *at = frame; at->return_address == (uint64_t)ts_hook_returned; tails++) {
        uint64_t bytes = at->pointer - cfa_of(at);
        if (tails == TAILS_MOST) {
            ts_recorder_hook_exit(stub, stack, ts_clock_now(), NULL);
            return TS_HOOK_JUMP;
        }
        if (at->pointer % 8 || bytes < TS_HOOK_FRAME_BELOW || bytes > 2 * TS_HOOK_WINDOW_UNKNOWN)
            break; /* the function has not restored the frame pointer */
        at = (const struct ts_hook_frame *)at->pointer;
    }
    if (!tails)
        return 0;
    return end - stack < TS_HOOK_WINDOW_UNKNOWN ? (end - stack) & ~UINT64_C(15) : TS_HOOK_WINDOW_UNKNOWN;
}

/* Where it is not known how many bytes of stack arguments there are. */
__attribute__((noinline)) static uint64_t window_of_unknown(uint64_t stub, const struct ts_hook_frame *frame) {
    uint64_t start = cfa_of(frame), page = ((start - 8) | 4095) + 1;
    uint64_t window = ts_hook_window(&(struct ts_caller){start, frame->pointer, frame->return_address});
    if (start + window <= page)
        return window;
    if (window == TS_HOOK_WINDOW_OF_TAIL)
        return window_of_tail(stub, frame);
    if (has_page(page))
        return window;
    return (page - start) & ~UINT64_C(15);
}

/* Bytes of stack arguments to copy. Those that a signature tells of are surely there. */
static inline __attribute__((always_inline)) uint64_t window_of(const struct ts_hook *hook, uint64_t stub,
                                                                const struct ts_hook_frame *frame) {
    return !hook->window || hook->behaviour & TS_HOOK_HAS_STACK ? hook->window : window_of_unknown(stub, frame);
}

/* Values, and an address of all its bits, need room on the stack: a frame of its own for calls that have some. */
static inline __attribute__((always_inline)) void
enter_wide_with(const struct ts_hook *hook, uint64_t stub, uint64_t site, const struct ts_hook_registers *registers,
                const struct ts_hook_frame *frame, int has_callers, uint32_t caller) {
    uint32_t words[TS_VALUES_MOST], count = TS_VALUES_OF_ENTER;
    words[0] = (uint32_t)stub;
    words[1] = (uint32_t)(stub >> 32);
    if (hook->steps.arguments[0])
        count = ts_hook_values_of_arguments(&hook->steps, hook->signature, registers, frame, words, count);
    struct ts_record_values values = {.words = words, .count = count};
    if (has_callers)
        ts_recorder_hook_enter_from(stub, site, cfa_of(frame), (uint64_t)words, ts_clock_now(), &values, caller);
    else
        ts_recorder_hook_enter(stub, site, cfa_of(frame), (uint64_t)words, ts_clock_now(), &values);
}

TS_HOT __attribute__((noinline)) static void enter_wide(const struct ts_hook *hook, uint64_t stub, uint64_t site,
                                                        const struct ts_hook_registers *registers,
                                                        const struct ts_hook_frame *frame) {
    enter_wide_with(hook, stub, site, registers, frame, 0, 0);
}

__attribute__((noinline)) static void enter_wide_from(const struct ts_hook *hook, uint64_t stub, uint64_t site,
                                                      const struct ts_hook_registers *registers,
                                                      const struct ts_hook_frame *frame, uint32_t caller) {
    enter_wide_with(hook, stub, site, registers, frame, 1, caller);
}

/* Level 2. The callers first: what is found of them is not the call's time. */
static void enter_from(const struct ts_hook *hook, uint64_t stub, const struct ts_hook_registers *registers,
                       const struct ts_hook_frame *frame) {
    uint64_t site = stub << 32 | (uint32_t)frame->return_address;
    uint32_t caller = ts_callers_find(cfa_of(frame), frame->return_address, frame->pointer);
    if (hook->behaviour & TS_HOOK_IS_WIDE)
        enter_wide_from(hook, stub, site, registers, frame, caller);
    else
        ts_recorder_hook_enter_from(stub, site, cfa_of(frame), (uint64_t)registers, ts_clock_now(), NULL, caller);
}

static inline __attribute__((always_inline)) void enter(const struct ts_hook *hook, uint64_t stub,
                                                        const struct ts_hook_registers *registers,
                                                        const struct ts_hook_frame *frame) {
    uint64_t site = stub << 32 | (uint32_t)frame->return_address;
    if (hook->behaviour & TS_HOOK_IS_WIDE)
        enter_wide(hook, stub, site, registers, frame);
    else
        ts_recorder_hook_enter(stub, site, cfa_of(frame), (uint64_t)registers, ts_clock_now(), NULL);
}

/*
 * While recording is paused: a record without what costs time to find out, should it go on in this moment. The call is
 * noted, since it may be open when recording goes on.
 */
static inline __attribute__((always_inline)) void enter_alone(const struct ts_hook *hook, uint64_t stub,
                                                              const struct ts_hook_frame *frame, int has_callers) {
    uint32_t words[TS_VALUES_OF_ENTER] = {(uint32_t)stub, (uint32_t)(stub >> 32)};
    struct ts_record_values address = {.words = words, .count = TS_VALUES_OF_ENTER};
    const struct ts_record_values *values = hook->behaviour & TS_HOOK_IS_WIDE ? &address : NULL;
    uint64_t site = stub << 32 | (uint32_t)frame->return_address;
    if (has_callers)
        ts_recorder_hook_enter_from(stub, site, cfa_of(frame), (uint64_t)words, ts_clock_now(), values, 0);
    else
        ts_recorder_hook_enter(stub, site, cfa_of(frame), (uint64_t)words, ts_clock_now(), values);
}

static inline __attribute__((always_inline)) struct ts_hook_way hook_enter(const struct ts_hook_registers *registers,
                                                                           const struct ts_hook_frame *frame,
                                                                           int has_callers, int is_paused) {
    const struct ts_hook *hook = &ts_hooks[frame->number];
    uint64_t stub = ts_hook_stub_address((uint32_t)frame->number), result;
    uint64_t target = __atomic_load_n(&hook->target, __ATOMIC_ACQUIRE);
    if (hook->observer && hook->observer->perform)
        return (struct ts_hook_way){0, hook->observer->perform(target, registers)};
    if (hook->observer)
        return (struct ts_hook_way){target, hook->observer->observe(registers, frame)};
    if (hook->try_first && frame->number >= TS_HOOK_STUBS_TRIED &&
        ts_hook_try(hook->try_first, hook->signature, registers, hook->behaviour & TS_HOOK_TAKES_MUTEX, &result))
        return (struct ts_hook_way){0, result};
    if (is_paused)
        enter_alone(hook, stub, frame, has_callers);
    else if (has_callers)
        enter_from(hook, stub, registers, frame);
    else
        enter(hook, stub, registers, frame);
    if (hook->behaviour & TS_HOOK_IS_ENTRY_ONLY) {
        ts_recorder_hook_exit(stub, cfa_of(frame), ts_clock_now(), NULL);
        return (struct ts_hook_way){target, TS_HOOK_JUMP};
    }
    return (struct ts_hook_way){target, window_of(hook, stub, frame)};
}

TS_HOT static struct ts_hook_way hook_enter_plain(const struct ts_hook_registers *registers,
                                                  const struct ts_hook_frame *frame) {
    return hook_enter(registers, frame, 0, 0);
}

static struct ts_hook_way hook_enter_with_callers(const struct ts_hook_registers *registers,
                                                  const struct ts_hook_frame *frame) {
    return hook_enter(registers, frame, 1, 0);
}

static struct ts_hook_way hook_enter_paused(const struct ts_hook_registers *registers,
                                            const struct ts_hook_frame *frame) {
    return hook_enter(registers, frame, 0, 1);
}

static struct ts_hook_way hook_enter_paused_with_callers(const struct ts_hook_registers *registers,
                                                         const struct ts_hook_frame *frame) {
    return hook_enter(registers, frame, 1, 1);
}

ts_hook_enter_function *ts_hook_enter = hook_enter_plain;

/* As the level asks; and while recording is paused. */
static ts_hook_enter_function *enter_recording = hook_enter_plain, *enter_paused = hook_enter_paused;

void ts_hook_call_begin(int has_callers) {
    enter_recording = has_callers ? hook_enter_with_callers : hook_enter_plain;
    enter_paused = has_callers ? hook_enter_paused_with_callers : hook_enter_paused;
    ts_hook_enter = enter_recording;
}

void ts_hook_call_pause(int is_paused) {
    __atomic_store_n(&ts_hook_enter, is_paused ? enter_paused : enter_recording, __ATOMIC_RELAXED);
}

void ts_hook_note_entry(uint32_t number, const struct ts_hook_registers *registers, uint64_t return_address) {
    uint64_t stub = ts_hook_stub_address(number);
    uint64_t place[sizeof(struct ts_hook_frame) / sizeof(uint64_t) + 1] = {0}; /* and a word at its CFA */
    struct ts_hook_frame *frame = (struct ts_hook_frame *)place;
    frame->number = number;
    frame->return_address = return_address;
    enter(&ts_hooks[number], stub, registers, frame);
    ts_recorder_hook_exit(stub, cfa_of(frame), ts_clock_now(), NULL);
}

TS_HOT __attribute__((noinline)) static void exit_with_values(const struct ts_hook *hook, uint64_t stub, uint64_t clock,
                                                              const struct ts_hook_registers *registers,
                                                              const struct ts_hook_frame *frame, uint64_t result) {
    uint32_t words[TS_VALUES_MOST], count;
    if (hook->steps.result)
        count = ts_hook_values_of_number(&hook->steps, registers, result, words);
    else
        count = ts_hook_values_of_result(&hook->steps, hook->signature, registers, frame, result, words);
    ts_recorder_hook_exit(stub, cfa_of(frame), clock,
                          count ? &(struct ts_record_values){.words = words, .count = count} : NULL);
}

TS_HOT void ts_hook_exit(const struct ts_hook_registers *registers, const struct ts_hook_frame *frame,
                         uint64_t result) {
    uint64_t clock = ts_clock_now();
    const struct ts_hook *hook = &ts_hooks[frame->number];
    uint64_t stub = ts_hook_stub_address((uint32_t)frame->number);
    if (hook->steps.result || (hook->signature && (hook->signature->failure || hook->signature->result >= 0 ||
                                                   hook->signature->records_results)))
        exit_with_values(hook, stub, clock, registers, frame, result);
    else
        ts_recorder_hook_exit(stub, cfa_of(frame), clock, NULL);
}

int ts_hook_personality(int version, int actions, uint64_t exception_class, void *exception, void *context) {
    (void)version, (void)exception_class, (void)exception, (void)context;
    if (actions & CLEANUP_PHASE)
        ts_recorder_hook_unwind(ts_hook_stub_address(0), ts_hook_stub_address(TS_HOOK_STUBS), ts_clock_now(),
                                actions & FORCED_UNWINDING);
    return CONTINUE_UNWINDING;
}
