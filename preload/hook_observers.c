#include "preload/hook_observers.h"
#include "collector/clock.h"
#include "collector/recorder_hook.h"
#include "collector/text.h"
#include "preload/callers.h"
#include "preload/exception_hooks.h"
#include "preload/hook_call.h"
#include "preload/message.h"

#include <stddef.h>

__attribute__((noinline)) static void note_jump(int32_t value, const struct ts_hook_frame *frame) {
    struct ts_recorder_place place =
        ts_callers_place((uint64_t)frame->stack_arguments, frame->return_address, frame->pointer);
    uint64_t clock = ts_clock_now(), site = frame->return_address;
    struct ts_record_jump record = {.head = TS_RECORD_JUMP,
                                    .clock = {(uint32_t)clock, (uint32_t)(clock >> 32)},
                                    .site = {(uint32_t)site, (uint32_t)(site >> 32)},
                                    .value = value};
    ts_recorder_note_from(&record.head, sizeof record / 4, place, clock);
}

/* The jump's record comes first: the frames are found gone behind it. */
static uint64_t on_jump(const struct ts_hook_registers *registers, const struct ts_hook_frame *frame) {
    if (ts_exception_hooks_are_detailed())
        note_jump((int32_t)registers->arguments[1], frame);
    ts_recorder_jump();
    return TS_HOOK_JUMP;
}

typedef int register_at_exit(void (*handler)(void *), void *argument, void *object);

static void keep_stderr(void *unused) {
    (void)unused;
    ts_message_keep();
}

/*
 * The last handler to be registered runs first: one of ours after each of the program's, so that stderr is kept before
 * any of them closes it. Those with an argument are destructors of objects, and do not.
 */
static uint64_t at_exit(uint64_t target, const struct ts_hook_registers *registers) {
    register_at_exit *real = (register_at_exit *)target;
    const uint64_t *given = registers->arguments;
    int failed = real((void (*)(void *))given[0], (void *)given[1], (void *)given[2]);
    if (!failed && !given[1])
        real(keep_stderr, NULL, NULL);
    return (uint32_t)failed;
}

/*
 * Itanium C++ ABI: exception handling, 1.3, 2.4 and 2.5; 3.3.6.3. longjmp and its names: LSB, libc interfaces.
 */
static const struct ts_hook_observer observers[] = {
    {"__cxa_throw", ts_exception_thrown, NULL, NULL},
    {"__cxa_rethrow", ts_exception_rethrown, NULL, ts_exception_runtime_known},
    {"__cxa_begin_catch", ts_exception_caught, NULL, ts_exception_runtime_known},
    {"__cxa_atexit", NULL, at_exit, NULL},
    {"longjmp", on_jump, NULL, NULL},
    {"_longjmp", on_jump, NULL, NULL},
    {"siglongjmp", on_jump, NULL, NULL},
    {"__longjmp_chk", on_jump, NULL, NULL},
    {"_Unwind_RaiseException", ts_exception_raised, NULL, NULL},
    {"_Unwind_Resume_or_Rethrow", ts_exception_raised_again, NULL, NULL},
};

void ts_hook_observers_begin(int level) {
    if (level >= 3)
        ts_exception_hooks_detail();
}

/* Asked of every symbol that is called: most are none of these. */
static int may_be_observed(const char *symbol) {
    const char *bare = symbol + (symbol[0] == '_') + (symbol[0] == '_' && symbol[1] == '_');
    return (bare[0] == 'c' && ts_text_begins(symbol, "__cxa_")) || ts_text_begins(bare, "longjmp") ||
           ts_text_begins(bare, "siglongjmp") ||
           (bare[0] == 'U' && ts_exception_hooks_are_detailed() && ts_text_begins(symbol, "_Unwind_R"));
}

const struct ts_hook_observer *ts_hook_observer_of(const char *symbol) {
    if (!may_be_observed(symbol))
        return NULL;
    for (unsigned i = 0; i < sizeof observers / sizeof *observers; i++)
        if (ts_text_equal(observers[i].symbol, symbol))
            return &observers[i];
    return NULL;
}
