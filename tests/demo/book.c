#include "demo.h"

#include <stdlib.h>
#include <string.h>

enum { WORD_BYTES = 16, WORDS_A_LINE = 12 };

static uint32_t random_next(uint32_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

/* Small numbers often, large ones rarely, as words are used in a language. */
static uint32_t random_rank(uint32_t *state) {
    uint32_t bound = 1u << (3 + random_next(state) % 8);
    return random_next(state) % bound;
}

static size_t write_word(char *out, uint32_t rank) {
    static const char *const syllables[] = {"ka", "ro", "mi", "te", "su", "na", "li", "po"};
    size_t length = 0;
    do {
        memcpy(out + length, syllables[rank % 8], 2);
        length += 2;
        rank /= 8;
    } while (rank != 0 && length + 2 < WORD_BYTES);
    return length;
}

struct text book_write_chapter(uint32_t seed, size_t words) {
    struct text chapter = {malloc(words * WORD_BYTES + 1), 0};
    uint32_t state = seed * 2654435761u | 1;
    if (chapter.bytes == NULL)
        abort();
    for (size_t i = 0; i < words; i++) {
        chapter.length += write_word(chapter.bytes + chapter.length, random_rank(&state));
        chapter.bytes[chapter.length++] = (i + 1) % WORDS_A_LINE == 0 ? '\n' : ' ';
    }
    return chapter;
}
