#include "render/kept_names.h"

#include "render/memory.h"

#include <string.h>

const char *const ts_kept_words[TS_KEPT_KINDS] = {"name", "start", "source", "line", "inlined"};

#define FIRST_LINE TS_KEPT_FIRST TS_KEPT_VERSION "\n"
enum { BUILD_ID_DIGITS_MOST = 128 };

uint64_t ts_kept_names_hash(const char *text, size_t bytes) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ (uint8_t)text[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* -1: none of ours. */
static int digit_of(char character) {
    if (character >= '0' && character <= '9')
        return character - '0';
    return character >= 'a' && character <= 'f' ? character - 'a' + 10 : -1;
}

/* A number at *at, which goes behind it. False where there is none, or one above `most`. */
static bool take_number(char **at, int base, uint64_t most, uint64_t *number) {
    char *start = *at;
    *number = 0;
    for (int digit; (digit = digit_of(**at)) >= 0; (*at)++) {
        if (digit >= base || *number > (most - (uint64_t)digit) / (uint64_t)base)
            return false;
        *number = *number * (uint64_t)base + (uint64_t)digit;
    }
    return *at > start;
}

static bool take_character(char **at, char character) {
    if (**at != character)
        return false;
    (*at)++;
    return true;
}

/* Takes the escapes out of a text that ends with its line, in place. */
static bool unescape(char *text) {
    char *to = text;
    for (char *at = text; *at; at++, to++) {
        *to = *at;
        if (*at < ' ' || *at > '~')
            return false;
        if (*at != '\\')
            continue;
        int high = at[1] == 'x' ? digit_of(at[2]) : -1, low = high >= 0 ? digit_of(at[3]) : -1;
        if (low < 0 || high + low == 0)
            return false;
        *to = (char)(high << 4 | low);
        at += 3;
    }
    *to = '\0';
    return true;
}

/* The line's word, when it is this one, with the space behind it. */
static bool take_word(char **at, const char *word) {
    size_t length = strlen(word);
    if (strncmp(*at, word, length) != 0 || (*at)[length] != ' ')
        return false;
    *at += length + 1;
    return true;
}

/* Into the fact that those of the module begin with. */
static bool parse_module(char *at, struct ts_kept_fact *module) {
    char *start = at;
    while (digit_of(*at) >= 0)
        at++;
    size_t digits = (size_t)(at - start);
    if (!digits || digits % 2 || digits > BUILD_ID_DIGITS_MOST || !take_character(&at, ' '))
        return false;
    at[-1] = '\0';
    module->build_id = start;
    module->path = at;
    return unescape(at);
}

/* What stands behind the address of a fact. */
static bool parse_answer(struct ts_kept_fact *fact, char *at) {
    fact->none = *at == '\0' && fact->kind != TS_KEPT_INLINED;
    if (fact->none)
        return true;
    if (!take_character(&at, ' '))
        return false;
    if (fact->kind == TS_KEPT_START)
        return take_number(&at, 16, UINT64_MAX, &fact->number) && !*at;
    bool has_line = fact->kind == TS_KEPT_SOURCE || fact->kind == TS_KEPT_LINE;
    if (has_line && (!take_number(&at, 10, UINT32_MAX, &fact->number) || !take_character(&at, ' ')))
        return false;
    fact->text = at;
    return *at && unescape(at);
}

static bool parse_fact(struct ts_kept_fact *fact, char *at) {
    int kind = 0;
    while (kind < TS_KEPT_KINDS && !take_word(&at, ts_kept_words[kind]))
        kind++;
    fact->kind = (uint8_t)kind;
    return kind < TS_KEPT_KINDS && take_number(&at, 16, UINT64_MAX, &fact->address) && parse_answer(fact, at);
}

/* Where the last line begins, when it is an end whose hash is right; NULL: the file was cut or changed. */
static char *find_end(char *text, size_t bytes) {
    uint64_t hash;
    if (text[bytes - 1] != '\n' || memchr(text, '\0', bytes))
        return NULL;
    text[bytes - 1] = '\0';
    char *newline = strrchr(text, '\n'), *at = newline ? newline + 1 : text;
    char *end = at;
    if (!take_word(&at, "end") || !take_number(&at, 16, UINT64_MAX, &hash) || *at)
        return NULL;
    return hash == ts_kept_names_hash(text, (size_t)(end - text)) ? end : NULL;
}

static bool parse_lines(struct ts_kept_facts *facts, char *at, const char *end) {
    struct ts_kept_fact module = {.build_id = NULL};
    while (at < end) {
        char *newline = strchr(at, '\n'), *of_module = at;
        *newline = '\0';
        if (take_word(&of_module, "module")) {
            if (!parse_module(of_module, &module))
                return false;
        } else {
            struct ts_kept_fact fact = module;
            fact.order = (uint32_t)facts->count;
            if (!fact.build_id || !parse_fact(&fact, at))
                return false;
            facts->facts = ts_memory_grow(facts->facts, &facts->capacity, facts->count + 1, sizeof *facts->facts);
            facts->facts[facts->count++] = fact;
        }
        at = newline + 1;
    }
    return true;
}

int ts_kept_names_parse(struct ts_kept_facts *facts, char *text, size_t bytes, struct ts_error *error) {
    size_t before = facts->count;
    text[bytes] = '\0';
    if (strncmp(text, TS_KEPT_FIRST, strlen(TS_KEPT_FIRST)) != 0)
        return ts_error_set(error, "it was not written by traceshim");
    if (strncmp(text, FIRST_LINE, strlen(FIRST_LINE)) != 0)
        return ts_error_set(error, "it is of another version of traceshim");
    char *end = find_end(text, bytes);
    if (end && parse_lines(facts, text + strlen(FIRST_LINE), end))
        return 0;
    facts->count = before;
    return ts_error_set(error, "it is damaged");
}
