/* Attributes of a span: a key and a typed value, and how they look in the tree. */
#ifndef TRACESHIM_RENDER_ATTRIBUTE_H
#define TRACESHIM_RENDER_ATTRIBUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum ts_value_kind {
    TS_VALUE_INTEGER = 1,
    TS_VALUE_REAL,
    TS_VALUE_BOOLEAN,
    TS_VALUE_STRING,
    TS_VALUE_LIST,
    TS_VALUE_DURATION, /* nanoseconds; in the tree as a duration without quotes */
    TS_VALUE_UNSIGNED,
    TS_VALUE_WORD, /* `string`, without quotes: O_RDONLY|O_CLOEXEC, 0644, 0x7f00 */
    TS_VALUE_NONE, /* a null pointer, or no limit */
};

struct ts_value {
    enum ts_value_kind kind;
    union {
        int64_t integer;
        uint64_t number; /* UNSIGNED */
        double real;
        bool boolean;
        const char *string;
        struct {
            const struct ts_value *items; /* no lists among them */
            size_t count;
        } list;
        uint64_t duration_ns;
    };
};

/* Strings and lists belong to whoever made the attribute and outlive the span's output. */
struct ts_attribute {
    const char *key;
    struct ts_value value;
};

static inline struct ts_value ts_value_string(const char *string) {
    return (struct ts_value){.kind = TS_VALUE_STRING, .string = string};
}

static inline struct ts_value ts_value_word(const char *string) {
    return (struct ts_value){.kind = TS_VALUE_WORD, .string = string};
}

/* `key=value`: 42, 1.5, True, None, 'text', SIGTERM, ['a', 'b'], 1.20 ms. Text is made safe (text_escape.h). */
void ts_attribute_write_text(const struct ts_attribute *attribute, FILE *out);

#endif
