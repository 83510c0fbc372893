/* JSON in memory, as text that grows: for what is written later, or again and again. All zero is an empty text. */
#ifndef TRACESHIM_RENDER_JSON_TEXT_H
#define TRACESHIM_RENDER_JSON_TEXT_H

#include "render/memory.h"

#include <stdint.h>
#include <string.h>

struct ts_json_text {
    char *text; /* not ended by a NUL */
    size_t used;
    size_t capacity;
};

/* A place for `bytes` bytes at its end; the caller adds what it fills to `used`. */
static inline char *ts_json_text_room(struct ts_json_text *json, size_t bytes) {
    if (__builtin_expect(json->capacity - json->used < bytes, 0))
        json->text = ts_memory_grow(json->text, &json->capacity, json->used + bytes, 1);
    return json->text + json->used;
}

static inline void ts_json_text_bytes(struct ts_json_text *json, const char *bytes, size_t count) {
    if (count)
        memcpy(ts_json_text_room(json, count), bytes, count);
    json->used += count;
}

static inline void ts_json_text_put(struct ts_json_text *json, const char *text) {
    ts_json_text_bytes(json, text, strlen(text));
}

/* A string with its quotes, whatever its bytes are (render/json_stream.h). */
void ts_json_text_string(struct ts_json_text *json, const char *text);
void ts_json_text_unsigned(struct ts_json_text *json, uint64_t number);

void ts_json_text_free(struct ts_json_text *json);

#endif
