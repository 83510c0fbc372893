#include "preload/stack_walk.h"
#include "frame_rule.h"
#include "preload/modules.h"

enum { BY_POINTER = 1, INDIRECT = 2, POINTER_BY_POINTER = 4, POINTER_LOST = 8, FIRST = 16, SIGNAL = 32, LOST = 64 };

static int fits(int64_t offset) {
    return offset == (int32_t)offset;
}

static struct ts_stack_rule find_rule(uint64_t address) {
    struct ts_stack_rule found = {.address = address, .flags = LOST};
    struct ts_unwind_table table;
    struct ts_cfa_rule rule;
    /* In the calling instruction, since behind it may be another function; but a signal's frame is returned to. */
    if (ts_modules_unwind_table(address - 1, &table) ||
        (ts_unwind_table_find(&table, address - 1, &rule) && ts_unwind_table_find(&table, address, &rule)))
        return found;
    int known = rule.base == TS_FRAME_STACK_REGISTER || rule.base == TS_FRAME_POINTER_REGISTER;
    if (rule.is_signal)
        found.flags = SIGNAL;
    else if (rule.is_first)
        found.flags = FIRST;
    else if (known && rule.return_offset && fits(rule.offset) && fits(rule.return_offset) && fits(rule.pointer_offset))
        found = (struct ts_stack_rule){
            .address = address,
            .cfa = (int32_t)rule.offset,
            .saved = (int32_t)rule.return_offset,
            .pointer = (int32_t)rule.pointer_offset,
            .flags = (rule.base == TS_FRAME_POINTER_REGISTER ? BY_POINTER : 0) | (rule.indirect ? INDIRECT : 0) |
                     (rule.pointer_by_pointer ? POINTER_BY_POINTER : 0) | (rule.pointer_is_lost ? POINTER_LOST : 0)};
    return found;
}

/* By value: a signal handler may put another rule into the place. */
static struct ts_stack_rule rule_of(struct ts_stack_rules *rules, uint64_t address) {
    struct ts_stack_rule *place = &rules->of[address * UINT64_C(0x9e3779b97f4a7c15) >> 54]; /* Fibonacci hashing */
    _Static_assert(TS_STACK_RULES == 1u << (64 - 54), "the hash's upper bits are the index");
    struct ts_stack_rule rule = *place;
    if (rule.address != address)
        *place = rule = find_rule(address);
    return rule;
}

/* Reads a word of a foreign frame, if there is one at `at`. */
__attribute__((no_sanitize("address"))) static int read_word(uint64_t at, uint64_t low, uint64_t end, uint64_t *word) {
    if (at < low || at % 8 || at >= end || end - at < 8)
        return 0;
    *word = *(const volatile uint64_t *)at;
    return 1;
}

enum ts_stack_step ts_stack_walk(struct ts_stack_rules *rules, struct ts_stack_place *place, uint64_t stack_end,
                                 uint64_t *slot) {
    struct ts_stack_rule rule = rule_of(rules, place->address);
    uint64_t low = place->stack, pointer = place->pointer, saved;
    int has_pointer = place->has_pointer;
    if (rule.flags & (LOST | FIRST | SIGNAL))
        return rule.flags & LOST ? TS_STACK_LOST : rule.flags & FIRST ? TS_STACK_FIRST : TS_STACK_SIGNAL;
    if (rule.flags & (BY_POINTER | POINTER_BY_POINTER) && !has_pointer)
        return TS_STACK_LOST;
    uint64_t cfa = (rule.flags & BY_POINTER ? pointer : low) + (uint64_t)(int64_t)rule.cfa;
    if (rule.flags & INDIRECT && !read_word(cfa, low, stack_end, &cfa))
        return TS_STACK_LOST;
    uint64_t at = cfa + (uint64_t)(int64_t)rule.saved;
    if (cfa <= low || cfa > stack_end || !read_word(at, low, stack_end, &saved))
        return TS_STACK_LOST;
    if (!TS_STACK_ADDRESS(saved))
        return TS_STACK_FIRST;
    if (rule.flags & POINTER_LOST)
        has_pointer = 0;
    else if (rule.pointer || rule.flags & POINTER_BY_POINTER)
        has_pointer = read_word((rule.flags & POINTER_BY_POINTER ? pointer : cfa) + (uint64_t)(int64_t)rule.pointer,
                                low, stack_end, &pointer);
    *place = (struct ts_stack_place){TS_STACK_ADDRESS(saved), cfa, pointer, has_pointer};
    *slot = at;
    return TS_STACK_STEP;
}
