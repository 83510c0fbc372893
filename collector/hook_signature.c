#include "collector/hook_signature.h"

static const struct {
    const char *name;
    enum ts_hook_failure failure;
} rules[] = {
    {"-1", TS_FAILS_MINUS_ONE}, {"null", TS_FAILS_NULL},        {"<0", TS_FAILS_NEGATIVE},
    {"errno", TS_FAILS_ERRNO},  {"!=0", TS_FAILS_NONZERO},      {"nonzero", TS_FAILS_NONZERO_ERRNO},
    {"eof", TS_FAILS_EOF},      {"<=0", TS_FAILS_NOT_POSITIVE},
};

/* A part of the text. */
struct span {
    size_t from;
    size_t to;
};

struct parser {
    struct ts_hook_signature *signature;
    const char *text;
    size_t length;
    const char *problem;
    size_t problem_at;
    int has_ellipsis; /* `...` was read */
};

static int wrong(struct parser *parser, size_t at, const char *problem) {
    parser->problem = problem;
    parser->problem_at = at;
    return -1;
}

static int is_blank(char character) {
    return character == ' ' || character == '\t' || character == '\n';
}

static int is_name_character(char character) {
    return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
           (character >= '0' && character <= '9') || character == '_' || character == '.';
}

static size_t skip_blanks(const struct parser *parser, size_t at, size_t end) {
    while (at < end && is_blank(parser->text[at]))
        at++;
    return at;
}

/* The next word from *at on and before `end`; moves *at behind it. Empty at the end. */
static struct span next_word(const struct parser *parser, size_t *at, size_t end) {
    struct span word;
    word.from = word.to = skip_blanks(parser, *at, end);
    while (word.to < end && !is_blank(parser->text[word.to]))
        word.to++;
    *at = word.to;
    return word;
}

/* The first such character in the span, or its end. */
static size_t find(const struct parser *parser, struct span span, char character) {
    while (span.from < span.to && parser->text[span.from] != character)
        span.from++;
    return span.from;
}

static int is(const struct parser *parser, struct span span, const char *string) {
    size_t at = span.from;
    while (at < span.to && *string && parser->text[at] == *string)
        at++, string++;
    return at == span.to && !*string;
}

static int is_name(const struct parser *parser, struct span span) {
    char first = span.from < span.to ? parser->text[span.from] : '.';
    if (first == '.' || (first >= '0' && first <= '9'))
        return 0;
    for (size_t at = span.from; at < span.to; at++)
        if (!is_name_character(parser->text[at]))
            return 0;
    return 1;
}

/* Returns TS_HOOK_KINDS when there is none of this name. */
static uint32_t find_kind(const struct parser *parser, struct span span) {
    uint32_t kind = 0;
    while (kind < TS_HOOK_KINDS && !is(parser, span, ts_hook_kind_name(kind)))
        kind++;
    return kind;
}

/* A decimal number, `-` before it allowed; returns -1 when it is none or not in [least, most]. */
static int parse_number(const struct parser *parser, struct span span, int64_t least, int64_t most, int64_t *number) {
    int negative = span.from < span.to && parser->text[span.from] == '-';
    span.from += (size_t)negative;
    if (span.from == span.to)
        return -1;
    *number = 0;
    for (; span.from < span.to; span.from++) {
        char digit = parser->text[span.from];
        if (digit < '0' || digit > '9' || *number > UINT32_MAX)
            return -1;
        *number = *number * 10 + (digit - '0');
    }
    if (negative)
        *number = -*number;
    return *number < least || *number > most ? -1 : 0;
}

static int is_address(uint32_t kind) {
    return kind == TS_HOOK_address || kind == TS_HOOK_address_out;
}

/* Whether a kind may stand behind the arguments that there are. */
static int check_order(struct parser *parser, uint32_t kind, struct span at) {
    const struct ts_hook_signature *signature = parser->signature;
    uint32_t count = signature->argument_count;
    int behind_address = count && is_address(signature->arguments[count - 1].kind);
    if (behind_address != (kind == TS_HOOK_length))
        return wrong(parser, at.from,
                     behind_address ? "an address is followed by its length" : "a length of no address");
    if (kind == TS_HOOK_omode) {
        uint32_t i = 0;
        while (i < count && signature->arguments[i].kind != TS_HOOK_oflags)
            i++;
        if (i == count)
            return wrong(parser, at.from, "an omode needs oflags before it");
    }
    return 0;
}

static int is_repeated(const struct parser *parser, struct span name) {
    const struct ts_hook_signature *signature = parser->signature;
    for (uint32_t i = 0; i < signature->argument_count; i++) {
        const struct ts_hook_argument *argument = &signature->arguments[i];
        size_t same = 0;
        while (same < argument->name_bytes && same < name.to - name.from &&
               parser->text[argument->name + same] == parser->text[name.from + same])
            same++;
        if (ts_hook_kind_store(argument->kind) != TS_ARGUMENT_NONE && same == argument->name_bytes &&
            same == name.to - name.from)
            return 1;
    }
    return 0;
}

static int parse_argument(struct parser *parser, struct span word) {
    struct ts_hook_signature *signature = parser->signature;
    size_t colon = find(parser, word, ':');
    struct span name = {word.from, colon}, kind_name = {colon + 1, word.to};
    int is_ellipsis = is(parser, word, "...");
    if (parser->has_ellipsis || (signature->options & TS_HOOK_VARIADIC && !is_ellipsis))
        return wrong(parser, word.from, "an argument behind the variadic ones");
    if (is_ellipsis) {
        parser->has_ellipsis = 1;
        signature->options |= TS_HOOK_VARIADIC;
        return 0;
    }
    if (colon == word.to)
        return wrong(parser, word.from, "not name:kind");
    if (!is_name(parser, name))
        return wrong(parser, name.from, "not a name");
    uint32_t kind = find_kind(parser, kind_name);
    if (kind == TS_HOOK_KINDS)
        return wrong(parser, kind_name.from, "unknown kind");
    if (signature->argument_count == TS_HOOK_ARGUMENTS_MOST)
        return wrong(parser, word.from, "more than 16 arguments");
    if (check_order(parser, kind, kind_name))
        return -1;
    enum ts_argument_store store = ts_hook_kind_store(kind);
    if (store != TS_ARGUMENT_NONE && is_repeated(parser, name))
        return wrong(parser, name.from, "two arguments of this name");
    struct ts_hook_argument *argument = &signature->arguments[signature->argument_count++];
    argument->name = (uint16_t)name.from;
    argument->name_bytes = (uint16_t)(name.to - name.from);
    argument->kind = (uint8_t)kind;
    if (store >= TS_ARGUMENT_WORD_OUT)
        signature->records_results = 1;
    else if (store != TS_ARGUMENT_NONE)
        signature->records_arguments = 1;
    if (kind == TS_HOOK_omode)
        signature->options |= TS_HOOK_VARIADIC;
    return 0;
}

/* From the opening parenthesis at 0 on; moves *at behind the closing one. */
static int parse_arguments(struct parser *parser, size_t *at) {
    const struct ts_hook_signature *signature = parser->signature;
    size_t end = find(parser, (struct span){0, parser->length}, ')');
    if (end == parser->length)
        return wrong(parser, end, "no closing parenthesis");
    *at = 1;
    for (struct span word = next_word(parser, at, end); word.from < word.to; word = next_word(parser, at, end))
        if (parse_argument(parser, word))
            return -1;
    if (signature->argument_count && is_address(signature->arguments[signature->argument_count - 1].kind))
        return wrong(parser, end, "an address is followed by its length");
    *at = end + 1;
    return 0;
}

/* A list of codes: numbers with commas between. */
static int parse_codes(struct parser *parser, struct span rule) {
    struct ts_hook_signature *signature = parser->signature;
    for (;;) {
        struct span code = {rule.from, find(parser, rule, ',')};
        int64_t number;
        if (parse_number(parser, code, INT32_MIN, INT32_MAX, &number))
            return wrong(parser, code.from, signature->code_count ? "not a code" : "unknown kind or rule");
        if (signature->code_count == TS_HOOK_CODES_MOST)
            return wrong(parser, code.from, "more than 8 codes");
        signature->codes[signature->code_count++] = (int32_t)number;
        if (code.to == rule.to)
            return 0;
        rule.from = code.to + 1;
    }
}

static int parse_rule(struct parser *parser, struct span rule) {
    struct ts_hook_signature *signature = parser->signature;
    size_t i = 0;
    while (i < sizeof rules / sizeof *rules && !is(parser, rule, rules[i].name))
        i++;
    signature->failure = TS_FAILS_NOT_AMONG;
    if (i < sizeof rules / sizeof *rules)
        signature->failure = rules[i].failure;
    else if (parse_codes(parser, rule))
        return -1;
    if (signature->result < 0)
        return 0;
    int is_pointer = ts_hook_kind_type((uint32_t)signature->result) == TS_HOOK_TYPE_POINTER;
    if (signature->failure != TS_FAILS_MINUS_ONE && is_pointer != (signature->failure == TS_FAILS_NULL))
        return wrong(parser, rule.from, "a rule that does not fit the result");
    return 0;
}

static int parse_result(struct parser *parser, struct span word) {
    struct ts_hook_signature *signature = parser->signature;
    size_t bar = find(parser, word, '|');
    struct span kind_name = {word.from, bar}, rule = {bar + 1, word.to};
    uint32_t kind = find_kind(parser, kind_name);
    if (bar == word.to)
        rule = kind == TS_HOOK_KINDS ? word : (struct span){bar, bar};
    else if (kind == TS_HOOK_KINDS && kind_name.from < kind_name.to)
        return wrong(parser, word.from, "unknown kind");
    if (kind < TS_HOOK_KINDS) {
        enum ts_argument_store store = ts_hook_kind_store(kind);
        if ((store != TS_ARGUMENT_WORD && store != TS_ARGUMENT_LONG) ||
            ts_hook_kind_type(kind) == TS_HOOK_TYPE_VARIADIC)
            return wrong(parser, word.from, "not a kind of results");
        signature->result = (int32_t)kind;
    }
    if (bar < word.to && rule.from == rule.to)
        return wrong(parser, rule.from, "a rule is missing");
    return rule.from < rule.to ? parse_rule(parser, rule) : 0;
}

/* Whether the word is NAME=VALUE; *value is then what follows. */
static int is_option(const struct parser *parser, struct span word, const char *name, struct span *value) {
    size_t equals = find(parser, word, '=');
    if (equals == word.to || !is(parser, (struct span){word.from, equals}, name))
        return 0;
    value->from = equals + 1;
    value->to = word.to;
    return 1;
}

static int is_printable(const struct parser *parser, struct span span) {
    for (size_t at = span.from; at < span.to; at++)
        if ((unsigned char)parser->text[at] <= ' ' || parser->text[at] == 0x7f)
            return 0;
    return span.from < span.to;
}

/* Returns 1 when the word is an option, 0 when it is none, -1 when it is wrong. */
static int parse_option(struct parser *parser, struct span word) {
    static const struct {
        const char *name;
        uint32_t option;
    } words[] = {{"noreturn", TS_HOOK_NORETURN},
                 {"cancel", TS_HOOK_CANCEL},
                 {"noerrno", TS_HOOK_NO_ERRNO},
                 {"changes", TS_HOOK_CHANGES}};
    struct ts_hook_signature *signature = parser->signature;
    struct span value;
    int64_t bytes;

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (is(parser, word, words[i].name)) {
            signature->options |= words[i].option;
            return 1;
        }
    }
    if (is_option(parser, word, "stack", &value)) {
        if (parse_number(parser, value, 0, TS_HOOK_STACK_MOST, &bytes))
            return wrong(parser, value.from, "not a number of bytes up to 16384");
        signature->options |= TS_HOOK_STACK;
        signature->stack_bytes = (uint32_t)bytes;
        return 1;
    }
    if (is_option(parser, word, "label", &value)) {
        if (!is_printable(parser, value))
            return wrong(parser, value.from, "not a label");
        signature->label = (uint16_t)value.from;
        signature->label_bytes = (uint16_t)(value.to - value.from);
        return 1;
    }
    if (is_option(parser, word, "try", &value)) {
        if (!is_name(parser, value))
            return wrong(parser, value.from, "not a symbol");
        signature->try_symbol = (uint16_t)value.from;
        signature->try_symbol_bytes = (uint16_t)(value.to - value.from);
        return 1;
    }
    return 0;
}

static int parse_result_and_options(struct parser *parser, size_t at) {
    const struct ts_hook_signature *signature = parser->signature;
    struct span word = next_word(parser, &at, parser->length);
    struct span first = word;
    for (; word.from < word.to; word = next_word(parser, &at, parser->length)) {
        int option = parse_option(parser, word);
        if (option < 0)
            return -1;
        if (!option && word.from != first.from)
            return wrong(parser, word.from, "unknown option");
        if (!option && parse_result(parser, word))
            return -1;
    }
    if (signature->options & TS_HOOK_NORETURN && (signature->result >= 0 || signature->failure != TS_FAILS_NEVER))
        return wrong(parser, first.from, "a result of what does not return");
    return 0;
}

int ts_hook_signature_parse(struct ts_hook_signature *signature, const char *text, size_t length, const char **problem,
                            size_t *at) {
    struct parser parser = {.signature = signature, .text = text, .length = length};
    size_t behind = 0;
    int result = 0;

    *signature = (struct ts_hook_signature){.result = -1};
    if (length > UINT16_MAX)
        result = wrong(&parser, UINT16_MAX, "longer than 65535 bytes");
    else if (!length || (*text != '(' && *text != '='))
        result = wrong(&parser, 0, "neither ( nor = at its beginning");
    else if (*text == '(')
        result = parse_arguments(&parser, &behind);
    if (!result) {
        behind = skip_blanks(&parser, behind, length);
        if (behind < length && text[behind] != '=')
            result = wrong(&parser, behind, "neither = nor the end behind the parenthesis");
        else if (behind < length)
            result = parse_result_and_options(&parser, behind + 1);
    }
    if (result) {
        *problem = parser.problem;
        *at = parser.problem_at;
    }
    return result;
}
