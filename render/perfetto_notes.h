/*
 * Debug annotations of Perfetto events while their calls are open: a stack, those of the innermost call last, as its
 * calls have ended when it ends. Names, and the texts that come again and again, are interned.
 */
#ifndef TRACESHIM_RENDER_PERFETTO_NOTES_H
#define TRACESHIM_RENDER_PERFETTO_NOTES_H

#include "render/attribute.h"
#include "render/failure.h"
#include "render/perfetto_strings.h"

/* Texts of values that are interned, at most so many and so long: there may be one for each call. */
#define TS_PERFETTO_VALUES_MOST 4096
#define TS_PERFETTO_VALUE_BYTES 64

struct ts_perfetto_texts {
    struct ts_perfetto_strings names;
    struct ts_perfetto_strings values;
};

struct ts_perfetto_note {
    uint64_t depth; /* of its call */
    uint32_t name;  /* number */
    uint32_t text;  /* number of the value; 0: it is in `values` from `begin` to where the next one's begins */
    size_t begin;
};

/* All zero is an empty stack. */
struct ts_perfetto_notes {
    struct ts_perfetto_note *notes;
    size_t count;
    size_t capacity;
    struct ts_protobuf values; /* fields of DebugAnnotation messages */
};

void ts_perfetto_notes_free(struct ts_perfetto_notes *notes);

/* The innermost call has `depth` open calls, itself included. */
void ts_perfetto_notes_add(struct ts_perfetto_notes *notes, struct ts_perfetto_texts *texts, uint64_t depth,
                           const struct ts_attribute *attribute);
/* error, errno, error.message and otel.status_code. */
void ts_perfetto_notes_add_failure(struct ts_perfetto_notes *notes, struct ts_perfetto_texts *texts, uint64_t depth,
                                   const struct ts_failure *failure);

static inline int ts_perfetto_notes_has(const struct ts_perfetto_notes *notes, uint64_t depth) {
    return notes->count && notes->notes[notes->count - 1].depth == depth;
}

/*
 * Takes the notes of this depth off the stack: adds them to `event`, a TrackEvent, and to `interned`, an InternedData,
 * what of them is new in this state.
 */
void ts_perfetto_notes_take(struct ts_perfetto_notes *notes, struct ts_perfetto_texts *texts, uint64_t depth,
                            uint32_t state, struct ts_protobuf *event, struct ts_protobuf *interned);

#endif
