#include "render/perfetto_notes.h"

#include "render/duration_text.h"
#include "render/memory.h"
#include "render/perfetto_fields.h"

#include <stdlib.h>
#include <string.h>

void ts_perfetto_notes_free(struct ts_perfetto_notes *notes) {
    free(notes->notes);
    ts_protobuf_free(&notes->values);
    *notes = (struct ts_perfetto_notes){0};
}

static void put_scalar(struct ts_protobuf *message, const struct ts_value *value) {
    switch (value->kind) {
    case TS_VALUE_INTEGER:
        ts_protobuf_number(message, TS_ANNOTATION_INTEGER, (uint64_t)value->integer);
        break;
    case TS_VALUE_UNSIGNED:
        ts_protobuf_number(message, TS_ANNOTATION_UNSIGNED, value->number);
        break;
    case TS_VALUE_REAL:
        ts_protobuf_real(message, TS_ANNOTATION_REAL, value->real);
        break;
    case TS_VALUE_BOOLEAN:
        ts_protobuf_number(message, TS_ANNOTATION_BOOLEAN, value->boolean);
        break;
    case TS_VALUE_STRING:
    case TS_VALUE_WORD:
        ts_protobuf_text(message, TS_ANNOTATION_STRING, value->string);
        break;
    case TS_VALUE_DURATION:
        ts_protobuf_text(message, TS_ANNOTATION_STRING, ts_duration_text(value->duration_ns).text);
        break;
    case TS_VALUE_NONE:
    case TS_VALUE_LIST:
        ts_protobuf_text(message, TS_ANNOTATION_STRING, "None");
        break;
    }
}

static void put_list(struct ts_protobuf *message, const struct ts_value *items, size_t count) {
    for (size_t i = 0; i < count; i++) {
        size_t begin = ts_protobuf_begin(message, TS_ANNOTATION_ITEM);
        put_scalar(message, &items[i]);
        ts_protobuf_end(message, begin);
    }
}

static uint32_t text_number(struct ts_perfetto_texts *texts, const struct ts_value *value) {
    if (value->kind != TS_VALUE_STRING && value->kind != TS_VALUE_WORD)
        return 0;
    return strnlen(value->string, TS_PERFETTO_VALUE_BYTES + 1) <= TS_PERFETTO_VALUE_BYTES
               ? ts_perfetto_strings_number(&texts->values, value->string)
               : 0;
}

void ts_perfetto_notes_add(struct ts_perfetto_notes *notes, struct ts_perfetto_texts *texts, uint64_t depth,
                           const struct ts_attribute *attribute) {
    const struct ts_value *value = &attribute->value;
    texts->values.most = TS_PERFETTO_VALUES_MOST;
    struct ts_perfetto_note note = {.depth = depth,
                                    .name = ts_perfetto_strings_number(&texts->names, attribute->key),
                                    .text = text_number(texts, value),
                                    .begin = notes->values.used};
    if (value->kind == TS_VALUE_LIST)
        put_list(&notes->values, value->list.items, value->list.count);
    else if (!note.text)
        put_scalar(&notes->values, value);
    notes->notes = ts_memory_grow(notes->notes, &notes->capacity, notes->count + 1, sizeof *notes->notes);
    notes->notes[notes->count++] = note;
}

void ts_perfetto_notes_add_failure(struct ts_perfetto_notes *notes, struct ts_perfetto_texts *texts, uint64_t depth,
                                   const struct ts_failure *failure) {
    struct ts_attribute error = ts_failure_attribute(failure);
    ts_perfetto_notes_add(notes, texts, depth, &error);
    if (failure->error_number)
        ts_perfetto_notes_add(
            notes, texts, depth,
            &(struct ts_attribute){"errno", {.kind = TS_VALUE_UNSIGNED, .number = failure->error_number}});
    if (failure->message)
        ts_perfetto_notes_add(
            notes, texts, depth,
            &(struct ts_attribute){"error.message", {.kind = TS_VALUE_STRING, .string = failure->message}});
    ts_perfetto_notes_add(notes, texts, depth,
                          &(struct ts_attribute){"otel.status_code", {.kind = TS_VALUE_WORD, .string = "ERROR"}});
}

static void write_note(const struct ts_perfetto_notes *notes, size_t i, struct ts_protobuf *event) {
    const struct ts_perfetto_note *note = &notes->notes[i];
    size_t end = i + 1 < notes->count ? notes->notes[i + 1].begin : notes->values.used;
    size_t begin = ts_protobuf_begin(event, TS_EVENT_ANNOTATION);
    ts_protobuf_number(event, TS_ANNOTATION_NAME_IID, note->name);
    if (note->text)
        ts_protobuf_number(event, TS_ANNOTATION_STRING_IID, note->text);
    else
        ts_protobuf_append(event, notes->values.bytes + note->begin, end - note->begin);
    ts_protobuf_end(event, begin);
}

void ts_perfetto_notes_take(struct ts_perfetto_notes *notes, struct ts_perfetto_texts *texts, uint64_t depth,
                            uint32_t state, struct ts_protobuf *event, struct ts_protobuf *interned) {
    size_t first = notes->count;
    while (first > 0 && notes->notes[first - 1].depth == depth)
        first--;
    for (size_t i = first; i < notes->count; i++) {
        const struct ts_perfetto_note *note = &notes->notes[i];
        ts_perfetto_strings_define(&texts->names, note->name, state, TS_INTERNED_ANNOTATION_NAME, interned);
        if (note->text)
            ts_perfetto_strings_define(&texts->values, note->text, state, TS_INTERNED_ANNOTATION_STRING, interned);
        write_note(notes, i, event);
    }
    if (first < notes->count)
        notes->values.used = notes->notes[first].begin;
    notes->count = first;
}
