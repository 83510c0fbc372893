/* The dur grammar of the tree. Finds wrong units, rounding and widths; not whether a caller passes nanoseconds. */
#include "render/duration_text.h"

#include <criterion/criterion.h>
#include <string.h>

static const struct {
    uint64_t ns;
    const char *text;
} durations[] = {
    {0, "0 ns"},
    {1, "1 ns"},
    {560, "560 ns"},
    {999, "999 ns"},
    {1000, "1.0 µs"},
    {1250, "1.2 µs"}, /* a tie: to even, as printf does */
    {1350, "1.4 µs"},
    {999949, "999.9 µs"},
    {999950, "1.00 ms"},
    {999960, "1.00 ms"},
    {1000000, "1.00 ms"},
    {12345678, "12.35 ms"},
    {999994999, "999.99 ms"},
    {999995000, "1.00 s"},
    {999999999, "1.00 s"},
    {UINT64_C(1500000000), "1.50 s"},
    {UINT64_C(3600000000000), "3600.00 s"},
    {UINT64_MAX, "18446744073.71 s"},
};

Test(duration_text, follows_the_grammar) {
    for (size_t i = 0; i < sizeof durations / sizeof *durations; i++)
        cr_expect_str_eq(ts_duration_text(durations[i].ns).text, durations[i].text);
}

Test(duration_text, token_is_the_text_without_its_space) {
    for (size_t i = 0; i < sizeof durations / sizeof *durations; i++) {
        char expected[TS_DURATION_TEXT_BYTES];
        strcpy(expected, durations[i].text);
        char *space = strchr(expected, ' ');
        memmove(space, space + 1, strlen(space));
        cr_expect_str_eq(ts_duration_token(durations[i].ns).text, expected);
    }
}

/* Rounding before the unit is chosen: no text shows 1000 of a unit that has a larger one. */
Test(duration_text, never_shows_a_thousand_of_a_smaller_unit) {
    static const uint64_t edges[] = {1000, 1000000, 1000000000};
    for (size_t edge = 0; edge < sizeof edges / sizeof *edges; edge++) {
        for (uint64_t below = 0; below < 200; below++) {
            uint64_t step = edges[edge] / 100000 ? edges[edge] / 100000 : 1;
            struct ts_duration_text text = ts_duration_text(edges[edge] - below * step);
            cr_expect(strncmp(text.text, "1000", 4) != 0, "%s", text.text);
        }
    }
}

Test(duration_text, counts_columns_not_bytes) {
    struct ts_duration_text micro = ts_duration_token(12300);
    struct ts_duration_text milli = ts_duration_token(12300000);
    cr_expect_eq(ts_duration_columns(&micro), 6);
    cr_expect_eq(ts_duration_columns(&milli), 7);
}
