/*
 * JSON numbers and strings written by hand. Finds wrong digits, escapes that a strict parser or Perfetto refuses, and
 * lost or repeated bytes at the buffer's end; not whether a whole document is right (format_chrome_test.c).
 */
#include "render/json_stream.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static char *written(const char *text) {
    struct ts_json_stream json;
    struct ts_error error;
    char *memory;
    size_t bytes;
    FILE *out = open_memstream(&memory, &bytes);

    ts_json_stream_open(&json, out);
    ts_json_stream_string(&json, text);
    cr_assert_eq(ts_json_stream_close(&json, "the test", &error), 0);
    fclose(out);
    return memory;
}

static const struct {
    const char *text;
    const char *json;
} strings[] = {
    {"", "\"\""},
    {"plain", "\"plain\""},
    {"a\"b\\c/d", "\"a\\\"b\\\\c/d\""},
    {"\x01\n\t\x1b\x7f", "\"\\u0001\\u000a\\u0009\\u001b\\u007f\""},
    {"\xc2\x9b"
     "31m\xe2\x80\xae\xef\xbb\xbf",
     "\"\\u009b31m\\u202e\\ufeff\""}, /* what a terminal would act on */
    {"µ €", "\"µ €\""},
    {"\xf0\x9f\x98\x80", "\"\xf0\x9f\x98\x80\""}, /* beyond U+FFFF: raw */
    {"a\xff"
     "b",
     "\"a\xef\xbf\xbd"
     "b\""},                                                                      /* no UTF-8 at all */
    {"\xc0\xaf", "\"\xef\xbf\xbd\xef\xbf\xbd\""},                                 /* overlong */
    {"\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},                 /* a surrogate */
    {"\xf4\x90\x80\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""}, /* above U+10FFFF */
    {"cut \xe2\x82", "\"cut \xef\xbf\xbd\xef\xbf\xbd\""},
};

Test(json_stream, escapes_strings) {
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++) {
        char *json = written(strings[i].text);
        cr_expect_str_eq(json, strings[i].json);
        free(json);
    }
}

Test(json_stream, escape_to_memory_agrees_and_stays_within_its_bound) {
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++) {
        size_t length = strlen(strings[i].text);
        char *exact = malloc(TS_JSON_ESCAPED_BYTES(length)); /* the sanitizer watches its end */
        char *end = ts_json_escape(exact, strings[i].text, length);
        cr_expect_eq((size_t)(end - exact), strlen(strings[i].json) - 2);
        cr_expect_eq(memcmp(exact, strings[i].json + 1, (size_t)(end - exact)), 0);
        free(exact);
    }
}

Test(json_stream, long_text_is_cut_at_a_character) {
    char room[64];
    static const char text[] = "ab\xe2\x82\xac"
                               "cd"; /* ab€cd */

    cr_expect_eq(ts_json_escape(room, text, 7) - room, 7);
    *ts_json_escape(room, text, 6) = 0;
    cr_expect_str_eq(room, "ab€c…");
    *ts_json_escape(room, text, 4) = 0;
    cr_expect_str_eq(room, "ab…");
    *ts_json_escape(room, text, 0) = 0;
    cr_expect_str_eq(room, "…");
}

static void check_number(uint64_t value) {
    char exact[TS_JSON_UNSIGNED_BYTES + 1];
    char micro[TS_JSON_MICROSECONDS_BYTES + 1];
    char expected[40];

    *ts_json_unsigned(exact, value) = 0;
    snprintf(expected, sizeof expected, "%" PRIu64, value);
    cr_assert_str_eq(exact, expected);
    *ts_json_microseconds(micro, value) = 0;
    snprintf(expected, sizeof expected, "%" PRIu64 ".%03" PRIu64, value / 1000, value % 1000);
    cr_assert_str_eq(micro, expected);
}

Test(json_stream, numbers_are_those_of_printf) {
    for (uint64_t value = 0; value < 20000; value++)
        check_number(value);
    for (uint64_t power = 1; power <= UINT64_MAX / 10; power *= 10) {
        check_number(power - 1);
        check_number(power);
        check_number(power * 9 + 7);
    }
    check_number(UINT64_C(10000000000000000000));
    check_number(UINT64_MAX);
}

Test(json_stream, signed_numbers_reach_both_ends) {
    struct ts_json_stream json;
    struct ts_error error;
    char *memory;
    size_t bytes;
    FILE *out = open_memstream(&memory, &bytes);

    ts_json_stream_open(&json, out);
    ts_json_stream_signed(&json, INT64_MIN);
    ts_json_stream_text(&json, " ");
    ts_json_stream_signed(&json, INT64_MAX);
    ts_json_stream_close(&json, "the test", &error);
    fclose(out);
    cr_expect_str_eq(memory, "-9223372036854775808 9223372036854775807");
    free(memory);
}

Test(json_stream, nothing_is_lost_at_the_buffers_end) {
    struct ts_json_stream json;
    struct ts_error error;
    char *memory;
    size_t bytes;
    FILE *out = open_memstream(&memory, &bytes);
    char piece[1000];
    char *large = malloc(1000001);

    memset(large, 'x', 1000000);
    large[1000000] = 0;
    ts_json_stream_open(&json, out);
    for (int i = 0; i < 999; i++) {
        snprintf(piece, sizeof piece, "%0*d", i % 997 + 3, i);
        ts_json_stream_text(&json, piece);
    }
    ts_json_stream_string(&json, large);
    cr_assert_eq(ts_json_stream_close(&json, "the test", &error), 0);
    fclose(out);
    size_t at = 0;
    for (int i = 0; i < 999; i++) {
        size_t length = (size_t)snprintf(piece, sizeof piece, "%0*d", i % 997 + 3, i);
        cr_assert_eq(memcmp(memory + at, piece, length), 0, "piece %d", i);
        at += length;
    }
    cr_expect_eq(bytes, at + 1000002);
    cr_expect_eq(memcmp(memory + at + 1, large, 1000000), 0);
    free(large);
    free(memory);
}

Test(json_stream, a_full_disk_is_an_error) {
    struct ts_json_stream json;
    struct ts_error error;
    FILE *out = fopen("/dev/full", "w");

    cr_assert_not_null(out);
    ts_json_stream_open(&json, out);
    ts_json_stream_text(&json, "x");
    cr_expect_eq(ts_json_stream_close(&json, "the test", &error), -1);
    cr_expect_str_eq(error.text, "cannot write the test: No space left on device");
    fclose(out);
}
