#include "render/json_text.h"

#include "render/json_stream.h"

#include <stdlib.h>

void ts_json_text_string(struct ts_json_text *json, const char *text) {
    size_t bytes = strlen(text);
    char *begin = ts_json_text_room(json, TS_JSON_ESCAPED_BYTES(bytes) + 2);
    char *end = begin;
    *end++ = '"';
    end = ts_json_escape(end, text, bytes);
    *end++ = '"';
    json->used += (size_t)(end - begin);
}

void ts_json_text_unsigned(struct ts_json_text *json, uint64_t number) {
    char *begin = ts_json_text_room(json, TS_JSON_UNSIGNED_BYTES);
    json->used += (size_t)(ts_json_unsigned(begin, number) - begin);
}

void ts_json_text_free(struct ts_json_text *json) {
    free(json->text);
    *json = (struct ts_json_text){.text = NULL};
}
