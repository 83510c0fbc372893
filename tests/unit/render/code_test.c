/* Lengths and ways of instructions. Cannot find: encodings that no line here has. */
#include "render/code.h"

#include <criterion/criterion.h>
#include <elf.h>

#define AT UINT64_C(0x401000)

static void check(const char *bytes, size_t length, enum ts_code_kind kind, uint64_t target) {
    uint8_t code[32] = {0};
    struct ts_code_instruction instruction;
    for (size_t i = 0; i < length; i++)
        code[i] = (uint8_t)bytes[i];
    cr_assert_eq(ts_code_decode_x86_64(code, sizeof code, AT, &instruction), 0, "%02x %02x", code[0], code[1]);
    cr_assert_eq(instruction.bytes, length, "%02x %02x %02x: %u bytes", code[0], code[1], code[2], instruction.bytes);
    cr_assert_eq(instruction.kind, kind, "%02x %02x: kind %d", code[0], code[1], instruction.kind);
    cr_assert_eq(instruction.target, target);
    for (size_t cut = 0; cut < length; cut++)
        cr_assert_eq(ts_code_decode_x86_64(code, cut, AT, &instruction), -1, "%02x cut to %zu", code[0], cut);
}
#define CHECK(bytes, kind, target) check(bytes, sizeof(bytes) - 1, kind, target)

Test(code, x86_64_goes_on) {
    CHECK("\x55", TS_CODE_OTHER, 0);                                     /* push %rbp */
    CHECK("\x48\x83\xec\x28", TS_CODE_OTHER, 0);                         /* sub $0x28,%rsp */
    CHECK("\xc7\x45\xec\x01\x00\x00\x00", TS_CODE_OTHER, 0);             /* movl $1,-0x14(%rbp) */
    CHECK("\x66\xc7\x45\xec\x01\x00", TS_CODE_OTHER, 0);                 /* movw */
    CHECK("\x48\xb8\x20\x20\x74\x68\x65\x20\x71\x75", TS_CODE_OTHER, 0); /* movabs */
    CHECK("\x8b\x04\x02", TS_CODE_OTHER, 0);                             /* mov (%rdx,%rax,1),%eax */
    CHECK("\x8b\x04\x85\x10\x00\x00\x00", TS_CODE_OTHER, 0);             /* mov 0x10(,%rax,4),%eax */
    CHECK("\xf7\x45\xfc\x01\x00\x00\x00", TS_CODE_OTHER, 0);             /* testl $1,-4(%rbp) */
    CHECK("\xf7\xd8", TS_CODE_OTHER, 0);                                 /* neg %eax */
    CHECK("\xf3\x0f\x1e\xfa", TS_CODE_OTHER, 0);                         /* endbr64 */
    CHECK("\x66\x0f\x3a\x0f\xc1\x08", TS_CODE_OTHER, 0);                 /* palignr $8,%xmm1,%xmm0 */
    CHECK("\xc5\xf8\x77", TS_CODE_OTHER, 0);                             /* vzeroupper */
    CHECK("\xc4\xe3\x7d\x39\xc1\x01", TS_CODE_OTHER, 0);                 /* vextracti128 $1,%ymm0,%xmm1 */
    CHECK("\x62\xf1\xfe\x48\x6f\x41\x01", TS_CODE_OTHER, 0);             /* vmovdqu64 0x40(%rcx),%zmm0 */
    CHECK("\x66\x2e\x0f\x1f\x84\x00\x00\x00\x00\x00", TS_CODE_OTHER, 0); /* nopw %cs:0(%rax,%rax,1) */
}

Test(code, x86_64_goes_elsewhere) {
    CHECK("\xe8\x10\x00\x00\x00", TS_CODE_CALL, AT + 5 + 0x10);
    CHECK("\xff\x15\x10\x00\x00\x00", TS_CODE_CALL, (AT + 6 + 0x10) | TS_CODE_SLOT);
    CHECK("\xff\xd3", TS_CODE_CALL, 0);
    CHECK("\x7e\xfe", TS_CODE_CONDITIONAL, AT);
    CHECK("\x0f\x84\xfa\xff\xff\xff", TS_CODE_CONDITIONAL, AT);
    CHECK("\xeb\x02", TS_CODE_JUMP, AT + 4);
    CHECK("\xe9\xfb\xff\xff\xff", TS_CODE_JUMP, AT);
    CHECK("\xff\xe0", TS_CODE_INDIRECT, 0);
    CHECK("\x3e\xff\xe0", TS_CODE_INDIRECT, 0); /* notrack */
    CHECK("\xc3", TS_CODE_END, 0);
    CHECK("\xc2\x08\x00", TS_CODE_END, 0);
    CHECK("\x0f\x0b", TS_CODE_END, 0);
    CHECK("\xf4", TS_CODE_END, 0);
}

Test(code, x86_64_what_is_none) {
    uint8_t prefixes[32], bad[] = {0x06};
    struct ts_code_instruction instruction;
    for (size_t i = 0; i < sizeof prefixes; i++)
        prefixes[i] = 0x66;
    cr_assert_eq(ts_code_decode_x86_64(prefixes, sizeof prefixes, AT, &instruction), -1);
    cr_assert_eq(ts_code_decode_x86_64(bad, sizeof bad, AT, &instruction), -1);
}

static void check_aarch64(uint32_t word, enum ts_code_kind kind, uint64_t target) {
    uint8_t code[4] = {(uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16), (uint8_t)(word >> 24)};
    struct ts_code_instruction instruction;
    cr_assert_eq(ts_code_decode_aarch64(code, sizeof code, AT, &instruction), 0);
    cr_assert_eq(instruction.bytes, 4);
    cr_assert_eq(instruction.kind, kind, "%08x: kind %d", word, instruction.kind);
    cr_assert_eq(instruction.target, target, "%08x: target %llx", word, (unsigned long long)instruction.target);
    cr_assert_eq(ts_code_decode_aarch64(code, 3, AT, &instruction), -1);
}

Test(code, aarch64) {
    check_aarch64(0xd503201f, TS_CODE_OTHER, 0);            /* nop */
    check_aarch64(0xa9be7bfd, TS_CODE_OTHER, 0);            /* stp x29, x30, [sp, #-32]! */
    check_aarch64(0x94000004, TS_CODE_CALL, AT + 16);       /* bl */
    check_aarch64(0x97ffffff, TS_CODE_CALL, AT - 4);        /* bl backwards */
    check_aarch64(0x14000002, TS_CODE_JUMP, AT + 8);        /* b */
    check_aarch64(0x5400004d, TS_CODE_CONDITIONAL, AT + 8); /* b.le */
    check_aarch64(0xb4ffffe0, TS_CODE_CONDITIONAL, AT - 4); /* cbz x0 */
    check_aarch64(0x37000040, TS_CODE_CONDITIONAL, AT + 8); /* tbnz w0, #0 */
    check_aarch64(0xd63f0020, TS_CODE_CALL, 0);             /* blr x1 */
    check_aarch64(0xd61f0020, TS_CODE_INDIRECT, 0);         /* br x1 */
    check_aarch64(0xd65f03c0, TS_CODE_END, 0);              /* ret */
    check_aarch64(0xd4200020, TS_CODE_END, 0);              /* brk #1 */
}

Test(code, decoders_by_machine) {
    cr_assert_eq(ts_code_decoder(EM_X86_64), ts_code_decode_x86_64);
    cr_assert_eq(ts_code_decoder(EM_AARCH64), ts_code_decode_aarch64);
    cr_assert_null(ts_code_decoder(EM_RISCV));
}
