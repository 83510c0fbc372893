#include "render/descriptors.h"

#include "collector/trace_format.h"
#include "render/memory.h"

#include <stdlib.h>

struct ts_descriptor_slot {
    uint64_t window; /* 0: never used */
    int32_t fd;
    struct ts_descriptor known;
};

void ts_descriptors_free(struct ts_descriptors *table) {
    free(table->slots);
    *table = (struct ts_descriptors){0};
}

void ts_descriptors_forget(struct ts_descriptors *table) {
    table->window++;
    table->used = 0;
}

/* The slot of `fd`, or the free one where it would go. Fibonacci hashing (Knuth 6.4): neighbours do not pile up. */
static struct ts_descriptor_slot *find_slot(const struct ts_descriptors *table, int32_t fd) {
    size_t mask = table->size - 1;
    size_t at = (uint32_t)fd * UINT32_C(0x9e3779b9) & mask;
    while (table->slots[at].window == table->window && table->slots[at].fd != fd)
        at = (at + 1) & mask;
    return &table->slots[at];
}

static void grow(struct ts_descriptors *table) {
    struct ts_descriptors larger = {
        .size = table->size ? 2 * table->size : 64, .used = table->used, .window = table->window ? table->window : 1};
    larger.slots = ts_memory_new(larger.size, sizeof(*larger.slots));
    for (size_t i = 0; i < table->size; i++)
        if (table->slots[i].window == table->window)
            *find_slot(&larger, table->slots[i].fd) = table->slots[i];
    free(table->slots);
    *table = larger;
}

static void put(struct ts_descriptors *table, int32_t fd, const struct ts_descriptor *known) {
    if (2 * (table->used + 1) > table->size)
        grow(table);
    struct ts_descriptor_slot *slot = find_slot(table, fd);
    table->used += slot->window != table->window;
    *slot = (struct ts_descriptor_slot){table->window, fd, *known};
}

/* The next part of a record, padded to a word: `bytes` at *at, cut at `end`; *at moves behind it. */
static size_t take_part(const uint8_t **at, const uint8_t *end, uint32_t bytes, const void **part) {
    size_t left = (size_t)(end - *at);
    size_t padded = ((size_t)bytes + 3) & ~(size_t)3;
    *part = *at;
    *at += padded < left ? padded : left;
    return bytes < left ? bytes : left;
}

void ts_descriptors_add(struct ts_descriptors *table, const uint32_t *words, const uint32_t *words_end) {
    const struct ts_record_descriptor *record = (const void *)words;
    const uint8_t *at = (const uint8_t *)(record + 1);
    const uint8_t *end = (const uint8_t *)words_end;
    struct ts_descriptor known;
    const void *text;
    known.text_bytes = take_part(&at, end, record->text_bytes, &text);
    known.text = text;
    known.is_path = known.text_bytes && known.text[0] == '/';
    known.local_bytes = take_part(&at, end, record->local_bytes, &known.local);
    known.peer_bytes = take_part(&at, end, record->peer_bytes, &known.peer);
    put(table, record->fd, &known);
}

void ts_descriptors_opened(struct ts_descriptors *table, int32_t fd, const char *path, size_t bytes) {
    put(table, fd, &(struct ts_descriptor){.text = path, .text_bytes = bytes, .is_path = 1});
}

int ts_descriptors_find(const struct ts_descriptors *table, int32_t fd, struct ts_descriptor *descriptor) {
    if (table->size == 0)
        return 0;
    const struct ts_descriptor_slot *slot = find_slot(table, fd);
    if (slot->window != table->window)
        return 0;
    *descriptor = slot->known;
    return 1;
}
