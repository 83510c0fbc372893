/* How unlike two words are, to suggest what a person may have meant. */
#ifndef TRACESHIM_COLLECTOR_EDIT_DISTANCE_H
#define TRACESHIM_COLLECTOR_EDIT_DISTANCE_H

#include <stddef.h>
#include <stdint.h>

/* Longer words are not compared. */
enum { TS_EDIT_DISTANCE_LENGTH_MOST = 64, TS_EDIT_DISTANCE_FAR = 2 * TS_EDIT_DISTANCE_LENGTH_MOST };

/*
 * Edits that make `left` into `right`: insert, delete or change a byte, exchange two neighbours (none twice in one
 * place: the "optimal string alignment" of Damerau's distance). TS_EDIT_DISTANCE_FAR where a word is too long.
 */
static inline size_t ts_edit_distance(const char *left, size_t left_bytes, const char *right, size_t right_bytes) {
    /* Of the prefixes of `left` with up to two bytes less, and of this one, to every prefix of `right`. */
    uint8_t rows[3][TS_EDIT_DISTANCE_LENGTH_MOST + 1];
    uint8_t *before = rows[0], *last = rows[1], *row = rows[2];
    if (left_bytes > TS_EDIT_DISTANCE_LENGTH_MOST || right_bytes > TS_EDIT_DISTANCE_LENGTH_MOST)
        return TS_EDIT_DISTANCE_FAR;
    for (size_t i = 0; i <= right_bytes; i++)
        row[i] = (uint8_t)i;
    for (size_t at = 1; at <= left_bytes; at++) {
        uint8_t *free = before;
        before = last;
        last = row;
        row = free;
        row[0] = (uint8_t)at;
        for (size_t i = 1; i <= right_bytes; i++) {
            uint8_t changed = (uint8_t)(last[i - 1] + (left[at - 1] != right[i - 1]));
            uint8_t moved = (uint8_t)((last[i] < row[i - 1] ? last[i] : row[i - 1]) + 1);
            row[i] = changed < moved ? changed : moved;
            if (at > 1 && i > 1 && left[at - 1] == right[i - 2] && left[at - 2] == right[i - 1] &&
                before[i - 2] + 1 < row[i])
                row[i] = (uint8_t)(before[i - 2] + 1);
        }
    }
    return row[right_bytes];
}

#endif
