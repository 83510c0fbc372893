#include "preload/hook_observers.h"
#include "collector/clock.h"
#include "collector/recorder_hook.h"
#include "collector/text.h"
#include "preload/message.h"

#include <stddef.h>

static void note(uint32_t type, uint64_t clock) {
    struct ts_record_exception record = {.head = type, .clock = {(uint32_t)clock, (uint32_t)(clock >> 32)}};
    ts_recorder_note(&record.head, sizeof record / 4, clock);
}

static void on_throw(uint64_t cfa) {
    (void)cfa;
    if (ts_this_recorder)
        note(TS_RECORD_EXCEPTION_THROW, ts_clock_now());
}

/* The catching function runs again: what lies below its stack pointer has been left by the exception. */
static void on_catch(uint64_t cfa) {
    uint64_t clock = ts_clock_now();
    if (!ts_this_recorder)
        return;
    ts_recorder_exception_caught(cfa, clock);
    note(TS_RECORD_EXCEPTION_CATCH, clock);
}

static void on_jump(uint64_t cfa) {
    (void)cfa;
    ts_recorder_jump();
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

/* Itanium C++ ABI: exception handling, 2.4 and 2.5; 3.3.6.3. longjmp and its names: LSB, libc interfaces. */
static const struct ts_hook_observer observers[] = {
    {"__cxa_throw", on_throw, NULL}, {"__cxa_rethrow", on_throw, NULL}, {"__cxa_begin_catch", on_catch, NULL},
    {"__cxa_atexit", NULL, at_exit}, {"longjmp", on_jump, NULL},        {"_longjmp", on_jump, NULL},
    {"siglongjmp", on_jump, NULL},   {"__longjmp_chk", on_jump, NULL},
};

/* Asked of every symbol that is called: most are none of these. */
static int may_be_observed(const char *symbol) {
    const char *bare = symbol + (symbol[0] == '_') + (symbol[0] == '_' && symbol[1] == '_');
    return (bare[0] == 'c' && ts_text_begins(symbol, "__cxa_")) || ts_text_begins(bare, "longjmp") ||
           ts_text_begins(bare, "siglongjmp");
}

const struct ts_hook_observer *ts_hook_observer_of(const char *symbol) {
    if (!may_be_observed(symbol))
        return NULL;
    for (unsigned i = 0; i < sizeof observers / sizeof *observers; i++)
        if (ts_text_equal(observers[i].symbol, symbol))
            return &observers[i];
    return NULL;
}
