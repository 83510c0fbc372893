#include "collector/text.h"

#include <criterion/criterion.h>
#include <limits.h>
#include <string.h>

Test(text, grows_to_the_end_of_its_buffer_and_no_further) {
    char buffer[12];
    memset(buffer, 'x', sizeof buffer);
    struct ts_text text = {buffer, 0, 8, 0};
    ts_text_add(&text, "abc");
    ts_text_add_bytes(&text, "defgh", 2);
    cr_assert_str_eq(buffer, "abcde");
    cr_assert_eq(text.cut, 0);
    ts_text_add(&text, "fg");
    cr_assert_str_eq(buffer, "abcdefg");
    cr_assert_eq(text.cut, 0, "it just fits");
    ts_text_add(&text, "");
    cr_assert_eq(text.cut, 0);
    ts_text_add(&text, "h");
    cr_assert_str_eq(buffer, "abcdefg");
    cr_assert_eq(text.cut, 1);
    cr_assert_eq(text.used, 7);
    cr_assert_eq(memcmp(buffer + 8, "xxxx", 4), 0);
}

Test(text, numbers_are_decimal) {
    static const struct {
        uint64_t number;
        const char *text;
    } numbers[] = {{0, "0"}, {9, "9"}, {10, "10"}, {4294967296, "4294967296"}, {UINT64_MAX, "18446744073709551615"}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char buffer[24];
        struct ts_text text = TS_TEXT_IN(buffer);
        ts_text_add_number(&text, numbers[i].number);
        cr_assert_str_eq(buffer, numbers[i].text);
    }
}

Test(text, comparisons) {
    cr_assert(ts_text_equal("", "") && ts_text_equal("ab", "ab"));
    cr_assert(!ts_text_equal("ab", "abc") && !ts_text_equal("abc", "ab") && !ts_text_equal("ab", "ac"));
    cr_assert(ts_text_begins("abc", "") && ts_text_begins("abc", "ab") && ts_text_begins("abc", "abc"));
    cr_assert(!ts_text_begins("abc", "abcd") && !ts_text_begins("", "a") && !ts_text_begins("abc", "b"));
    cr_assert_eq(ts_text_length(""), 0);
    cr_assert_eq(ts_text_length("four"), 4);
}
