/*
 * The program that scripts/demo traces: it writes a book of random words, builds a word index of its chapters with two
 * threads, sorts the index, and packs each chapter. What it prints depends on nothing but its argument.
 */
#ifndef DEMO_H
#define DEMO_H

#include <stddef.h>
#include <stdint.h>

struct text {
    char *bytes;
    size_t length;
};

/* A chapter of `words` words that depends on `seed` only. The caller frees text.bytes. */
struct text book_write_chapter(uint32_t seed, size_t words);

struct word {
    char *spelling;
    size_t count;
    size_t first_line;
};

/* Words by spelling: open addressing, a power of two of slots. */
struct word_index {
    struct word *slots;
    size_t slot_count;
    size_t used;
};

void index_open(struct word_index *index);
void index_close(struct word_index *index);
void index_text(struct word_index *index, const struct text *text);
/* Adds every word of `from`. */
void index_merge(struct word_index *index, const struct word_index *from);
/* The words, most frequent first, then by spelling. The caller frees the array; spellings stay the index's own. */
struct word *index_sorted(const struct word_index *index);

/* LZ77 with a table of the last position of each four bytes. The caller frees the result's bytes. */
struct text pack(const struct text *text);
struct text unpack(const struct text *packed);

uint32_t checksum(uint32_t sum, const void *bytes, size_t length);

typedef void pool_job(void *argument);

/* Runs job(argument) for each of `count` arguments of `size` bytes on two threads; returns when all are done. */
int pool_run(pool_job *job, void *arguments, size_t count, size_t size);

#endif
