/*
 * Frames of this very compiler's code, full of what earlier calls could have left behind, and frames made up where no
 * unwind table tells anything. Cannot find: what other compilers do; tests/e2e has those.
 */
#include "preload/frame.h"
#include "preload/modules.h"

#include <alloca.h>
#include <criterion/criterion.h>
#include <string.h>

/* Passed in memory, where the ABI puts the first of such: at the CFA. A sanitizer would copy it. */
#define IN_PLACE __attribute__((noinline, no_sanitize("address")))
struct above {
    uint64_t words[4];
};

struct found {
    uint64_t near;
    uint64_t cfa;
};

static uint64_t stack_end(void) {
    return UINT64_MAX & ~UINT64_C(7);
}

/* What a hook does, beside recording. */
__attribute__((noinline)) static struct found hook(uint64_t call_site, uint64_t end) {
    const uint64_t *frame = __builtin_frame_address(0);
    struct ts_caller caller = {(uint64_t)(frame + 2), frame[0], frame[1]};
    struct found found = {.near = ts_frame_near_cfa(frame, call_site, end)};
    found.cfa = ts_frame_find_cfa(&caller, call_site, end);
    __asm__ volatile(""); /* no jump to the last call */
    return found;
}

#define CALL_SITE ((uint64_t)__builtin_return_address(0))

static void fill(volatile uint64_t *words, uint64_t count, uint64_t value) {
    for (uint64_t i = 0; i < count; i++)
        words[i] = value;
}

IN_PLACE static struct found fixed(struct above above, int *inside, uint64_t end, uint64_t site) {
    volatile uint64_t words[40];
    fill(words, 40, CALL_SITE);
    struct found found = hook(site ? site : CALL_SITE, end);
    *inside = found.cfa == (uint64_t)&above;
    fill(words, 40, 0);
    return found;
}

/* More than a hint can tell. */
IN_PLACE static struct found enormous(struct above above, int *inside, uint64_t end) {
    volatile uint64_t words[80000];
    fill(words, 80000, CALL_SITE);
    struct found found = hook(CALL_SITE, end);
    *inside = found.cfa == (uint64_t)&above;
    fill(words, 80000, 0);
    return found;
}

IN_PLACE static struct found growing(struct above above, int *inside, uint64_t count) {
    volatile uint64_t *words = alloca(8 * count);
    fill(words, count, CALL_SITE);
    struct found found = hook(CALL_SITE, stack_end());
    *inside = found.cfa == (uint64_t)&above;
    fill(words, count, 0);
    return found;
}

IN_PLACE static struct found aligned(struct above above, int *inside, uint64_t count) {
    volatile uint64_t words[40] __attribute__((aligned(128)));
    volatile uint64_t *more = alloca(8 * count);
    fill(words, 40, CALL_SITE);
    fill(more, count, CALL_SITE);
    struct found found = hook(CALL_SITE, stack_end());
    *inside = found.cfa == (uint64_t)&above;
    fill(words, 40, (uint64_t)more);
    return found;
}

/* Uses up stack, so that the next call's alignment is another. */
__attribute__((noinline)) static struct found aligned_below(uint64_t bytes, int *inside, uint64_t count) {
    volatile uint64_t *words = alloca(bytes);
    fill(words, bytes / 8, 0);
    return aligned((struct above){{words[0]}}, inside, count);
}

static void look_at_modules(void) {
    struct ts_preamble preamble = {0};
    struct ts_modules_summary summary = {0};
    ts_modules_begin(&preamble, &summary);
    ts_preamble_free(&preamble);
}

TestSuite(frame, .init = look_at_modules);

Test(frame, fixed_frame_is_exact_and_near_the_second_time) {
    int inside;
    struct found found[2];
    for (int i = 0; i < 2; i++) {
        found[i] = fixed((struct above){{0}}, &inside, stack_end(), 0);
        cr_assert(inside);
    }
    cr_assert_eq(found[0].near, 0);
    cr_assert_eq(found[1].near, found[1].cfa);
}

Test(frame, varying_frame_is_exact_and_near_the_second_time) {
    int inside;
    for (uint64_t count = 1; count < 5000; count += 97) {
        struct found found = growing((struct above){{0}}, &inside, count);
        cr_assert(inside);
        cr_assert_eq(found.near, count == 1 ? 0 : found.cfa);
    }
}

Test(frame, aligned_frame_is_exact) {
    int inside;
    for (uint64_t bytes = 16; bytes < 512; bytes += 16) {
        struct found found = aligned_below(bytes, &inside, 1 + bytes / 16);
        cr_assert(inside, "%lu bytes", (unsigned long)bytes);
        cr_assert(found.near == 0 || found.near == found.cfa);
    }
}

Test(frame, enormous_frame_is_exact) {
    int inside;
    for (int i = 0; i < 2; i++) {
        struct found found = enormous((struct above){{0}}, &inside, stack_end());
        cr_assert(inside);
        cr_assert(found.near == 0 || found.near == found.cfa);
    }
}

/* Where the slot is not to be read, what the hook was told is not compared with it. */
Test(frame, stack_that_ends_too_soon_is_not_read) {
    int inside;
    uint64_t here = (uint64_t)__builtin_frame_address(0);
    struct found found = fixed((struct above){{0}}, &inside, (here & ~UINT64_C(7)) - 1024, 1);
    cr_assert(inside);
    cr_assert_eq(found.near, 0);
}

#define RULE(of, leads, distance)                                                                                      \
    { .base = (of), .indirect = (leads), .offset = (distance) }

Test(frame, rules_survive_being_packed) {
    static const struct ts_cfa_rule rules[] = {
        RULE(7, 0, 8),  RULE(7, 0, 16), RULE(7, 0, 0x80000), RULE(6, 0, 16), RULE(6, 0, 8),        RULE(6, 0, -32),
        RULE(6, 0, 32), RULE(6, 1, -8), RULE(6, 1, 0),       RULE(6, 1, 8),  RULE(6, 1, -0x20000), RULE(6, 0, 0x1fff8),
    };
    static const struct ts_cfa_rule too_large[] = {RULE(7, 0, 0),        RULE(7, 0, -8), RULE(7, 0, 0x80008),
                                                   RULE(7, 0, 12),       RULE(7, 1, 8),  RULE(6, 0, 0x20010),
                                                   RULE(6, 1, -0x20008), RULE(6, 0, 17)};
    for (unsigned i = 0; i < sizeof rules / sizeof *rules; i++) {
        uint64_t packed = ts_frame_rule_pack(&rules[i], NULL);
        cr_assert_lt(packed, TS_FRAME_NO_RULE, "rule %u", i);
        struct ts_cfa_rule rule = ts_frame_rule_unpack(packed);
        cr_assert(rule.base == rules[i].base && rule.indirect == rules[i].indirect && rule.offset == rules[i].offset,
                  "rule %u: %u %ld %d", i, rule.base, (long)rule.offset, rule.indirect);
    }
    for (unsigned i = 0; i < sizeof too_large / sizeof *too_large; i++)
        cr_assert_eq(ts_frame_rule_pack(&too_large[i], NULL), TS_FRAME_NO_RULE, "rule %u", i);
    cr_assert_eq(ts_frame_rule_pack(&rules[3], NULL), TS_FRAME_BY_POINTER);
}

/* A hook called from nowhere: at an address of no module. */
#define NOWHERE UINT64_C(0x7fee00000100)
#define SITE UINT64_C(0x1234567890)
#define WORDS 64u

/* Its frame: [0] the caller's rbp, [1] return address, [2...] the words that are searched. */
struct made {
    uint64_t words[WORDS];
};

static struct made make(uint64_t hook_return, unsigned slot) {
    struct made made = {{0}};
    made.words[1] = hook_return;
    made.words[slot] = SITE;
    return made;
}

static struct ts_caller caller_of(const struct made *made) {
    return (struct ts_caller){(uint64_t)(made->words + 2), made->words[0], made->words[1]};
}

static uint64_t near(const struct made *made) {
    return ts_frame_near_cfa(made->words, SITE, (uint64_t)(made->words + WORDS));
}

/* Index of the word that is taken for the return-address slot. */
static uint64_t find(const struct made *made) {
    struct ts_caller caller = caller_of(made);
    uint64_t cfa = ts_frame_find_cfa(&caller, SITE, (uint64_t)(made->words + WORDS));
    return (cfa - (uint64_t)made->words) / 8 - 1;
}

Test(frame, without_a_table_the_first_word_is_taken) {
    struct made made = make(NOWHERE, 20);
    made.words[30] = SITE;
    cr_assert_eq(find(&made), 20);
    cr_assert_eq(near(&made), (uint64_t)&made.words[21]);
    made.words[10] = SITE;
    cr_assert_eq(find(&made), 20, "the hint tells");
    made.words[20] = 0;
    cr_assert_eq(near(&made), 0);
    cr_assert_eq(find(&made), 10, "the hint is checked");
}

Test(frame, without_a_table_a_frame_pointer_comes_first) {
    struct made made = make(NOWHERE, 20);
    made.words[0] = (uint64_t)&made.words[29];
    made.words[30] = SITE;
    cr_assert_eq(find(&made), 30);
    cr_assert_eq(near(&made), (uint64_t)&made.words[31]);
    made.words[0] = 1;
    cr_assert_eq(near(&made), 0);
    made.words[0] = (uint64_t)&made.words[WORDS - 1];
    cr_assert_eq(near(&made), 0, "beyond the stack");
    cr_assert_eq(find(&made), 20);
}

static uint64_t follow_from(const struct made *made, const struct ts_cfa_rule *rule, uint64_t pointer) {
    struct ts_caller caller = {(uint64_t)(made->words + 2), pointer, NOWHERE};
    return ts_frame_rule_follow(rule, &caller, (uint64_t)(made->words + WORDS));
}

/* Where a rule by rbp leads when rbp holds anything. */
Test(frame, saved_cfa_is_read_on_the_stack_only) {
    static const struct ts_cfa_rule rule = {.base = 6, .indirect = 1, .offset = -8};
    struct made made = make(NOWHERE, 20);
    uint64_t end = (uint64_t)(made.words + WORDS), saved = (uint64_t)&made.words[40];
    made.words[30] = saved;
    cr_assert_eq(follow_from(&made, &rule, (uint64_t)&made.words[31]), saved);
    cr_assert_eq(follow_from(&made, &rule, (uint64_t)&made.words[32]), 0, "leads below the hook");
    cr_assert_eq(follow_from(&made, &rule, (uint64_t)&made.words[31] + 4), 0);
    cr_assert_eq(follow_from(&made, &rule, end + 8), 0);
    cr_assert_eq(follow_from(&made, &rule, 8), 0);
    cr_assert_eq(follow_from(&made, &rule, 0), 0);
    cr_assert_eq(follow_from(&made, &rule, UINT64_C(1) << 63), 0);
}

Test(frame, what_is_not_found_is_as_low_as_it_can_be) {
    struct made made = make(NOWHERE, 0);
    made.words[0] = 0;
    cr_assert_eq(find(&made), 2);
    cr_assert_eq(near(&made), 0);
}

/* They differ by 4 GiB, and by all else that a table might leave out. */
Test(frame, hints_of_different_addresses_are_kept_apart) {
    for (unsigned bit = 0; bit < 47; bit++) {
        struct made made = make(NOWHERE ^ UINT64_C(1) << bit, 20);
        ts_frame_forget(0, UINT64_MAX);
        cr_assert_eq(find(&made), 20);
        cr_assert_neq(near(&made), 0);
        made.words[1] = NOWHERE;
        cr_assert_eq(near(&made), 0, "bit %u", bit);
    }
}

Test(frame, hints_at_one_place_are_all_kept) {
    enum { COUNT = 1000, APART = 16 * TS_FRAME_HINTS };
    for (unsigned round = 0; round < 2; round++)
        for (unsigned i = 0; i < COUNT; i++) {
            struct made made = make(NOWHERE + (uint64_t)i * APART, 20 + i % 40);
            if (round)
                made.words[10] = SITE;
            cr_assert_eq(find(&made), 20 + i % 40, "round %u, hint %u", round, i);
        }
}

Test(frame, a_full_table_still_answers) {
    for (uint64_t i = 0; i < 100000; i++) {
        struct made made = make(NOWHERE + 20 * i, 10 + i % 50);
        cr_assert_eq(find(&made), 10 + i % 50);
    }
}

Test(frame, forgotten_hints_are_those_of_the_code) {
    uint64_t addresses[] = {NOWHERE - 1, NOWHERE, NOWHERE + 16 * TS_FRAME_HINTS, NOWHERE + 0x200000,
                            NOWHERE + 0x200001};
    for (unsigned i = 0; i < 5; i++) {
        struct made made = make(addresses[i], 20);
        find(&made);
    }
    ts_frame_forget(NOWHERE, NOWHERE + 0x200000);
    for (unsigned i = 0; i < 5; i++) {
        struct made made = make(addresses[i], 20);
        made.words[10] = SITE;
        cr_assert_eq(find(&made), i == 0 || i == 4 ? 20 : 10, "address %u", i);
    }
}
