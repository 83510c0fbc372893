#include "demo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHAPTERS = 4, CHAPTER_WORDS = 3000 };

struct chapter {
    uint32_t number;
    struct text text;
    struct text packed;
    struct word_index index;
    int same_after_unpack;
};

static void check_packed(struct chapter *chapter) {
    struct text again = unpack(&chapter->packed);
    chapter->same_after_unpack =
        again.length == chapter->text.length && memcmp(again.bytes, chapter->text.bytes, again.length) == 0;
    free(again.bytes);
}

static void process_chapter(void *chapter_pointer) {
    struct chapter *chapter = chapter_pointer;
    chapter->text = book_write_chapter(chapter->number, CHAPTER_WORDS);
    index_open(&chapter->index);
    index_text(&chapter->index, &chapter->text);
    chapter->packed = pack(&chapter->text);
    check_packed(chapter);
}

static void print_chapter(const struct chapter *chapter) {
    printf("chapter %u: %zu bytes, packed to %zu%s\n", chapter->number, chapter->text.length, chapter->packed.length,
           chapter->same_after_unpack ? "" : ", NOT the same after unpacking");
}

static uint32_t print_words(const struct word_index *index) {
    struct word *words = index_sorted(index);
    uint32_t sum = 0;
    for (size_t i = 0; i < index->used; i++) {
        sum = checksum(sum, words[i].spelling, strlen(words[i].spelling));
        if (i < 3)
            printf("%zu times: %s\n", words[i].count, words[i].spelling);
    }
    free(words);
    return sum;
}

int main(void) {
    struct chapter chapters[CHAPTERS] = {0};
    struct word_index book;
    int failed = 0;
    for (uint32_t i = 0; i < CHAPTERS; i++)
        chapters[i].number = i + 1;
    if (pool_run(process_chapter, chapters, CHAPTERS, sizeof chapters[0]) != 0)
        return 1;
    index_open(&book);
    for (int i = 0; i < CHAPTERS; i++) {
        print_chapter(&chapters[i]);
        failed |= !chapters[i].same_after_unpack;
        index_merge(&book, &chapters[i].index);
        index_close(&chapters[i].index);
        free(chapters[i].text.bytes);
        free(chapters[i].packed.bytes);
    }
    uint32_t sum = print_words(&book);
    printf("%zu different words, checksum %08x\n", book.used, sum);
    index_close(&book);
    return failed;
}
