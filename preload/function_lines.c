#include "preload/function_lines.h"

#define DIGITS 16

static int digit_of(char character) {
    return character >= '0' && character <= '9'   ? character - '0'
           : character >= 'a' && character <= 'f' ? character - 'a' + 10
                                                  : -1;
}

static int add(struct ts_function_lines *lines) {
    if (lines->count == lines->capacity || lines->address >> 63 ||
        (lines->count && lines->address <= lines->functions[lines->count - 1] >> 1))
        return -1;
    lines->functions[lines->count++] = lines->address << 1 | (uint64_t)lines->wanted;
    return 0;
}

/* -1 where the character has no place there. */
static int read_one(struct ts_function_lines *lines, char character) {
    unsigned column = lines->column++;
    if (column == 0) {
        lines->wanted = character == '+';
        lines->address = 0;
        return character == '+' || character == '-' ? 0 : -1;
    }
    if (column <= DIGITS) {
        int digit = digit_of(character);
        lines->address = lines->address << 4 | (uint64_t)digit;
        return digit < 0 ? -1 : 0;
    }
    if (column == DIGITS + 1)
        return character == ' ' ? add(lines) : -1;
    if (character == '\n')
        lines->column = 0;
    else
        lines->column--; /* names may be of any length */
    return 0;
}

void ts_function_lines_read(struct ts_function_lines *lines, const char *bytes, size_t count) {
    for (size_t i = 0; i < count && !lines->is_wrong; i++)
        lines->is_wrong = read_one(lines, bytes[i]) != 0;
}

int ts_function_lines_end(const struct ts_function_lines *lines) {
    return lines->is_wrong || lines->column ? -1 : 0;
}
