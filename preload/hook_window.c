#include "preload/hook_window.h"
#include "collector/placement.h"
#include "collector/system.h"
#include "frame_rule.h"
#include "hook_stub.h"
#include "preload/modules.h"

/*
 * What was found, by return address; threads share the table. A hint is that address above HINT_BITS: the bytes up to
 * the end of the frame, in units of 16, where its size is fixed; else BY_POINTER, and a distance of so many words, with
 * a sign, from where the frame pointer points to that end.
 */
#define HINTS 16384
#define HINT_BITS 16
enum { UNIT = 16, BY_POINTER = 0x8000, DISTANCE = 0x7fff, DISTANCE_HALF = 0x4000 };

#define ADDRESS_BITS 48 /* of a saved return address: where it is signed, the signature lies above */

TS_LARGE_TABLE static uint64_t hints[HINTS] __attribute__((aligned(64)));

static uint64_t *hint_of(uint64_t return_address) {
    return &hints[return_address * UINT64_C(0x9e3779b97f4a7c15) >> 50]; /* Fibonacci hashing */
}

static uint64_t units_to(uint64_t end, uint64_t stack) {
    uint64_t units = (end - stack + UNIT - 1) / UNIT;
    return end < stack || units > TS_HOOK_WINDOW_UNKNOWN / UNIT ? TS_HOOK_WINDOW_UNKNOWN / UNIT : units;
}

static uint64_t units_in(uint64_t hint, const struct ts_caller *caller) {
    if (!(hint & BY_POINTER))
        return hint & DISTANCE;
    uint64_t words = ((hint & DISTANCE) ^ DISTANCE_HALF) - DISTANCE_HALF;
    return units_to(caller->pointer + words * 8, caller->stack);
}

/*
 * Assembly may have tables that forget what it has pushed: the frame is believed to end where the table says if a
 * return address is where the table says it was saved.
 */
static int is_true(const struct ts_cfa_rule *rule, uint64_t cfa) {
    uint64_t slot = cfa + (uint64_t)rule->return_offset;
    struct ts_unwind_table table;
    if (!rule->return_offset || slot % 8 || ts_system_forbidden || !ts_system_readable((const void *)slot))
        return 0;
    uint64_t saved = *(const uint64_t *)slot & ((UINT64_C(1) << ADDRESS_BITS) - 1);
    return saved && ts_modules_unwind_table(saved - 1, &table) == 0;
}

static uint64_t look(const struct ts_caller *caller) {
    struct ts_cfa_rule rule;
    uint64_t cfa = 0;
    if (ts_frame_rule_find(caller->hook_return, &rule) == 0 && !rule.indirect)
        cfa = ts_frame_rule_follow(&rule, caller, UINT64_MAX);
    if (!cfa || !is_true(&rule, cfa))
        return TS_HOOK_WINDOW_UNKNOWN / UNIT;
    if (rule.base == TS_FRAME_STACK_REGISTER)
        return units_to(cfa, caller->stack);
    int64_t words = rule.offset / 8;
    if (rule.offset % 8 || words < -DISTANCE_HALF || words >= DISTANCE_HALF)
        return TS_HOOK_WINDOW_UNKNOWN / UNIT;
    return BY_POINTER | ((uint64_t)words & DISTANCE);
}

uint64_t ts_hook_window(const struct ts_caller *caller) {
    uint64_t *place = hint_of(caller->hook_return), hint = __atomic_load_n(place, __ATOMIC_RELAXED);
    if (hint >> HINT_BITS != caller->hook_return) {
        if (caller->hook_return == (uint64_t)ts_hook_returned)
            return TS_HOOK_WINDOW_OF_TAIL;
        hint = caller->hook_return << HINT_BITS | look(caller);
        if (!ts_system_forbidden)
            __atomic_store_n(place, hint, __ATOMIC_RELAXED);
    }
    return units_in(hint, caller) * UNIT;
}

void ts_hook_window_forget(uint64_t low, uint64_t high) {
    for (unsigned i = 0; i < HINTS; i++) {
        uint64_t return_address = __atomic_load_n(&hints[i], __ATOMIC_RELAXED) >> HINT_BITS;
        if (return_address >= low && return_address <= high && return_address)
            __atomic_store_n(&hints[i], 0, __ATOMIC_RELAXED);
    }
}
