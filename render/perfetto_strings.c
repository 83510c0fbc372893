#include "render/perfetto_strings.h"

#include "render/memory.h"
#include "render/perfetto_fields.h"

#include <stdlib.h>
#include <string.h>

void ts_perfetto_strings_free(struct ts_perfetto_strings *strings) {
    for (size_t i = 0; i < strings->count; i++)
        free(strings->strings[i].text);
    free(strings->strings);
    ts_hash_index_free(&strings->index);
    *strings = (struct ts_perfetto_strings){.most = strings->most};
}

uint32_t ts_perfetto_strings_number(struct ts_perfetto_strings *strings, const char *text) {
    if (strings->count == 0)
        strings->seed = ts_hash_seed();
    size_t bytes = strlen(text);
    uint64_t hash = ts_hash_mix_bytes(strings->seed, text, bytes);
    size_t at = hash;
    for (uint32_t found; ts_hash_index_next(&strings->index, hash, &at, &found);)
        if (strings->strings[found].hash == hash && !strcmp(strings->strings[found].text, text))
            return found + 1;
    if (strings->most && strings->count == strings->most)
        return 0;
    strings->strings =
        ts_memory_grow(strings->strings, &strings->capacity, strings->count + 1, sizeof *strings->strings);
    strings->strings[strings->count] = (struct ts_perfetto_string){.text = ts_memory_copy(text, bytes), .hash = hash};
    ts_hash_index_add(&strings->index, hash, (uint32_t)strings->count);
    return (uint32_t)++strings->count;
}

void ts_perfetto_strings_define(struct ts_perfetto_strings *strings, uint32_t number, uint32_t state, uint32_t field,
                                struct ts_protobuf *interned) {
    struct ts_perfetto_string *string = &strings->strings[number - 1];
    if (string->state == state)
        return;
    string->state = state;
    size_t begin = ts_protobuf_begin(interned, field);
    ts_protobuf_number(interned, TS_INTERNED_IID, number);
    ts_protobuf_text(interned, TS_INTERNED_NAME, string->text);
    ts_protobuf_end(interned, begin);
}
