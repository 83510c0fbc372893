/* Options of a command line: what is accepted, what is refused with which words. */
#include "render/options_parse.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

struct values {
    int flag;
    uint64_t count;
    const char *text;
};

/* argv without its first word, up to NULL; result: index of the first operand or an error. */
struct example {
    const char *argv[6];
    int result;
    struct values values;
    const char *error;
};

static const struct example examples[] = {
    {{NULL}, 1, {0, 0, ""}, NULL},
    {{"DIR"}, 1, {0, 0, ""}, NULL},
    {{"--flag", "DIR"}, 2, {1, 0, ""}, NULL},
    {{"--flag", "--no-flag"}, 3, {2, 0, ""}, NULL},
    {{"--count=12", "--text=abc", "DIR"}, 3, {0, 12, "abc"}, NULL},
    {{"--count", "12", "--text", "a=b", "DIR"}, 5, {0, 12, "a=b"}, NULL},
    {{"--text=a=b=c"}, 2, {0, 0, "a=b=c"}, NULL},
    {{"--text="}, 2, {0, 0, ""}, NULL},
    {{"--text", "--flag"}, 3, {0, 0, "--flag"}, NULL},
    {{"-o", "FILE", "DIR"}, 3, {0, 0, "FILE"}, NULL},
    {{"--count=18446744073709551615"}, 2, {0, UINT64_MAX, ""}, NULL},
    {{"--text=x", "--text=y"}, 3, {0, 0, "y"}, NULL},
    {{"DIR", "--flag"}, 1, {0, 0, ""}, NULL},
    {{"--", "--flag"}, 2, {0, 0, ""}, NULL},
    {{"--flag", "--"}, 3, {1, 0, ""}, NULL},
    {{"-"}, 1, {0, 0, ""}, NULL},
    {{"--help"}, TS_OPTIONS_HELP, {0, 0, ""}, NULL},
    {{"--flag", "-h", "--bad"}, TS_OPTIONS_HELP, {1, 0, ""}, NULL},
    {{"--bad"}, TS_OPTIONS_ERROR, {0, 0, ""}, "unknown option '--bad'"},
    {{"--fla"}, TS_OPTIONS_ERROR, {0, 0, ""}, "unknown option '--fla'"},
    {{"-x"}, TS_OPTIONS_ERROR, {0, 0, ""}, "unknown option '-x'"},
    {{"--flag=1"}, TS_OPTIONS_ERROR, {0, 0, ""}, "--flag takes no value"},
    {{"--count"}, TS_OPTIONS_ERROR, {0, 0, ""}, "--count needs a value: N"},
    {{"--count="}, TS_OPTIONS_ERROR, {0, 0, ""}, "--count: '' is no whole number"},
    {{"--count=1x"}, TS_OPTIONS_ERROR, {0, 0, ""}, "--count: '1x' is no whole number"},
    {{"--count=-1"}, TS_OPTIONS_ERROR, {0, 0, ""}, "--count: '-1' is no whole number"},
    {{"--count= 1"}, TS_OPTIONS_ERROR, {0, 0, ""}, "--count: ' 1' is no whole number"},
    {{"--count=0x10"}, TS_OPTIONS_ERROR, {0, 0, ""}, "--count: '0x10' is no whole number"},
    {{"--count=18446744073709551616"}, TS_OPTIONS_ERROR, {0, 0, ""}, "is too large"},
};

Test(options_parse, table) {
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        const struct example *example = &examples[i];
        struct values values = {.text = ""};
        const struct ts_option options[] = {
            {.name = "--flag", .number = 1, .target = &values.flag},
            {.name = "--no-flag", .number = 2, .target = &values.flag},
            {.name = "--count", .value = "N", .kind = TS_OPTION_COUNT, .target = &values.count},
            {.name = "--text", .value = "TEXT", .kind = TS_OPTION_TEXT, .target = &values.text},
            {.name = "-o", .value = "FILE", .kind = TS_OPTION_TEXT, .target = &values.text},
            {.name = NULL},
        };
        char *argv[8] = {(char *)"command"};
        int argc = 1;
        for (size_t word = 0; word < 6 && example->argv[word]; word++)
            argv[argc++] = (char *)example->argv[word];
        struct ts_error error = {""};
        cr_expect_eq(ts_options_parse(options, argc, argv, false, &error), example->result, "example %zu", i);
        if (example->error)
            cr_expect(strstr(error.text, example->error), "example %zu: '%s'", i, error.text);
        else
            cr_expect(values.flag == example->values.flag && values.count == example->values.count &&
                          !strcmp(values.text, example->values.text),
                      "example %zu", i);
    }
}

/* Options that follow operands: what is left are the operands, in order. */
Test(options_parse, options_among_operands) {
    static const struct {
        const char *argv[7];
        const char *operands;
        struct values values;
    } mixed[] = {
        {{"A", "--flag"}, "A", {1, 0, ""}},
        {{"A", "--count", "3", "B"}, "AB", {0, 3, ""}},
        {{"--flag", "A", "--text=x", "B", "-o", "y", "C"}, "ABC", {1, 0, "y"}},
        {{"A", "-", "--flag"}, "A-", {1, 0, ""}},
        {{"A", "--", "--flag", "B"}, "A--flagB", {0, 0, ""}},
        {{"A", "B", "C"}, "ABC", {0, 0, ""}},
        {{"--flag"}, "", {1, 0, ""}},
    };
    for (size_t i = 0; i < sizeof mixed / sizeof *mixed; i++) {
        struct values values = {.text = ""};
        const struct ts_option options[] = {
            {.name = "--flag", .number = 1, .target = &values.flag},
            {.name = "--count", .value = "N", .kind = TS_OPTION_COUNT, .target = &values.count},
            {.name = "--text", .value = "TEXT", .kind = TS_OPTION_TEXT, .target = &values.text},
            {.name = "-o", .value = "FILE", .kind = TS_OPTION_TEXT, .target = &values.text},
            {.name = NULL},
        };
        char *argv[9] = {(char *)"command"}, operands[64] = "";
        int argc = 1;
        for (size_t word = 0; word < 7 && mixed[i].argv[word]; word++)
            argv[argc++] = (char *)mixed[i].argv[word];
        struct ts_error error = {""};
        int first = ts_options_parse(options, argc, argv, true, &error);
        cr_assert(first > 0 && first <= argc, "example %zu: %s", i, error.text);
        for (int at = first; at < argc; at++)
            strcat(operands, argv[at]);
        cr_expect_str_eq(operands, mixed[i].operands, "example %zu", i);
        cr_expect(values.flag == mixed[i].values.flag && values.count == mixed[i].values.count &&
                      !strcmp(values.text, mixed[i].values.text),
                  "example %zu", i);
    }
}

Test(options_parse, help_shows_every_public_option) {
    const struct ts_option options[] = {
        {.name = "--flag", .help = "A flag"},
        {.name = "--hidden"},
        {.name = "--an-option-with-a-long-name", .value = "VALUE", .help = "Long", .kind = TS_OPTION_TEXT},
        {.name = "-o", .value = "FILE", .help = "Short", .kind = TS_OPTION_TEXT},
        {.name = NULL},
    };
    char *text;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    ts_options_write_help(options, out);
    fclose(out);
    cr_expect_str_eq(text, "  --flag                A flag\n"
                           "  --an-option-with-a-long-name=VALUE Long\n"
                           "  -o FILE               Short\n");
    free(text);
}
