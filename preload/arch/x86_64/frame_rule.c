#include "frame_rule.h"
#include "preload/modules.h"

#include <assert.h>

/* Where there is no unwind table, frames up to this many words are searched. */
#define SEARCH_WORDS 16384

/* DWARF's numbers, by the System V ABI. */
enum { REGISTER_RBP = 6, REGISTER_RSP = TS_FRAME_STACK_REGISTER };

/*
 * A packed rule beside those that frame_rule.h tells: FROM_POINTER, and a distance of so many words, with a sign, from
 * where rbp points: to the return-address slot, or with INDIRECT to a word that holds the CFA (where a function that
 * aligns the stack saved it).
 */
enum { FROM_POINTER = 0x10000, INDIRECT = 0x8000, DISTANCE = 0x7fff, DISTANCE_HALF = 0x4000 };

static_assert(TS_FRAME_BY_POINTER == (FROM_POINTER | 1), "frame_rule.h");

int ts_frame_rule_find(uint64_t hook_return, struct ts_cfa_rule *rule) {
    struct ts_unwind_table table;
    uint64_t address = hook_return - 1; /* in the calling instruction: behind it may be another function */
    if (ts_modules_unwind_table(address, &table) || ts_unwind_table_find(&table, address, rule))
        return -1;
    return rule->base == REGISTER_RSP || rule->base == REGISTER_RBP ? 0 : -1;
}

uint64_t ts_frame_rule_pack(const struct ts_cfa_rule *rule, const struct ts_caller *caller) {
    (void)caller;
    int64_t words = rule->offset / 8 - !rule->indirect;
    if (rule->offset % 8)
        return TS_FRAME_NO_RULE;
    if (rule->base == REGISTER_RSP)
        return !rule->indirect && words >= 0 && words <= TS_FRAME_DISTANCE_MOST ? (uint64_t)words : TS_FRAME_NO_RULE;
    if (words < -DISTANCE_HALF || words >= DISTANCE_HALF)
        return TS_FRAME_NO_RULE;
    return FROM_POINTER | (rule->indirect ? INDIRECT : 0) | ((uint64_t)words & DISTANCE);
}

struct ts_cfa_rule ts_frame_rule_unpack(uint64_t packed) {
    if (packed <= TS_FRAME_DISTANCE_MOST)
        return (struct ts_cfa_rule){.base = REGISTER_RSP, .offset = (int64_t)(packed + 1) * 8};
    int indirect = (packed & INDIRECT) != 0;
    int64_t words = (int64_t)((packed & DISTANCE) ^ DISTANCE_HALF) - DISTANCE_HALF;
    return (struct ts_cfa_rule){.base = REGISTER_RBP, .indirect = indirect, .offset = (words + !indirect) * 8};
}

/* Reads a word of a foreign frame. */
__attribute__((no_sanitize("address"))) uint64_t
ts_frame_rule_follow(const struct ts_cfa_rule *rule, const struct ts_caller *caller, uint64_t stack_end) {
    uint64_t least = caller->stack;
    uint64_t cfa = (rule->base == REGISTER_RSP ? least : caller->pointer) + (uint64_t)rule->offset;
    if (rule->indirect) {
        if (cfa < least || cfa % 8 || cfa >= stack_end)
            return 0;
        cfa = *(const uint64_t *)cfa;
    }
    return cfa > least && cfa % 8 == 0 ? cfa : 0;
}

__attribute__((no_sanitize("address"))) int ts_frame_rule_holds(const struct ts_cfa_rule *rule, uint64_t cfa,
                                                                uint64_t call_site, uint64_t stack_end) {
    (void)rule;
    return cfa <= stack_end && ((const uint64_t *)cfa)[-1] == call_site;
}

/* Reads words of foreign frames, between their variables too. */
__attribute__((no_sanitize("address"))) uint64_t
ts_frame_rule_search(const struct ts_caller *caller, uint64_t call_site, uint64_t stack_end, uint64_t *packed) {
    const uint64_t *words = (const uint64_t *)caller->stack;
    uint64_t readable = stack_end > caller->stack ? (stack_end - caller->stack) / sizeof *words : 0;
    uint64_t pointed = (caller->pointer - caller->stack) / sizeof *words + 1; /* where a frame pointer leads */
    if (caller->pointer % sizeof *words == 0 && pointed < readable && words[pointed] == call_site) {
        *packed = TS_FRAME_BY_POINTER;
        return (uint64_t)(words + pointed + 1);
    }
    for (uint64_t distance = 0; distance < readable && distance < SEARCH_WORDS; distance++)
        if (words[distance] == call_site) {
            *packed = distance;
            return (uint64_t)(words + distance + 1);
        }
    return (uint64_t)(words + 1); /* above every callee's CFA, not above its own: what is popped by it is dead */
}
