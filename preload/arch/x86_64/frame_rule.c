#include "frame_rule.h"
#include "preload/modules.h"

#include <assert.h>

/* DWARF's numbers, by the System V ABI. */
enum { REGISTER_RBP = 6, REGISTER_RSP = 7 };

/*
 * A packed rule beside those that frame.h tells: FROM_POINTER, and a distance of so many words, with a sign, from where
 * rbp points: to the return-address slot, or with INDIRECT to a word that holds the CFA (where a function that aligns
 * the stack saved it).
 */
enum { FROM_POINTER = 0x10000, INDIRECT = 0x8000, DISTANCE = 0x7fff, DISTANCE_HALF = 0x4000 };

static_assert(TS_FRAME_BY_POINTER == (FROM_POINTER | 1), "frame.h");

int ts_frame_rule_find(uint64_t hook_return, struct ts_cfa_rule *rule) {
    struct ts_unwind_table table;
    uint64_t address = hook_return - 1; /* in the calling instruction: behind it may be another function */
    if (ts_modules_unwind_table(address, &table) || ts_unwind_table_find(&table, address, rule))
        return -1;
    return rule->base == REGISTER_RSP || rule->base == REGISTER_RBP ? 0 : -1;
}

uint64_t ts_frame_rule_pack(const struct ts_cfa_rule *rule) {
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
ts_frame_rule_follow(const struct ts_cfa_rule *rule, const uint64_t *frame, uint64_t pointer, uint64_t stack_end) {
    uint64_t least = ts_frame_hook_cfa(frame);
    uint64_t cfa = (rule->base == REGISTER_RSP ? least : pointer) + (uint64_t)rule->offset;
    if (rule->indirect) {
        if (cfa < least || cfa % 8 || cfa >= stack_end)
            return 0;
        cfa = *(const uint64_t *)cfa;
    }
    return cfa > least && cfa % 8 == 0 ? cfa : 0;
}
