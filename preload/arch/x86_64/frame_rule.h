/*
 * Rules for the CFA in the forms that x86-64 compilers use, and as a hint holds them. Included as "frame_rule.h"; the
 * build puts preload/arch/<cpu> on the include path.
 *
 * The slot of the return address is the word below the CFA, where the call instruction put it.
 */
#ifndef TRACESHIM_PRELOAD_FRAME_RULE_H
#define TRACESHIM_PRELOAD_FRAME_RULE_H

#include "preload/caller.h"
#include "preload/cfa_program.h"

/*
 * A hint is a return address, all 47 bits of it, above a rule. Up to TS_FRAME_DISTANCE_MOST a rule is the distance in
 * words from the caller's stack pointer to the return-address slot: the frame's size is fixed. TS_FRAME_BY_POINTER: the
 * slot is the word above the one that rbp points to. What others are is frame_rule.c's matter.
 */
#define TS_FRAME_RULE_BITS 17
#define TS_FRAME_KEY_SHIFT TS_FRAME_RULE_BITS
#define TS_FRAME_DISTANCE_MOST 0xffff
#define TS_FRAME_BY_POINTER 0x10001
/* Not a rule that fits into a hint. */
#define TS_FRAME_NO_RULE (UINT64_C(1) << TS_FRAME_RULE_BITS)

/* DWARF's numbers of the stack pointer and of the frame pointer. */
#define TS_FRAME_STACK_REGISTER 7
#define TS_FRAME_POINTER_REGISTER 6

/* A hook's caller as it has it at hand: its own frame, [0] the caller's rbp, [1] return address, [2...] above it. */
typedef const uint64_t *ts_caller_here;

static inline __attribute__((always_inline)) uint64_t ts_caller_stack(ts_caller_here here) {
    return (uint64_t)(here + 2);
}

static inline __attribute__((always_inline)) uint64_t ts_caller_pointer(ts_caller_here here) {
    return here[0];
}

static inline __attribute__((always_inline)) uint64_t ts_caller_hook_return(ts_caller_here here) {
    return here[1];
}

/*
 * Defines void name(void *function, void *call_site), a hook as compilers call it; behind the macro stands its body,
 * which has `function` and `call_site` as numbers and `caller` (ts_caller_here).
 */
#define TS_FRAME_HOOK(name)                                                                                            \
    static inline                                                                                                      \
        __attribute__((always_inline)) void name##_of(uint64_t function, uint64_t call_site, ts_caller_here caller);   \
    static void name(void *function, void *call_site) {                                                                \
        name##_of((uint64_t)function, (uint64_t)call_site, __builtin_frame_address(0));                                \
    }                                                                                                                  \
    static inline                                                                                                      \
        __attribute__((always_inline)) void name##_of(uint64_t function, uint64_t call_site, ts_caller_here caller)

/* The CFA by a rule that takes few instructions, if the slot holds `call_site`; else 0. */
static inline __attribute__((always_inline)) uint64_t ts_frame_rule_near(uint64_t rule, ts_caller_here caller,
                                                                         uint64_t call_site, uint64_t stack_end) {
    const uint64_t *slot;
    if (rule <= TS_FRAME_DISTANCE_MOST)
        slot = caller + 2 + rule;
    else if (rule == TS_FRAME_BY_POINTER && ts_caller_pointer(caller) > (uint64_t)caller)
        slot = (const uint64_t *)(ts_caller_pointer(caller) + 8);
    else
        return 0;
    return (uint64_t)slot < stack_end && *slot == call_site ? (uint64_t)(slot + 1) : 0;
}

/*
 * The rule at the call that returns to `hook_return`, by its module's unwind table. 0, or -1: none, or by a register
 * other than rsp and rbp. Async-signal-safe.
 */
int ts_frame_rule_find(uint64_t hook_return, struct ts_cfa_rule *rule);

/* As the lower bits of a hint, or TS_FRAME_NO_RULE. It was found for a call by `caller`. */
uint64_t ts_frame_rule_pack(const struct ts_cfa_rule *rule, const struct ts_caller *caller);
struct ts_cfa_rule ts_frame_rule_unpack(uint64_t packed);

/*
 * The CFA by the rule, 0: it leads to no place in the caller's frame or above. Whether the CFA is below `stack_end` is
 * not checked.
 */
uint64_t ts_frame_rule_follow(const struct ts_cfa_rule *rule, const struct ts_caller *caller, uint64_t stack_end);

/* Whether the slot of the frame with this CFA holds `call_site`. */
int ts_frame_rule_holds(const struct ts_cfa_rule *rule, uint64_t cfa, uint64_t call_site, uint64_t stack_end);

/*
 * The CFA where no table tells: by where the frame pointer leads, or by the first word that equals `call_site`, which
 * an earlier call may have left behind. *packed: the rule found, unchanged where there is none.
 */
uint64_t ts_frame_rule_search(const struct ts_caller *caller, uint64_t call_site, uint64_t stack_end, uint64_t *packed);

#endif
