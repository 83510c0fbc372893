/* Rules for the CFA in the forms that x86-64 compilers use, and as a hint holds them. */
#ifndef TRACESHIM_PRELOAD_FRAME_RULE_H
#define TRACESHIM_PRELOAD_FRAME_RULE_H

#include "frame.h"
#include "preload/cfa_program.h"

/* Not a rule that fits into a hint. */
#define TS_FRAME_NO_RULE (UINT64_C(1) << TS_FRAME_RULE_BITS)

/*
 * The rule at the call that returns to `hook_return`, by its module's unwind table. 0, or -1: none, or by a register
 * other than rsp and rbp. Async-signal-safe.
 */
int ts_frame_rule_find(uint64_t hook_return, struct ts_cfa_rule *rule);

/* As the lower bits of a hint, or TS_FRAME_NO_RULE. */
uint64_t ts_frame_rule_pack(const struct ts_cfa_rule *rule);
struct ts_cfa_rule ts_frame_rule_unpack(uint64_t packed);

/*
 * The CFA by the rule, 0: it leads to no place above the hook's frame. Arguments as of ts_frame_find_cfa; whether the
 * CFA is below `stack_end` is not checked.
 */
uint64_t ts_frame_rule_follow(const struct ts_cfa_rule *rule, const uint64_t *frame, uint64_t pointer,
                              uint64_t stack_end);

#endif
