/*
 * Rules for the CFA in the forms that aarch64 compilers use, and as a hint holds them. Included as "frame_rule.h"; the
 * build puts preload/arch/<cpu> on the include path.
 *
 * The return address is saved by the function itself: as the second word of its frame record, to which x29 points, or,
 * where frame pointers are omitted, anywhere in its frame. gcc has the record at the bottom of the frame, clang near
 * the top. What is saved may be signed (pointer authentication), in the bits above the address; the hook is told the
 * plain address.
 */
#ifndef TRACESHIM_PRELOAD_FRAME_RULE_H
#define TRACESHIM_PRELOAD_FRAME_RULE_H

#include "preload/caller.h"
#include "preload/cfa_program.h"

/*
 * A hint is a return address, its 46 bits above the two that are zero, above a rule. Up to TS_FRAME_DISTANCE_MOST a
 * rule is the distance in words from the end of the frame record to the CFA. What others are is frame_rule.c's matter.
 */
#define TS_FRAME_RULE_BITS 17
#define TS_FRAME_KEY_SHIFT (TS_FRAME_RULE_BITS - 2)
#define TS_FRAME_DISTANCE_MOST 0xffff
/* Not a rule that fits into a hint. */
#define TS_FRAME_NO_RULE (UINT64_C(1) << TS_FRAME_RULE_BITS)

/* DWARF's numbers of the stack pointer and of the frame pointer. */
#define TS_FRAME_STACK_REGISTER 31
#define TS_FRAME_POINTER_REGISTER 29

/* A hook's caller as it has it at hand. */
typedef struct ts_caller ts_caller_here;

static inline __attribute__((always_inline)) uint64_t ts_caller_stack(ts_caller_here here) {
    return here.stack;
}

static inline __attribute__((always_inline)) uint64_t ts_caller_pointer(ts_caller_here here) {
    return here.pointer;
}

static inline __attribute__((always_inline)) uint64_t ts_caller_hook_return(ts_caller_here here) {
    return here.hook_return;
}

/*
 * Defines void name(void *function, void *call_site), a hook as compilers call it; behind the macro stands its body,
 * which has `function` and `call_site` as numbers and `caller` (ts_caller_here). No compiler tells C code what the
 * stack pointer was at its entry: a few instructions before it hand on the registers. `bti c` is hint 34.
 */
#define TS_FRAME_HOOK(name)                                                                                            \
    extern __attribute__((visibility("hidden"))) void name(void *function, void *call_site);                           \
    __asm__(".pushsection .text\n\t"                                                                                   \
            ".p2align 4\n\t"                                                                                           \
            ".type " #name ", %function\n" #name ":\n\t"                                                               \
            ".cfi_startproc\n\t"                                                                                       \
            "hint 34\n\t"                                                                                              \
            "mov x2, sp\n\t"                                                                                           \
            "mov x3, x29\n\t"                                                                                          \
            "mov x4, x30\n\t"                                                                                          \
            "b " #name "_registers\n\t"                                                                                \
            ".cfi_endproc\n\t"                                                                                         \
            ".size " #name ", . - " #name "\n\t"                                                                       \
            ".popsection");                                                                                            \
    static inline                                                                                                      \
        __attribute__((always_inline)) void name##_of(uint64_t function, uint64_t call_site, ts_caller_here caller);   \
    __attribute__((used)) static void name##_registers(uint64_t function, uint64_t call_site, uint64_t stack,          \
                                                       uint64_t pointer, uint64_t hook_return) {                       \
        name##_of(function, call_site, (ts_caller_here){stack, pointer, hook_return});                                 \
    }                                                                                                                  \
    static inline                                                                                                      \
        __attribute__((always_inline)) void name##_of(uint64_t function, uint64_t call_site, ts_caller_here caller)

/* Whether a saved return address is this one: addresses have 48 bits, signatures lie above. */
static inline __attribute__((always_inline)) int ts_frame_is_return(uint64_t saved, uint64_t call_site) {
    return (saved ^ call_site) << 16 == 0;
}

/* Whether x29 points to a frame record, in this stack, of a function that returns to `call_site`. */
static inline __attribute__((always_inline)) int ts_frame_has_record(struct ts_caller caller, uint64_t call_site,
                                                                     uint64_t stack_end) {
    return caller.pointer >= caller.stack && caller.pointer <= stack_end - 16 &&
           ts_frame_is_return(((const uint64_t *)caller.pointer)[1], call_site);
}

/* The CFA by a rule that takes few instructions, if the frame record holds `call_site`; else 0. */
static inline __attribute__((always_inline)) uint64_t ts_frame_rule_near(uint64_t rule, ts_caller_here caller,
                                                                         uint64_t call_site, uint64_t stack_end) {
    return rule <= TS_FRAME_DISTANCE_MOST && ts_frame_has_record(caller, call_site, stack_end)
               ? caller.pointer + 16 + rule * 8
               : 0;
}

/*
 * The rule at the call that returns to `hook_return`, by its module's unwind table. 0, or -1: none, by a register other
 * than sp and x29, or without a slot for the return address. Async-signal-safe.
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
 * A CFA where no table tells: by the frame record, else by the first word that equals `call_site`, which an earlier
 * call may have left behind. *packed stays as it is: the frame's size is not known.
 */
uint64_t ts_frame_rule_search(const struct ts_caller *caller, uint64_t call_site, uint64_t stack_end, uint64_t *packed);

#endif
