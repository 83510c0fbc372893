#include "preload/frame.h"
#include "collector/placement.h"

/* Hints whose place in the first table is another's: a cache line of them for each hash. */
#define SPARE_LINES 2048
#define SPARE_HINTS 8

TS_LARGE_TABLE uint64_t ts_frame_hints[TS_FRAME_HINTS] __attribute__((aligned(64)));
TS_LARGE_TABLE static uint64_t spare_hints[SPARE_LINES][SPARE_HINTS] __attribute__((aligned(64)));

static uint64_t *spare_line(uint64_t hook_return) {
    return spare_hints[hook_return * UINT64_C(0x9e3779b97f4a7c15) >> 32 & (SPARE_LINES - 1)]; /* Fibonacci hashing */
}

/* The rule in a hint, TS_FRAME_NO_RULE or more: for another address, or none. */
static uint64_t rule_in(const uint64_t *hint, uint64_t hook_return) {
    return __atomic_load_n(hint, __ATOMIC_RELAXED) ^ hook_return << TS_FRAME_KEY_SHIFT;
}

static uint64_t recall(uint64_t hook_return) {
    const uint64_t *line = spare_line(hook_return);
    uint64_t rule = rule_in(ts_frame_hint(hook_return), hook_return);
    for (unsigned i = 0; i < SPARE_HINTS && rule >= TS_FRAME_NO_RULE; i++)
        rule = rule_in(&line[i], hook_return);
    return rule;
}

static int may_take(const uint64_t *hint, uint64_t hook_return) {
    return !__atomic_load_n(hint, __ATOMIC_RELAXED) || rule_in(hint, hook_return) < TS_FRAME_NO_RULE;
}

/* In its own place or, where that is taken, in the spare line: there it is found almost as fast, and stays. */
static void remember(uint64_t hook_return, uint64_t rule) {
    uint64_t *line = spare_line(hook_return), *hint = ts_frame_hint(hook_return);
    for (unsigned i = 0; i < SPARE_HINTS && !may_take(hint, hook_return); i++)
        hint = &line[i];
    if (!may_take(hint, hook_return))
        hint = &line[hook_return / 16 % SPARE_HINTS];
    if (rule < TS_FRAME_NO_RULE)
        __atomic_store_n(hint, hook_return << TS_FRAME_KEY_SHIFT | rule, __ATOMIC_RELAXED);
}

static void forget(uint64_t *hint, uint64_t low, uint64_t high) {
    uint64_t hook_return = (__atomic_load_n(hint, __ATOMIC_RELAXED) & ~(TS_FRAME_NO_RULE - 1)) >> TS_FRAME_KEY_SHIFT;
    if (hook_return >= low && hook_return <= high && hook_return)
        __atomic_store_n(hint, 0, __ATOMIC_RELAXED);
}

void ts_frame_forget(uint64_t low, uint64_t high) {
    for (unsigned i = 0; i < TS_FRAME_HINTS; i++)
        forget(&ts_frame_hints[i], low, high);
    for (unsigned i = 0; i < SPARE_LINES * SPARE_HINTS; i++)
        forget(&spare_hints[i / SPARE_HINTS][i % SPARE_HINTS], low, high);
}

uint64_t ts_frame_find_cfa(const struct ts_caller *caller, uint64_t call_site, uint64_t stack_end) {
    uint64_t hook_return = caller->hook_return, packed = recall(hook_return), cfa;
    struct ts_cfa_rule rule;
    if (packed < TS_FRAME_NO_RULE) {
        rule = ts_frame_rule_unpack(packed);
        cfa = ts_frame_rule_follow(&rule, caller, stack_end);
        if (cfa && ts_frame_rule_holds(&rule, cfa, call_site, stack_end))
            return cfa;
    }
    if (ts_frame_rule_find(hook_return, &rule) == 0) {
        cfa = ts_frame_rule_follow(&rule, caller, stack_end);
        if (cfa > stack_end)
            return cfa; /* the stack is larger than is known: not to be read, but told */
        if (cfa && ts_frame_rule_holds(&rule, cfa, call_site, stack_end)) {
            remember(hook_return, ts_frame_rule_pack(&rule, caller));
            return cfa;
        }
    }
    packed = TS_FRAME_NO_RULE;
    cfa = ts_frame_rule_search(caller, call_site, stack_end, &packed);
    remember(hook_return, packed);
    return cfa;
}
