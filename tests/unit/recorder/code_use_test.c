/*
 * What aarch64 code does with a pointer that it has loaded: words as the assembler makes them, on any machine. Cannot
 * find: what compilers write that is not here; tests/aarch64 has programs of theirs.
 */
#include "preload/arch/aarch64/code_use.c"
#include "preload/arch/aarch64/relocation_uses.c"

#include <criterion/criterion.h>
#include <stdlib.h>

#define USE(code, number) ts_code_use(code, (code) + sizeof(code) / sizeof *(code), code, number)

Test(code_use, called_at_once) {
    static const uint32_t code[] = {
        0xd63f0000, /* blr x0 */
        0xd65f03c0, /* ret */
    };
    cr_assert_eq(USE(code, 0), TS_CODE_CALLS);
}

Test(code_use, called_later) {
    static const uint32_t code[] = {
        0x52800020, /* mov w0, #1 */
        0x94000003, /* bl 1f */
        0xd63f0260, /* blr x19 */
        0xd63f0260, /* blr x19 */
        0xa8c253f3, /* 1: ldp x19, x20, [sp], #32 */
        0xd65f03c0, /* ret */
    };
    cr_assert_eq(USE(code, 19), TS_CODE_CALLS);
}

Test(code_use, jumped_to) {
    static const uint32_t code[] = {
        0xf9400020, /* ldr x0, [x1] */
        0xd61f0200, /* br x16 */
    };
    cr_assert_eq(USE(code, 16), TS_CODE_CALLS);
}

Test(code_use, stored) {
    static const uint32_t code[] = {
        0xf90007e0, /* str x0, [sp, #8] */
        0xd65f03c0, /* ret */
    };
    cr_assert_eq(USE(code, 0), TS_CODE_READS);
}

Test(code_use, stored_in_a_pair) {
    static const uint32_t code[] = {
        0xa9000041, /* stp x1, x0, [x2] */
        0xd4200000, /* brk #0 */
    };
    cr_assert_eq(USE(code, 0), TS_CODE_READS);
}

Test(code_use, stored_by_index) {
    static const uint32_t code[] = {
        0xb8206841, /* str w1, [x2, x0] */
        0xd4200000, /* brk #0 */
    };
    cr_assert_eq(USE(code, 0), TS_CODE_READS);
}

Test(code_use, passed) {
    static const uint32_t code[] = {
        0x52800041, /* mov w1, #2 */
        0x94000001, /* bl 1f */
        0xd4200000, /* 1: brk #0 */
    };
    cr_assert_eq(USE(code, 0), TS_CODE_READS);
}

Test(code_use, passed_to_what_another_holds) {
    static const uint32_t code[] = {
        0xd63f0060, /* blr x3 */
        0xd4200000, /* brk #0 */
    };
    cr_assert_eq(USE(code, 0), TS_CODE_READS);
}

Test(code_use, passed_at_the_end) {
    static const uint32_t code[] = {
        0xd61f0200, /* br x16 */
    };
    cr_assert_eq(USE(code, 0), TS_CODE_READS);
}

Test(code_use, returned) {
    static const uint32_t code[] = {
        0xd65f03c0, /* ret */
    };
    cr_assert_eq(USE(code, 0), TS_CODE_READS);
}

Test(code_use, compared) {
    static const uint32_t code[] = {
        0xeb01027f, /* cmp x19, x1 */
        0x54000040, /* b.eq 1f */
        0xd63f0260, /* blr x19 */
        0xd2800013, /* 1: mov x19, #0 */
        0xd4200000, /* brk #0 */
    };
    cr_assert_eq(USE(code, 19), TS_CODE_CALLS | TS_CODE_READS);
}

Test(code_use, compared_with_zero) {
    static const uint32_t code[] = {
        0xb4000073, /* cbz x19, 1f */
        0x52800020, /* mov w0, #1 */
        0xd63f0260, /* blr x19 */
        0xf94003f3, /* 1: ldr x19, [sp] */
        0xd65f03c0, /* ret */
    };
    cr_assert_eq(USE(code, 19), TS_CODE_CALLS);
}

Test(code_use, copied_and_called) {
    static const uint32_t code[] = {
        0xaa0903f4, /* mov x20, x9 */
        0x52800020, /* mov w0, #1 */
        0x94000001, /* bl 1f */
        0xd63f0280, /* 1: blr x20 */
        0xa94053f3, /* ldp x19, x20, [sp] */
        0xd65f03c0, /* ret */
    };
    cr_assert_eq(USE(code, 9), TS_CODE_CALLS);
}

Test(code_use, copied_and_stored) {
    static const uint32_t code[] = {
        0xaa0903f4, /* mov x20, x9 */
        0x94000001, /* bl 1f */
        0xf9000274, /* 1: str x20, [x19] */
        0xa94053f3, /* ldp x19, x20, [sp] */
        0xd65f03c0, /* ret */
    };
    cr_assert_eq(USE(code, 9), TS_CODE_READS);
}

Test(code_use, called_in_a_loop) {
    static const uint32_t code[] = {
        0x2a1503e0, /* 1: mov w0, w21 */
        0xd63f0280, /* blr x20 */
        0x710006b5, /* subs w21, w21, #1 */
        0x54ffffa1, /* b.ne 1b */
        0xa94157f4, /* ldp x20, x21, [sp, #16] */
        0xa8c37bfd, /* ldp x29, x30, [sp], #48 */
        0xd65f03c0, /* ret */
    };
    cr_assert_eq(USE(code, 20), TS_CODE_CALLS);
}

Test(code_use, stored_behind_a_branch) {
    static const uint32_t code[] = {
        0x36000060, /* tbz w0, #0, 1f */
        0xd63f0280, /* blr x20 */
        0x14000002, /* b 2f */
        0xf9000014, /* 1: str x20, [x0] */
        0xf94003f4, /* 2: ldr x20, [sp] */
        0xd65f03c0, /* ret */
    };
    cr_assert_eq(USE(code, 20), TS_CODE_CALLS | TS_CODE_READS);
}

Test(code_use, overwritten) {
    static const uint32_t code[] = {
        0xd28000e9, /* mov x9, #7 */
        0xd4200000, /* brk #0 */
    };
    cr_assert_eq(USE(code, 9), 0);
}

Test(code_use, overwritten_by_a_load) {
    static const uint32_t code[] = {
        0xf8408429, /* ldr x9, [x1], #8 */
        0xd4200000, /* brk #0 */
    };
    cr_assert_eq(USE(code, 9), 0);
}

Test(code_use, kept_by_what_only_seems_to_write) {
    static const uint32_t code[] = {
        0xf9800060, /* prfm pldl1keep, [x3] */
        0xfa441069, /* ccmp x3, x4, #9, ne */
        0xd63f0120, /* blr x9 */
        0xd2800000, /* mov x0, #0 */
        0xd65f03c0, /* ret */
    };
    cr_assert_eq(USE(code, 9), TS_CODE_CALLS);
}

Test(code_use, kept_by_movk) {
    static const uint32_t code[] = {
        0xf2a00029, /* movk x9, #1, lsl #16 */
        0xd4200000, /* brk #0 */
    };
    cr_assert_eq(USE(code, 9), TS_CODE_READS);
}

Test(code_use, read_by_madd) {
    static const uint32_t code[] = {
        0x9b032441, /* madd x1, x2, x3, x9 */
        0xd4200000, /* brk #0 */
    };
    cr_assert_eq(USE(code, 9), TS_CODE_READS);
}

Test(code_use, read_by_atomics) {
    static const uint32_t code[] = {
        0xc85f7c29, /* ldxr x9, [x1] */
        0xd4200000, /* brk #0 */
    };
    cr_assert_eq(USE(code, 9), TS_CODE_READS);
}

Test(code_use, of_thread_pointer) {
    static const uint32_t code[] = {
        0xd53bd049, /* mrs x9, tpidr_el0 */
        0xd4200000, /* brk #0 */
    };
    cr_assert_eq(USE(code, 9), 0);
}

Test(code_use, read_by_conversions_and_copies) {
    static const uint32_t code[] = {
        0x1e2f1002, /* fmov s2, #1.5 */
        0x6f03f601, /* fmov v1.2d, #1.0 */
        0x6e080520, /* mov v0.d[0], v9.d[0] */
        0x5e180521, /* mov d1, v9.d[1] */
        0x9e620260, /* scvtf d0, x19 */
        0x9e670123, /* fmov d3, x9 */
        0xd4200000, /* brk #0 */
    };
    cr_assert_eq(USE(code, 9), TS_CODE_READS);
}

Test(code_use, kept_by_vectors) {
    static const uint32_t code[] = {
        0x1e2f1002, /* fmov s2, #1.5 */
        0x6f00e409, /* movi v9.2d, #0 */
        0x6e080520, /* mov v0.d[0], v9.d[0] */
        0x5e180521, /* mov d1, v9.d[1] */
        0x1e692929, /* fadd d9, d9, d9 */
        0x3dc00029, /* ldr q9, [x1] */
        0xad002429, /* stp q9, q9, [x1] */
        0xd63f0120, /* blr x9 */
    };
    cr_assert_eq(USE(code, 9), TS_CODE_CALLS);
}

Test(code_use, copied_into_a_vector) {
    static const uint32_t code[] = {
        0x4e080d21, /* dup v1.2d, x9 */
        0xd4200000, /* brk #0 */
    };
    cr_assert_eq(USE(code, 9), TS_CODE_READS);
}

Test(code_use, endless) {
    static const uint32_t code[] = {
        0x14000000, /* 1: b 1b */
    };
    cr_assert_eq(USE(code, 9), 0);
}

/* Behind the end it may be anything. */
Test(code_use, end_of_the_code) {
    static const uint32_t code[] = {0xd63f0260 /* blr x19 */, 0x14000100 /* b far away */};
    cr_assert_eq(USE(code, 19), TS_CODE_CALLS | TS_CODE_READS);
}

Test(code_use, any_words_are_looked_at_to_an_end) {
    static uint32_t code[2000];
    srandom(1);
    for (int round = 0; round < 200; round++) {
        for (unsigned i = 0; i < 2000; i++)
            code[i] = (uint32_t)random() << 16 ^ (uint32_t)random();
        for (unsigned i = 0; i < 2000; i += 10)
            cr_assert_leq(ts_code_use(code, code + 2000, code + i, i % 31), TS_CODE_CALLS | TS_CODE_READS);
    }
}

static uint64_t slot[600] __attribute__((aligned(4096)));
static uint32_t code[8] __attribute__((aligned(16)));
static unsigned calls[600], reads[600];

static void note(void *context, uint64_t address, int is_call) {
    cr_assert_eq(context, code);
    uint64_t index = (address - (uint64_t)slot) / 8;
    cr_assert_lt(index, 600);
    (is_call ? calls : reads)[index]++;
}

static uint32_t adrp(unsigned to, const uint32_t *at, const void *address) {
    uint64_t pages = ((uint64_t)address >> 12) - ((uint64_t)at >> 12);
    return 0x90000000 | to | (uint32_t)(pages & 3) << 29 | (uint32_t)(pages >> 2 & 0x7ffff) << 5;
}

static uint32_t ldr(unsigned to, unsigned base, const void *address) {
    return 0xf9400000 | to | base << 5 | (uint32_t)((uint64_t)address & 4095) / 8 << 10;
}

Test(relocation_uses, loads_of_slots_are_found) {
    code[0] = adrp(3, code, &slot[7]);
    code[1] = adrp(4, code + 1, &slot[520]);
    code[2] = ldr(19, 3, &slot[7]);
    code[3] = ldr(5, 4, &slot[520]);
    code[4] = 0xd63f0260; /* blr x19 */
    code[5] = 0xf9000265; /* str x5, [x19] */
    code[6] = 0xf94003f3; /* ldr x19, [sp] */
    code[7] = 0xd65f03c0; /* ret */
    ts_relocation_uses((uint64_t)code, (uint64_t)(code + 8), (uint64_t)&slot[7], (uint64_t)&slot[599], note, code);
    cr_assert_eq(calls[7], 1);
    cr_assert_eq(reads[7], 1, "it is a base, too");
    cr_assert_eq(calls[520], 0);
    cr_assert_eq(reads[520], 1);
    ts_relocation_uses((uint64_t)code, (uint64_t)(code + 8), (uint64_t)&slot[8], (uint64_t)&slot[519], note, code);
    cr_assert_eq(calls[7] + reads[7] + calls[520] + reads[520], 3, "slots that are not asked for");
}
