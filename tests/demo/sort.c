#include "demo.h"

#include <stdlib.h>
#include <string.h>

enum { SMALL = 64 };

static int comes_before(const struct word *a, const struct word *b) {
    if (a->count != b->count)
        return a->count > b->count;
    return strcmp(a->spelling, b->spelling) < 0;
}

static void merge_halves(struct word *words, struct word *space, size_t middle, size_t count) {
    size_t left = 0;
    size_t right = middle;
    for (size_t i = 0; i < count; i++) {
        int take_left = left < middle && (right == count || comes_before(&words[left], &words[right]));
        space[i] = take_left ? words[left++] : words[right++];
    }
    memcpy(words, space, count * sizeof *words);
}

static void insertion_sort(struct word *words, size_t count) {
    for (size_t i = 1; i < count; i++) {
        struct word word = words[i];
        size_t at = i;
        for (; at > 0 && comes_before(&word, &words[at - 1]); at--)
            words[at] = words[at - 1];
        words[at] = word;
    }
}

static void merge_sort(struct word *words, struct word *space, size_t count) {
    if (count < SMALL) {
        insertion_sort(words, count);
        return;
    }
    size_t middle = count / 2;
    merge_sort(words, space, middle);
    merge_sort(words + middle, space + middle, count - middle);
    merge_halves(words, space, middle, count);
}

struct word *index_sorted(const struct word_index *index) {
    struct word *words = calloc(index->used + 1, sizeof *words);
    struct word *space = calloc(index->used + 1, sizeof *space);
    size_t count = 0;
    if (words == NULL || space == NULL)
        abort();
    for (size_t i = 0; i < index->slot_count; i++)
        if (index->slots[i].spelling != NULL)
            words[count++] = index->slots[i];
    merge_sort(words, space, count);
    free(space);
    return words;
}
