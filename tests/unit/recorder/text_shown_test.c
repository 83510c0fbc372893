/* Cannot find: what a single terminal does with characters that are to be shown. */
#include "collector/text_shown.h"

#include <criterion/criterion.h>

static const struct {
    const char *given;
    const char *shown;
} texts[] = {
    {"", ""},
    {"/plain path/'\"\\", "/plain path/'\"\\"},
    {"\033[31m\a\r\n\t\177", "?[31m?????"},
    {"µ€\360\237\230\200", "µ€\360\237\230\200"},
    {"\302\233J\302\240", "?J\302\240"},                        /* CSI as one character; a blank */
    {"\342\200\256a\342\201\246\330\234\357\273\277", "?a???"}, /* direction, mark of byte order */
    {"\377\300\257\355\240\200\364\220\200\200", "??????????"}, /* bytes that cannot be, two ways too long */
    {"\371\241\241\241", "????"},                               /* begins as none does */
    {"a\342\202", "a??"},                                       /* cut */
};

Test(text_shown, what_steers_a_terminal_becomes_a_question_mark) {
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char buffer[64] = "";
        struct ts_text text = TS_TEXT_IN(buffer);
        ts_text_add_shown(&text, texts[i].given);
        cr_expect_str_eq(buffer, texts[i].shown);
    }
}

Test(text_shown, is_cut_between_characters) {
    char buffer[6] = "";
    struct ts_text text = TS_TEXT_IN(buffer);
    ts_text_add_shown(&text, "ab€");
    cr_expect_str_eq(buffer, "ab€");
    cr_expect_eq(text.cut, 0);
    text.used = 3;
    ts_text_add_shown(&text, "€");
    cr_expect_eq(text.cut, 1);
    cr_expect_eq(text.used, 3);
}
