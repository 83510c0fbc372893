/* Call frame instructions, byte by byte as DWARF 5 section 6.4.2 numbers them. Real compilers' are in frame_test.c. */
#include "preload/cfa_program.h"

#include <criterion/criterion.h>
#include <string.h>

#define CODE UINT64_C(0x1000)

static int run(const char *bytes, size_t count, uint64_t at, struct ts_cfa_rule *rule) {
    struct ts_cfa_program program = {.address = CODE + at,
                                     .location = CODE,
                                     .code_factor = 1,
                                     .data_factor = -8,
                                     .return_register = 30,
                                     .return_offset_at_entry = -48,
                                     .rule = {.base = TS_CFA_NO_REGISTER}};
    const uint8_t *start = (const uint8_t *)bytes;
    int result = ts_cfa_program_run(&program, (struct ts_byte_reader){start, start + count, 0});
    *rule = program.rule;
    return result;
}

#define RUN(bytes, at, rule) run(bytes, sizeof(bytes) - 1, at, rule)

#define EXPECT(bytes, at, its_base, its_offset, its_indirect)                                                          \
    do {                                                                                                               \
        struct ts_cfa_rule found;                                                                                      \
        cr_assert_eq(RUN(bytes, at, &found), 0);                                                                       \
        cr_assert_eq(found.base, (uint32_t)(its_base), "register %u", found.base);                                     \
        cr_assert_eq(found.offset, (int64_t)(its_offset), "offset %ld", (long)found.offset);                           \
        cr_assert_eq(found.indirect, its_indirect);                                                                    \
    } while (0)

#define EXPECT_REFUSED(bytes)                                                                                          \
    do {                                                                                                               \
        struct ts_cfa_rule found;                                                                                      \
        cr_assert_eq(RUN(bytes, 100, &found), -1);                                                                     \
    } while (0)

/* CFA = rsp + 8; return address saved; push rbp: rsp + 16; mov rsp, rbp: rbp + 16; leave: rsp + 8 */
#define WITH_POINTER "\x0c\x07\x08\x90\x01\x41\x0e\x10\x86\x02\x43\x0d\x06\x02\x50\xc6\x0c\x07\x08"

Test(cfa_program, rule_is_that_of_the_instruction_asked_for) {
    EXPECT(WITH_POINTER, 0, 7, 8, 0);
    EXPECT(WITH_POINTER, 1, 7, 16, 0);
    EXPECT(WITH_POINTER, 3, 7, 16, 0);
    EXPECT(WITH_POINTER, 4, 6, 16, 0);
    EXPECT(WITH_POINTER, 4 + 0x4f, 6, 16, 0);
    EXPECT(WITH_POINTER, 4 + 0x50, 7, 8, 0);
    EXPECT(WITH_POINTER, 100000, 7, 8, 0);
}

Test(cfa_program, locations_advance_by_one_two_and_four_bytes) {
    EXPECT("\x0c\x07\x08\x02\xff\x0e\x10", 254, 7, 8, 0);
    EXPECT("\x0c\x07\x08\x02\xff\x0e\x10", 255, 7, 16, 0);
    EXPECT("\x0c\x07\x08\x03\x00\x01\x0e\x10", 255, 7, 8, 0);
    EXPECT("\x0c\x07\x08\x03\x00\x01\x0e\x10", 256, 7, 16, 0);
    EXPECT("\x0c\x07\x08\x04\x00\x00\x01\x00\x0e\x10", 65535, 7, 8, 0);
    EXPECT("\x0c\x07\x08\x04\x00\x00\x01\x00\x0e\x10", 65536, 7, 16, 0);
}

Test(cfa_program, large_and_factored_offsets) {
    EXPECT("\x0c\x07\xf0\x80\x40", 0, 7, 0x100070, 0);
    EXPECT("\x12\x07\x7e", 0, 7, 16, 0);         /* -2 * -8 */
    EXPECT("\x0c\x07\x08\x13\x7d", 0, 7, 24, 0); /* -3 * -8 */
}

Test(cfa_program, remembered_rules_come_back_in_reverse) {
    EXPECT("\x0c\x07\x10\x0a\x0e\x20\x0a\x0e\x30\x0b", 0, 7, 32, 0);
    EXPECT("\x0c\x07\x10\x0a\x0e\x20\x0a\x0e\x30\x0b\x0b", 0, 7, 16, 0);
}

Test(cfa_program, expression_of_a_saved_cfa) {
    EXPECT("\x0f\x03\x76\x78\x06", 0, 6, -8, 1); /* *(rbp - 8) */
    EXPECT("\x0c\x0a\x00\x0f\x04\x76\x80\x7f\x06", 0, 6, -128, 1);
    EXPECT("\x0f\x03\x76\x78\x06\x0c\x07\x08", 0, 7, 8, 0);
}

Test(cfa_program, other_expressions_are_no_rule) {
    struct ts_cfa_rule rule;
    cr_assert_eq(RUN("\x0c\x07\x08\x0f\x02\x76\x78", 0, &rule), 0); /* rbp - 8, as a value */
    cr_assert_eq(rule.base, TS_CFA_NO_REGISTER);
    cr_assert_eq(RUN("\x0c\x07\x08\x0f\x05\x76\x78\x06\x23\x08", 0, &rule), 0); /* *(rbp - 8) + 8 */
    cr_assert_eq(rule.base, TS_CFA_NO_REGISTER);
    cr_assert_eq(RUN("\x0c\x07\x08\x0f\x00", 0, &rule), 0);
    cr_assert_eq(rule.base, TS_CFA_NO_REGISTER);
}

#define EXPECT_RETURN(bytes, its_offset)                                                                               \
    do {                                                                                                               \
        struct ts_cfa_rule found;                                                                                      \
        cr_assert_eq(RUN("\x0c\x1f\x10" bytes, 0, &found), 0);                                                         \
        cr_assert_eq(found.return_offset, (int64_t)(its_offset), "offset %ld", (long)found.return_offset);             \
        cr_assert(found.base == 31 && found.offset == 16);                                                             \
    } while (0)

/* Register 30, as aarch64 has it; others leave it alone. */
Test(cfa_program, where_the_return_address_was_saved) {
    EXPECT_RETURN("", 0);
    EXPECT_RETURN("\x9d\x02\x9e\x01\x93\x03", -8);
    EXPECT_RETURN("\x05\x1e\x81\x01", -8 * 129);
    EXPECT_RETURN("\x11\x1e\x7e", 16); /* -2 * -8 */
    EXPECT_RETURN("\x2f\x1e\x02", 16);
    EXPECT_RETURN("\x9e\x01\x0a\x9e\x02\x0b", -8);
    EXPECT_RETURN("\x9e\x01\xde", -48); /* restored: as at the function's entry */
    EXPECT_RETURN("\x9e\x01\x06\x1e", -48);
    EXPECT_RETURN("\x9e\x01\xdd\x06\x1d", -8);
    EXPECT_RETURN("\x9e\x01\x08\x1e", 0);
    EXPECT_RETURN("\x9e\x01\x09\x1e\x03", 0);
    EXPECT_RETURN("\x9e\x01\x10\x1e\x02\x76\x00", 0);
    EXPECT_RETURN("\x9e\x01\x0d\x1d\x0d\x1f", -8);
}

Test(cfa_program, where_registers_were_saved_is_passed_over) {
    /* every instruction about a register, with operands of two bytes, then CFA offset 16 */
    EXPECT(
        "\x0c\x07\x08\x85\x81\x01\xc5\x05\x81\x01\x82\x01\x06\x81\x01\x07\x81\x01\x08\x81\x01\x09\x81\x01\x82\x01"
        "\x10\x81\x01\x02\x76\x00\x11\x81\x01\x82\x01\x14\x81\x01\x82\x01\x15\x81\x01\x82\x01\x16\x81\x01\x02\x76\x00"
        "\x2e\x81\x01\x2f\x81\x01\x82\x01\x2c\x2d\x00\x0e\x10",
        0, 7, 16, 0);
}

Test(cfa_program, bytes_that_are_no_instructions_are_refused) {
    EXPECT_REFUSED("\x0c\x07\x08\x3f");                 /* unknown */
    EXPECT_REFUSED("\x0c\x07\x08\x01\x00\x00\x00\x00"); /* set location: not written on x86-64 */
    EXPECT_REFUSED("\x0c\x07");                         /* cut */
    EXPECT_REFUSED("\x0c\x07\x80");                     /* cut in a number */
    EXPECT_REFUSED("\x0c\x07\x08\x04\x00\x00");         /* cut in a distance */
    EXPECT_REFUSED("\x0f\x05\x76\x78\x06");             /* an expression longer than what is left */
    EXPECT_REFUSED("\x16\x05\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
    EXPECT_REFUSED("\x0b");                                 /* nothing was remembered */
    EXPECT_REFUSED("\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a"); /* more than can be remembered */
    EXPECT_REFUSED("\x0f\x03\x76\x78\x06\x0e\x10");         /* an offset for an expression */
}

Test(cfa_program, numbers_without_an_end_end_with_the_bytes) {
    char bytes[256] = "\x0c";
    struct ts_cfa_rule rule;
    memset(bytes + 1, 0xff, sizeof bytes - 1);
    cr_assert_eq(run(bytes, sizeof bytes, 0, &rule), -1);
}
