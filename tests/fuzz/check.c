/* Written apart from render/utf8.c, text_escape.c and json_stream.c, whose work it judges. */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

static _Noreturn void fail(const char *what, const char *problem, const char *text, size_t at, size_t bytes) {
    size_t from = at < 40 ? 0 : at - 40, to = bytes - at < 40 ? bytes : at + 40;
    fprintf(stderr, "%s: %s at byte %zu of %zu: ", what, problem, at, bytes);
    for (size_t i = from; i < to; i++)
        fprintf(stderr, text[i] >= ' ' && text[i] < 0x7f ? "%c" : "\\x%02x", (unsigned char)text[i]);
    fputc('\n', stderr);
    abort();
}

/* RFC 3629, table by first byte. Returns the length, 0: invalid. */
static size_t decode(const unsigned char *text, size_t left, uint32_t *character) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = text[0] < 0x80 ? 1 : text[0] < 0xc0 ? 0 : text[0] < 0xe0 ? 2 : text[0] < 0xf0 ? 3 : 4;
    if (length == 0 || length > left || text[0] > 0xf4)
        return 0;
    *character = length == 1 ? text[0] : text[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
        *character = *character << 6 | (text[i] & 0x3f);
    }
    if (*character < least[length] || *character > 0x10ffff || (*character >= 0xd800 && *character < 0xe000))
        return 0;
    return length;
}

static int steers_terminal(uint32_t character) {
    if (character < 0x20)
        return character != '\n';
    return (character >= 0x7f && character <= 0x9f) || character == 0x061c || character == 0x200e ||
           character == 0x200f || (character >= 0x2028 && character <= 0x202e) ||
           (character >= 0x2066 && character <= 0x2069) || character == 0xfeff;
}

void fuzz_check_text(const char *what, const char *text, size_t bytes) {
    uint32_t character = 0;
    for (size_t at = 0, length; at < bytes; at += length) {
        length = decode((const unsigned char *)text + at, bytes - at, &character);
        if (!length)
            fail(what, "invalid UTF-8", text, at, bytes);
        if (steers_terminal(character))
            fail(what, "a character that steers the terminal", text, at, bytes);
    }
}

struct json {
    const char *what;
    const char *text;
    size_t bytes;
    size_t at;
};

static _Noreturn void json_fail(const struct json *json, const char *problem) {
    fail(json->what, problem, json->text, json->at, json->bytes);
}

static char peek(const struct json *json) {
    return json->at < json->bytes ? json->text[json->at] : '\0';
}

static void skip_spaces(struct json *json) {
    while (json->at < json->bytes && strchr(" \n\r\t", json->text[json->at]) && json->text[json->at])
        json->at++;
}

static void take(struct json *json, char wanted) {
    if (peek(json) != wanted)
        json_fail(json, "not JSON");
    json->at++;
}

static int is_digit(char c) {
    return c >= '0' && c <= '9';
}

static void take_digits(struct json *json) {
    if (!is_digit(peek(json)))
        json_fail(json, "a number without digits");
    while (is_digit(peek(json)))
        json->at++;
}

static void take_number(struct json *json) {
    if (peek(json) == '-')
        json->at++;
    if (peek(json) == '0')
        json->at++;
    else
        take_digits(json);
    if (peek(json) == '.') {
        json->at++;
        take_digits(json);
    }
    if (peek(json) == 'e' || peek(json) == 'E') {
        json->at++;
        if (peek(json) == '+' || peek(json) == '-')
            json->at++;
        take_digits(json);
    }
}

static void take_string(struct json *json) {
    take(json, '"');
    for (; peek(json) != '"'; json->at++) {
        if ((unsigned char)peek(json) < 0x20)
            json_fail(json, "a control character in a string, or its end is missing");
        if (peek(json) != '\\')
            continue;
        json->at++;
        if (!peek(json) || !strchr("\"\\/bfnrtu", peek(json)))
            json_fail(json, "an unknown escape");
        for (unsigned i = 0; json->text[json->at] == 'u' && i < 4; i++)
            if (json->at + 1 + i >= json->bytes || !strchr("0123456789abcdefABCDEF", json->text[json->at + 1 + i]))
                json_fail(json, "an escape without its digits");
    }
    json->at++;
}

static void take_scalar(struct json *json) {
    static const char *const words[] = {"true", "false", "null"};
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        if (json->bytes - json->at >= strlen(words[i]) && !memcmp(json->text + json->at, words[i], strlen(words[i]))) {
            json->at += strlen(words[i]);
            return;
        }
    if (peek(json) == '"')
        take_string(json);
    else
        take_number(json);
}

static void take_key(struct json *json) {
    take_string(json);
    skip_spaces(json);
    take(json, ':');
    skip_spaces(json);
}

/* Without recursion; what is written nests a few levels. */
void fuzz_check_json(const char *what, const char *text, size_t bytes) {
    enum { DEPTH = 32 };
    struct json json = {what, text, bytes, 0};
    char open[DEPTH];
    unsigned depth = 0;
    fuzz_check_text(what, text, bytes);
    skip_spaces(&json);
    for (int wants_value = 1; wants_value || depth;) {
        char c = peek(&json);
        if (wants_value && (c == '{' || c == '[')) {
            if (depth == DEPTH)
                json_fail(&json, "nested too deeply");
            open[depth++] = c == '{' ? '}' : ']';
            json.at++;
            skip_spaces(&json);
            wants_value = peek(&json) != open[depth - 1];
            if (wants_value && c == '{')
                take_key(&json);
        } else if (wants_value) {
            take_scalar(&json);
            wants_value = 0;
        } else if (c == ',') {
            json.at++;
            skip_spaces(&json);
            if (open[depth - 1] == '}')
                take_key(&json);
            wants_value = 1;
        } else {
            take(&json, open[--depth]);
        }
        skip_spaces(&json);
    }
    if (json.at != bytes)
        json_fail(&json, "something behind the value");
}
