#include "demo.h"

#include <stdlib.h>
#include <string.h>

static size_t hash_word(const char *spelling, size_t length) {
    return checksum(2166136261u, spelling, length);
}

static struct word *allocate_slots(size_t count) {
    struct word *slots = calloc(count, sizeof *slots);
    if (slots == NULL)
        abort();
    return slots;
}

void index_open(struct word_index *index) {
    index->slot_count = 64;
    index->used = 0;
    index->slots = allocate_slots(index->slot_count);
}

void index_close(struct word_index *index) {
    for (size_t i = 0; i < index->slot_count; i++)
        free(index->slots[i].spelling);
    free(index->slots);
}

static struct word *find_slot(struct word *slots, size_t slot_count, const char *spelling, size_t length) {
    size_t at = hash_word(spelling, length) & (slot_count - 1);
    while (slots[at].spelling != NULL &&
           (strncmp(slots[at].spelling, spelling, length) != 0 || slots[at].spelling[length] != '\0'))
        at = (at + 1) & (slot_count - 1);
    return &slots[at];
}

static void index_grow(struct word_index *index) {
    size_t slot_count = index->slot_count * 2;
    struct word *slots = allocate_slots(slot_count);
    for (size_t i = 0; i < index->slot_count; i++) {
        struct word *word = &index->slots[i];
        if (word->spelling != NULL)
            *find_slot(slots, slot_count, word->spelling, strlen(word->spelling)) = *word;
    }
    free(index->slots);
    index->slots = slots;
    index->slot_count = slot_count;
}

static void index_add(struct word_index *index, const char *spelling, size_t length, size_t line, size_t count) {
    if (index->used * 2 >= index->slot_count)
        index_grow(index);
    struct word *word = find_slot(index->slots, index->slot_count, spelling, length);
    if (word->spelling == NULL) {
        word->spelling = strndup(spelling, length);
        if (word->spelling == NULL)
            abort();
        word->first_line = line;
        index->used++;
    }
    word->count += count;
}

void index_text(struct word_index *index, const struct text *text) {
    size_t line = 1;
    size_t start = 0;
    for (size_t i = 0; i < text->length; i++) {
        char c = text->bytes[i];
        if (c != ' ' && c != '\n')
            continue;
        if (i > start)
            index_add(index, text->bytes + start, i - start, line, 1);
        start = i + 1;
        line += c == '\n';
    }
}

void index_merge(struct word_index *index, const struct word_index *from) {
    for (size_t i = 0; i < from->slot_count; i++) {
        const struct word *word = &from->slots[i];
        if (word->spelling != NULL)
            index_add(index, word->spelling, strlen(word->spelling), word->first_line, word->count);
    }
}
