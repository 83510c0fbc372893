/* The deflated stream, inflated by zlib: the same bytes come out. Cannot find: a stream that is larger than need be. */
#include "render/deflate_stream.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <zlib.h>

struct data {
    uint8_t bytes[TS_DEFLATE_DATA_MOST];
    size_t count;
};

static void note(struct data *data, const void *bytes, size_t count) {
    memcpy(data->bytes + data->count, bytes, count);
    data->count += count;
}

static void add(struct ts_deflate *deflate, struct data *data, const void *bytes, size_t count) {
    ts_deflate_add(deflate, bytes, count);
    note(data, bytes, count);
}

static void add_piece(struct ts_deflate *deflate, struct data *data, struct ts_deflate_piece *piece, uint32_t number) {
    const uint8_t tail[] = {(uint8_t)(number | 0x80), (uint8_t)(number >> 7)};
    ts_deflate_add_piece(deflate, piece, number);
    note(data, piece->bytes, piece->count);
    note(data, tail, sizeof tail);
}

/* Ends the stream and begins another, with no data yet. Returns its size. */
static size_t expect_same(struct ts_deflate *deflate, struct data *data) {
    static uint8_t inflated[TS_DEFLATE_DATA_MOST + 1];
    uLongf inflated_count = sizeof inflated;
    size_t count;
    cr_assert_eq(ts_deflate_size(deflate), data->count);
    const uint8_t *stream = ts_deflate_end(deflate, &count);
    cr_assert_eq(uncompress(inflated, &inflated_count, stream, count), Z_OK);
    cr_assert_eq(inflated_count, data->count);
    cr_assert_arr_eq(inflated, data->bytes, data->count);
    ts_deflate_begin(deflate);
    data->count = 0;
    return count;
}

static struct ts_deflate_piece make_piece(struct ts_deflate *deflate, unsigned count, unsigned seed) {
    struct ts_deflate_piece piece = {.count = (uint8_t)count};
    for (unsigned i = 0; i < count; i++)
        piece.bytes[i] = (uint8_t)(seed * 37 + i * 101);
    ts_deflate_prepare(deflate, &piece);
    return piece;
}

Test(deflate_stream, nothing_and_every_byte) {
    static struct data data;
    struct ts_deflate deflate;
    ts_deflate_open(&deflate);
    expect_same(&deflate, &data);
    for (unsigned i = 0; i < 256; i++) {
        uint8_t byte = (uint8_t)i;
        add(&deflate, &data, &byte, 1);
    }
    expect_same(&deflate, &data);
    ts_deflate_free(&deflate);
}

Test(deflate_stream, pieces_of_every_length_with_every_number) {
    static struct data data;
    struct ts_deflate deflate;
    ts_deflate_open(&deflate);
    for (unsigned count = TS_DEFLATE_LENGTH_LEAST; count <= TS_DEFLATE_LENGTH_MOST; count++) {
        struct ts_deflate_piece piece = make_piece(&deflate, count, count);
        for (uint32_t number = 0; number < TS_DEFLATE_NUMBERS; number += 1 + number / 7)
            add_piece(&deflate, &data, &piece, number);
        expect_same(&deflate, &data); /* the next stream cannot reach into this one */
        add_piece(&deflate, &data, &piece, 5);
    }
    expect_same(&deflate, &data);
    ts_deflate_free(&deflate);
}

Test(deflate_stream, pieces_at_every_distance) {
    static struct data data;
    struct ts_deflate deflate;
    ts_deflate_open(&deflate);
    struct ts_deflate_piece piece = make_piece(&deflate, 13, 1);
    const uint8_t filler[256] = {0};
    size_t distance = 15;
    add_piece(&deflate, &data, &piece, 0);
    while (distance < 40000) {
        for (size_t left = distance - 15; left > 0;) {
            size_t part = left < sizeof filler ? left : sizeof filler;
            add(&deflate, &data, filler, part);
            left -= part;
        }
        add_piece(&deflate, &data, &piece, (uint32_t)distance % TS_DEFLATE_NUMBERS);
        distance += distance < 1100 ? 1 : distance < 32768 ? 641 : 1;
        if (distance > 32700 && distance < 32768)
            distance = 32767;
        else if (distance > 32770)
            distance = 40000;
        if (data.count > TS_DEFLATE_DATA_MOST / 2) {
            expect_same(&deflate, &data);
            add_piece(&deflate, &data, &piece, 0);
        }
    }
    expect_same(&deflate, &data);
    ts_deflate_free(&deflate);
}

Test(deflate_stream, a_full_stream_of_the_worst_data) {
    static struct data data;
    struct ts_deflate deflate;
    ts_deflate_open(&deflate);
    static uint8_t ones[TS_DEFLATE_DATA_MOST];
    memset(ones, 0x7f, sizeof ones); /* ten bits for a byte, and a large sum */
    add(&deflate, &data, ones, sizeof ones);
    cr_expect_geq(expect_same(&deflate, &data), TS_DEFLATE_DATA_MOST / 8 * 10);
    ts_deflate_free(&deflate);
}

Test(deflate_stream, calls_of_a_few_functions_are_small) {
    static struct data data;
    struct ts_deflate deflate;
    ts_deflate_open(&deflate);
    struct ts_deflate_piece begins[3], end = make_piece(&deflate, 11, 9);
    for (unsigned i = 0; i < 3; i++)
        begins[i] = make_piece(&deflate, 18, i);
    for (unsigned i = 0; i < 10000; i++) {
        add_piece(&deflate, &data, &begins[i % 3], 20 + i % 50);
        add_piece(&deflate, &data, &end, 20 + i % 60);
    }
    cr_expect_lt(expect_same(&deflate, &data), 7u * 10000);
    ts_deflate_free(&deflate);
}
