/* Durations as people write them; not how they are printed (duration_text_test.c). */
#include "render/duration_parse.h"

#include <criterion/criterion.h>
#include <string.h>

Test(duration_parse, units) {
    const struct {
        const char *text;
        uint64_t ns;
    } good[] = {{"100ns", 100},
                {"5us", 5000},
                {"5µs", 5000},
                {"1.5ms", 1500000},
                {"2s", UINT64_C(2000000000)},
                {".5s", 500000000},
                {"7", 7000},
                {"0", 0},
                {"0.0015", 1},
                {"18446744073.70955161s", UINT64_C(18446744073709551610)}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        uint64_t ns = 1;
        cr_expect_eq(ts_duration_parse(good[i].text, strlen(good[i].text), 1000, &ns), 0, "%s", good[i].text);
        cr_expect_eq(ns, good[i].ns, "%s", good[i].text);
    }
}

Test(duration_parse, refuses) {
    const char *bad[] = {
        "", ".", "s", "-1s", "1 s", "1.2.3s", "1m", "1e3", "0x10", "99999999999s", "123456789012345678901"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint64_t ns;
        cr_expect_eq(ts_duration_parse(bad[i], strlen(bad[i]), 1, &ns), -1, "%s", bad[i]);
    }
}
