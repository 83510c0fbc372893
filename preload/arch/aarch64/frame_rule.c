#include "frame_rule.h"
#include "preload/modules.h"

/* DWARF's numbers (DWARF for the Arm 64-bit Architecture, 4.1). */
enum { REGISTER_X29 = 29, REGISTER_SP = TS_FRAME_STACK_REGISTER };

/* Where there is no unwind table, frames up to this many words are searched. */
#define SEARCH_WORDS 16384
#define RECORD_BYTES 16

/*
 * A packed rule beside those that frame_rule.h tells, for functions without a frame record: FROM_STACK, the distance
 * from the stack pointer to the CFA in units of 16 bytes, and to the slot of the return address in words.
 */
enum { FROM_STACK = 0x10000, DISTANCE_SHIFT = 8, DISTANCE_MOST = 0xff, SLOT_MOST = 0xff };

int ts_frame_rule_find(uint64_t hook_return, struct ts_cfa_rule *rule) {
    struct ts_unwind_table table;
    uint64_t address = hook_return - 1; /* in the calling instruction: behind it may be another function */
    if (ts_modules_unwind_table(address, &table) || ts_unwind_table_find(&table, address, rule))
        return -1;
    int known = rule->base == REGISTER_SP || rule->base == REGISTER_X29;
    return known && !rule->indirect && rule->return_offset < 0 && rule->return_offset % 8 == 0 ? 0 : -1;
}

uint64_t ts_frame_rule_follow(const struct ts_cfa_rule *rule, const struct ts_caller *caller, uint64_t stack_end) {
    (void)stack_end;
    uint64_t cfa = (rule->base == REGISTER_SP ? caller->stack : caller->pointer) + (uint64_t)rule->offset;
    return cfa > caller->stack && cfa % 16 == 0 && cfa + (uint64_t)rule->return_offset >= caller->stack ? cfa : 0;
}

/* Reads a word of a foreign frame. */
__attribute__((no_sanitize("address"))) int ts_frame_rule_holds(const struct ts_cfa_rule *rule, uint64_t cfa,
                                                                uint64_t call_site, uint64_t stack_end) {
    const uint64_t *slot = (const uint64_t *)(cfa + (uint64_t)rule->return_offset);
    return cfa <= stack_end && ts_frame_is_return(*slot, call_site);
}

/* By the frame record where there is one: its distance from the CFA is fixed wherever that from sp is, and elsewhere.
 */
uint64_t ts_frame_rule_pack(const struct ts_cfa_rule *rule, const struct ts_caller *caller) {
    uint64_t cfa = ts_frame_rule_follow(rule, caller, 0), slot = cfa + (uint64_t)rule->return_offset;
    uint64_t words = (cfa - caller->pointer - RECORD_BYTES) / 8;
    if (slot == caller->pointer + 8)
        return words <= TS_FRAME_DISTANCE_MOST ? words : TS_FRAME_NO_RULE;
    uint64_t distance = (cfa - caller->stack) / 16, slot_distance = (slot - caller->stack) / 8;
    if (rule->base != REGISTER_SP || distance > DISTANCE_MOST || slot_distance > SLOT_MOST)
        return TS_FRAME_NO_RULE;
    return FROM_STACK | distance << DISTANCE_SHIFT | slot_distance;
}

struct ts_cfa_rule ts_frame_rule_unpack(uint64_t packed) {
    if (packed <= TS_FRAME_DISTANCE_MOST) {
        int64_t offset = (int64_t)packed * 8 + RECORD_BYTES;
        return (struct ts_cfa_rule){.base = REGISTER_X29, .offset = offset, .return_offset = 8 - offset};
    }
    int64_t offset = (int64_t)(packed >> DISTANCE_SHIFT & DISTANCE_MOST) * 16;
    return (struct ts_cfa_rule){
        .base = REGISTER_SP, .offset = offset, .return_offset = (int64_t)(packed & SLOT_MOST) * 8 - offset};
}

/*
 * The caller's own caller has its frame record at or above the CFA that is looked for, and below its own CFA: good
 * enough to tell frames apart, but for calls that a longjmp left and that no other call followed. Reads words of
 * foreign frames, between their variables too.
 */
__attribute__((no_sanitize("address"))) uint64_t
ts_frame_rule_search(const struct ts_caller *caller, uint64_t call_site, uint64_t stack_end, uint64_t *packed) {
    const uint64_t *words = (const uint64_t *)caller->stack, *record = (const uint64_t *)caller->pointer;
    uint64_t readable = stack_end > caller->stack ? (stack_end - caller->stack) / sizeof *words : 0;
    (void)packed;
    if (ts_frame_has_record(*caller, call_site, stack_end)) {
        int leads_up = record[0] > caller->pointer && record[0] % 16 == 0 && record[0] <= stack_end;
        return leads_up ? record[0] : caller->pointer + RECORD_BYTES;
    }
    for (uint64_t distance = 0; distance < readable && distance < SEARCH_WORDS; distance++)
        if (ts_frame_is_return(words[distance], call_site))
            return (uint64_t)(words + distance + 1);
    return (uint64_t)(words + 1); /* above every callee's CFA, not above its own: what is popped by it is dead */
}
