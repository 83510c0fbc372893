/* The text of `traceshim functions`, in pieces and damaged. Cannot find: whether that program writes it. */
#include "preload/function_lines.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define MOST 4

static uint64_t functions[MOST];

static struct ts_function_lines read_in_pieces(const char *text, size_t piece) {
    struct ts_function_lines lines = {.functions = functions, .capacity = MOST};
    size_t left = strlen(text);
    for (; left > piece; left -= piece, text += piece)
        ts_function_lines_read(&lines, text, piece);
    ts_function_lines_read(&lines, text, left);
    return lines;
}

Test(function_lines, in_pieces_of_any_length) {
    static const char text[] = "+0000000000001139 main\n"
                               "-0000000000001200 a name, \\n with + all\n"
                               "+00000000deadbeef \n";
    for (size_t piece = 1; piece < sizeof text; piece++) {
        struct ts_function_lines lines = read_in_pieces(text, piece);
        cr_assert_eq(ts_function_lines_end(&lines), 0);
        cr_assert_eq(lines.count, 3);
        cr_assert_eq(functions[0], 0x1139 << 1 | 1);
        cr_assert_eq(functions[1], 0x1200 << 1);
        cr_assert_eq(functions[2], UINT64_C(0xdeadbeef) << 1 | 1);
    }
}

Test(function_lines, nothing_is_such_a_text) {
    struct ts_function_lines lines = read_in_pieces("", 1);
    cr_assert_eq(ts_function_lines_end(&lines), 0);
    cr_assert_eq(lines.count, 0);
}

Test(function_lines, other_texts_are_refused) {
    static const char *const texts[] = {
        "main\n",                                                /* no sign */
        "+1139 main\n",                                          /* too few digits */
        "+000000000000113G main\n",                              /* no digit */
        "+00000000000001139 main\n",                             /* too many */
        "+0000000000001139\n",                                   /* no name */
        "+0000000000001139 main",                                /* cut */
        "+00000000",                                             /* cut */
        "+0000000000001139 main\n\n",                            /* an empty line */
        "+8000000000000000 main\n",                              /* no address of a file */
        "+0000000000001139 main\n+0000000000001139 again\n",     /* twice */
        "+0000000000001139 main\n-0000000000001138 before it\n", /* not sorted */
        "+0000000000000001 1\n+0000000000000002 2\n+0000000000000003 3\n"
        "+0000000000000004 4\n+0000000000000005 too many\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (size_t piece = 1; piece < 30; piece += 7) {
            struct ts_function_lines lines = read_in_pieces(texts[i], piece);
            cr_assert_eq(ts_function_lines_end(&lines), -1, "%s", texts[i]);
            cr_assert_leq(lines.count, MOST);
        }
}
