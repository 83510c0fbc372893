/*
 * Texts that a sequence of packets names by number ("interned"): each is written once in a sequence's state, before its
 * first use. Numbers stay the same from one state to the next.
 */
#ifndef TRACESHIM_RENDER_PERFETTO_STRINGS_H
#define TRACESHIM_RENDER_PERFETTO_STRINGS_H

#include "render/hash_index.h"
#include "render/protobuf.h"

struct ts_perfetto_string {
    char *text;
    uint64_t hash;
    uint32_t state; /* in which it was written last */
};

/* All zero but `most` is an empty table. */
struct ts_perfetto_strings {
    struct ts_perfetto_string *strings; /* by number - 1 */
    size_t count;
    size_t capacity;
    size_t most; /* to keep; 0: no limit */
    struct ts_hash_index index;
    uint64_t seed;
};

void ts_perfetto_strings_free(struct ts_perfetto_strings *strings);

/* The text's number; 0: the table is full. */
uint32_t ts_perfetto_strings_number(struct ts_perfetto_strings *strings, const char *text);

/* Adds the text to an InternedData message, as its `field`, unless it was written in this state. */
void ts_perfetto_strings_define(struct ts_perfetto_strings *strings, uint32_t number, uint32_t state, uint32_t field,
                                struct ts_protobuf *interned);

#endif
