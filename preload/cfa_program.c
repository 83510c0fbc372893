#include "preload/cfa_program.h"

/* An instruction's two upper bits tell those that have an operand in the lower six. */
enum {
    ADVANCE = 0x40,
    OFFSET = 0x80,
    RESTORE = 0xc0,
    OPERAND = 0x3f,

    NOP = 0x00,
    ADVANCE1 = 0x02,
    ADVANCE2 = 0x03,
    ADVANCE4 = 0x04,
    OFFSET_EXTENDED = 0x05,
    RESTORE_EXTENDED = 0x06,
    UNDEFINED = 0x07,
    SAME_VALUE = 0x08,
    REGISTER = 0x09,
    REMEMBER_STATE = 0x0a,
    RESTORE_STATE = 0x0b,
    CFA = 0x0c,
    CFA_REGISTER = 0x0d,
    CFA_OFFSET = 0x0e,
    CFA_EXPRESSION = 0x0f,
    EXPRESSION = 0x10,
    OFFSET_EXTENDED_SIGNED = 0x11,
    CFA_SIGNED = 0x12,
    CFA_OFFSET_SIGNED = 0x13,
    VALUE_OFFSET = 0x14,
    VALUE_OFFSET_SIGNED = 0x15,
    VALUE_EXPRESSION = 0x16,
    AARCH64_NEGATE_RETURN_STATE_WITH_PC = 0x2c,
    AARCH64_NEGATE_RETURN_STATE = 0x2d, /* the return address is signed from here on, or no longer */
    GNU_ARGUMENTS_SIZE = 0x2e,
    GNU_NEGATIVE_OFFSET_EXTENDED = 0x2f,
};

/* Of DWARF's expressions: register + signed offset, and the word at that address. */
enum { BASE_REGISTER_0 = 0x70, BASE_REGISTER_31 = 0x8f, DEREFERENCE = 0x06 };

static uint32_t read_register(struct ts_byte_reader *reader) {
    uint64_t number = ts_byte_reader_unsigned(reader);
    return number < TS_CFA_NO_REGISTER ? (uint32_t)number : TS_CFA_NO_REGISTER;
}

static void set(struct ts_cfa_rule *rule, uint32_t base, int indirect, int64_t offset) {
    rule->base = base;
    rule->indirect = indirect;
    rule->offset = offset;
}

/* gcc writes one form of expression for the CFA: where a realigned stack's frame saved it. */
static void read_expression(struct ts_cfa_rule *rule, struct ts_byte_reader expression) {
    uint64_t operation = ts_byte_reader_number(&expression, 1);
    int64_t offset = ts_byte_reader_signed(&expression);
    int known = operation >= BASE_REGISTER_0 && operation <= BASE_REGISTER_31 &&
                ts_byte_reader_number(&expression, 1) == DEREFERENCE && expression.at == expression.end;
    if (known && !expression.failed)
        set(rule, (uint32_t)(operation - BASE_REGISTER_0), 1, offset);
    else
        set(rule, TS_CFA_NO_REGISTER, 0, 0);
}

/* An offset in units of the data factor. */
static int64_t factored(const struct ts_cfa_program *program, uint64_t number) {
    return (int64_t)(number * (uint64_t)program->data_factor);
}

/* What changes the CFA. 0, or -1: not such an instruction. */
static int run_cfa(struct ts_cfa_program *program, uint64_t operation, struct ts_byte_reader *reader) {
    struct ts_cfa_rule *rule = &program->rule;
    switch (operation) {
    case CFA: {
        uint32_t base = read_register(reader);
        set(rule, base, 0, (int64_t)ts_byte_reader_unsigned(reader));
        return 0;
    }
    case CFA_SIGNED: {
        uint32_t base = read_register(reader);
        set(rule, base, 0, factored(program, (uint64_t)ts_byte_reader_signed(reader)));
        return 0;
    }
    case CFA_REGISTER:
        rule->base = read_register(reader);
        return rule->indirect ? -1 : 0;
    case CFA_OFFSET:
        rule->offset = (int64_t)ts_byte_reader_unsigned(reader);
        return rule->indirect ? -1 : 0;
    case CFA_OFFSET_SIGNED:
        rule->offset = factored(program, (uint64_t)ts_byte_reader_signed(reader));
        return rule->indirect ? -1 : 0;
    case CFA_EXPRESSION:
        read_expression(rule, ts_byte_reader_part(reader, ts_byte_reader_unsigned(reader)));
        return 0;
    case REMEMBER_STATE:
        if (program->remembered_count == TS_CFA_REMEMBERED)
            return -1;
        program->remembered[program->remembered_count++] = *rule;
        return 0;
    case RESTORE_STATE:
        if (program->remembered_count == 0)
            return -1;
        *rule = program->remembered[--program->remembered_count];
        return 0;
    default:
        return -1;
    }
}

static void save(struct ts_cfa_program *program, uint64_t number, int64_t offset) {
    if (number == program->return_register) {
        program->rule.return_offset = offset;
        program->rule.is_first = 0;
    }
    if (number == program->pointer_register) {
        program->rule.pointer_offset = offset;
        program->rule.pointer_by_pointer = program->rule.pointer_is_lost = 0;
    }
}

/* In a form that is not followed, but for that of frames whose stack gcc has realigned: at a distance from itself. */
static void save_otherwise(struct ts_cfa_program *program, uint64_t number, struct ts_byte_reader expression) {
    save(program, number, 0);
    if (number != program->pointer_register)
        return;
    uint64_t operation = ts_byte_reader_number(&expression, 1);
    int64_t offset = ts_byte_reader_signed(&expression);
    int known = !expression.failed && expression.at == expression.end;
    program->rule.pointer_offset = offset;
    program->rule.pointer_by_pointer = known && operation == BASE_REGISTER_0 + program->pointer_register;
    program->rule.pointer_is_lost = !program->rule.pointer_by_pointer;
}

/* To what the common part says. */
static void restore(struct ts_cfa_program *program, uint64_t number) {
    save(program, number, number == program->return_register ? program->return_offset_at_entry : 0);
}

/* Where a register was saved. 0, or -1: not such an instruction. */
static int run_register(struct ts_cfa_program *program, uint64_t operation, struct ts_byte_reader *reader) {
    switch (operation) {
    case NOP:
    case AARCH64_NEGATE_RETURN_STATE:
    case AARCH64_NEGATE_RETURN_STATE_WITH_PC:
        return 0;
    case GNU_ARGUMENTS_SIZE:
        ts_byte_reader_unsigned(reader);
        return 0;
    case RESTORE_EXTENDED:
        restore(program, ts_byte_reader_unsigned(reader));
        return 0;
    case UNDEFINED:
    case SAME_VALUE: {
        uint64_t number = ts_byte_reader_unsigned(reader);
        save(program, number, 0);
        program->rule.is_first |= operation == UNDEFINED && number == program->return_register;
        return 0;
    }
    default:
        break;
    }
    uint64_t number = ts_byte_reader_unsigned(reader);
    switch (operation) {
    case OFFSET_EXTENDED:
        save(program, number, factored(program, ts_byte_reader_unsigned(reader)));
        return 0;
    case OFFSET_EXTENDED_SIGNED:
        save(program, number, factored(program, (uint64_t)ts_byte_reader_signed(reader)));
        return 0;
    case GNU_NEGATIVE_OFFSET_EXTENDED:
        save(program, number, factored(program, 0 - ts_byte_reader_unsigned(reader)));
        return 0;
    case REGISTER:
    case VALUE_OFFSET:
    case VALUE_OFFSET_SIGNED:
        ts_byte_reader_unsigned(reader);
        save_otherwise(program, number, (struct ts_byte_reader){0});
        return 0;
    case EXPRESSION:
        save_otherwise(program, number, ts_byte_reader_part(reader, ts_byte_reader_unsigned(reader)));
        return 0;
    case VALUE_EXPRESSION:
        ts_byte_reader_part(reader, ts_byte_reader_unsigned(reader));
        save_otherwise(program, number, (struct ts_byte_reader){0});
        return 0;
    default:
        return -1;
    }
}

/* By how many units of code the location goes on. */
static uint64_t read_advance(uint64_t operation, struct ts_byte_reader *reader) {
    switch (operation) {
    case ADVANCE1:
        return ts_byte_reader_number(reader, 1);
    case ADVANCE2:
        return ts_byte_reader_number(reader, 2);
    case ADVANCE4:
        return ts_byte_reader_number(reader, 4);
    default:
        return operation & OPERAND;
    }
}

int ts_cfa_program_run(struct ts_cfa_program *program, struct ts_byte_reader instructions) {
    struct ts_byte_reader *reader = &instructions;
    while (reader->at < reader->end) {
        uint64_t operation = ts_byte_reader_number(reader, 1), upper = operation & ~(uint64_t)OPERAND;
        if (upper == ADVANCE || (operation >= ADVANCE1 && operation <= ADVANCE4)) {
            program->location += read_advance(operation, reader) * program->code_factor;
            if (program->location > program->address)
                break;
        } else if (upper == OFFSET) {
            save(program, operation & OPERAND, factored(program, ts_byte_reader_unsigned(reader)));
        } else if (upper == RESTORE) {
            restore(program, operation & OPERAND);
        } else if (run_cfa(program, operation, reader) && run_register(program, operation, reader)) {
            return -1;
        }
    }
    return reader->failed ? -1 : 0;
}
