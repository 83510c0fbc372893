/* Cannot find: what an unlucky order of two threads would do at the one moment when a chunk is replaced. */
#include "collector/kept_memory.h"
#include "tests/unit/recorder/failing_system.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

/* Taken, zeroed, and filled, so that a piece that shares a byte with it is seen. */
static uint8_t *take(size_t bytes, uint8_t fill) {
    uint8_t *piece = ts_kept_memory(bytes);
    cr_assert_not_null(piece);
    cr_assert_eq((uintptr_t)piece % 16, 0);
    for (size_t i = 0; i < bytes; i++)
        cr_assert_eq(piece[i], 0, "byte %zu of a piece of %zu", i, bytes);
    memset(piece, fill, bytes);
    return piece;
}

Test(kept_memory, pieces_of_any_size_are_zeroed_and_apart) {
    enum { PIECES = 400 };
    uint8_t *pieces[PIECES];
    size_t sizes[PIECES];
    for (unsigned i = 0; i < PIECES; i++) {
        sizes[i] = i % 50 == 49 ? 100000 : i * 7 % 1200 + 1;
        pieces[i] = take(sizes[i], (uint8_t)(i + 1));
    }
    for (unsigned i = 0; i < PIECES; i++)
        for (size_t byte = 0; byte < sizes[i]; byte++)
            cr_assert_eq(pieces[i][byte], (uint8_t)(i + 1), "piece %u was written over", i);
}

Test(kept_memory, small_pieces_need_no_mapping) {
    failing_system_arm(1u << FAILING_MMAP, 1, UINT64_MAX, ENOMEM);
    for (unsigned i = 0; i < 20; i++)
        take(100, 1);
    cr_assert_eq(failing_system_count(), 0);
    failing_system_disarm();
}

Test(kept_memory, without_memory_there_is_nothing_and_later_there_is_again) {
    failing_system_arm(1u << FAILING_MMAP, 1, UINT64_MAX, ENOMEM);
    cr_assert_null(ts_kept_memory(1000000));
    unsigned pieces = 0;
    while (pieces < 1000 && ts_kept_memory(1000))
        pieces++;
    cr_assert_lt(pieces, 1000);
    cr_assert_str_eq(ts_kept_text("a text of more than what is left", 32), "");
    failing_system_disarm();
    take(1000, 1);
    take(1000000, 1);
}

Test(kept_memory, texts_are_copies) {
    char text[] = "abcdef";
    char *kept = ts_kept_text(text, 3);
    memset(text, 'x', sizeof text - 1);
    cr_assert_str_eq(kept, "abc");
    cr_assert_str_eq(ts_kept_text("", 0), "");
}

enum { THREADS = 4, EACH = 3000 };
static uint8_t *taken[THREADS][EACH];

static void *take_many(void *number) {
    uintptr_t thread = (uintptr_t)number;
    for (unsigned i = 0; i < EACH; i++)
        taken[thread][i] = take(64, (uint8_t)(thread + 1));
    return NULL;
}

Test(kept_memory, threads_share_no_piece) {
    pthread_t threads[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, take_many, (void *)i), 0);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (unsigned i = 0; i < THREADS; i++)
        for (unsigned piece = 0; piece < EACH; piece++)
            for (unsigned byte = 0; byte < 64; byte++)
                cr_assert_eq(taken[i][piece][byte], i + 1);
}
