#include "preload/hook_observers.h"
#include "collector/clock.h"
#include "collector/recorder_hook.h"
#include "collector/text.h"

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

/* Itanium C++ ABI, exception handling, 2.4 and 2.5. */
static const struct {
    const char *symbol;
    ts_hook_observe_function *observe;
} observers[] = {
    {"__cxa_throw", on_throw},
    {"__cxa_rethrow", on_throw},
    {"__cxa_begin_catch", on_catch},
};

ts_hook_observe_function *ts_hook_observer_of(const char *symbol) {
    if (!ts_text_begins(symbol, "__cxa_"))
        return NULL;
    for (unsigned i = 0; i < sizeof observers / sizeof *observers; i++)
        if (ts_text_equal(observers[i].symbol, symbol))
            return observers[i].observe;
    return NULL;
}
