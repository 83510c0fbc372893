/*
 * Text in a caller's buffer, without stdio: cut at its end, always NUL-terminated. For messages and paths at start and
 * end of the program; async-signal-safe.
 */
#ifndef TRACESHIM_COLLECTOR_TEXT_H
#define TRACESHIM_COLLECTOR_TEXT_H

#include <stddef.h>
#include <stdint.h>

struct ts_text {
    char *start;
    size_t used; /* without the NUL */
    size_t size; /* of the buffer */
    int cut;     /* something did not fit */
};

#define TS_TEXT_IN(array)                                                                                              \
    { (array), 0, sizeof(array), 0 }

static inline void ts_text_add_bytes(struct ts_text *text, const char *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (text->used + 1 >= text->size) {
            text->cut = 1;
            break;
        }
        text->start[text->used++] = bytes[i];
    }
    text->start[text->used] = 0;
}

static inline size_t ts_text_length(const char *string) {
    size_t length = 0;
    while (string[length])
        length++;
    return length;
}

static inline void ts_text_add(struct ts_text *text, const char *string) {
    ts_text_add_bytes(text, string, ts_text_length(string));
}

static inline void ts_text_add_number(struct ts_text *text, uint64_t number) {
    char digits[20];
    size_t at = sizeof digits;
    do
        digits[--at] = (char)('0' + number % 10);
    while (number /= 10);
    ts_text_add_bytes(text, digits + at, sizeof digits - at);
}

static inline int ts_text_equal(const char *a, const char *b) {
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

static inline int ts_text_begins(const char *string, const char *prefix) {
    while (*prefix && *string == *prefix)
        string++, prefix++;
    return !*prefix;
}

#endif
