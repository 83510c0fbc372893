#include "collector/hook_selection.h"
#include "collector/hook_selection_private.h"
#include "collector/text.h"

static int is_digit(char character) {
    return character >= '0' && character <= '9';
}

/* Whether the comma at `at` stands between two whole numbers: in a failure rule, a list of codes. */
static int is_between_codes(const char *text, uint32_t at) {
    uint32_t before = at, after = at + 1;
    while (before && is_digit(text[before - 1]))
        before--;
    if (before == at)
        return 0;
    before -= text[before - 1] == '-';
    if (text[before - 1] != '=' && text[before - 1] != '|' && text[before - 1] != ',')
        return 0;
    after += text[after] == '-';
    if (!is_digit(text[after]))
        return 0;
    while (is_digit(text[after]))
        after++;
    return !text[after] || text[after] == ',' || text[after] == ' ';
}

/* The parenthesis that closes the one at `at`; `at` itself where it is not closed before another opens. */
static uint32_t closing(const char *text, uint32_t at) {
    uint32_t close = at + 1;
    while (text[close] && text[close] != ')' && text[close] != '(')
        close++;
    return text[close] == ')' ? close : at;
}

/* Bytes up to the comma that ends the entry, or to the end of the text. */
static uint32_t entry_bytes(const char *text) {
    uint32_t at = 0;
    int in_rule = 0;
    for (; text[at]; at++) {
        if (text[at] == '(')
            at = closing(text, at);
        else if (text[at] == '=')
            in_rule = 1;
        else if (text[at] == ' ')
            in_rule = 0;
        else if (text[at] == ',' && !(in_rule && is_between_codes(text, at)))
            break;
    }
    return at;
}

static uint32_t skip_blanks(const char *text, uint32_t at) {
    while (text[at] == ' ' || text[at] == ',')
        at++;
    return at;
}

static int begins_with_exclude(const char *text) {
    return text[skip_blanks(text, 0)] == '-';
}

static uint32_t count_entries(const char *text) {
    uint32_t count = 0;
    for (uint32_t at = 0; text[at = skip_blanks(text, at)]; at += entry_bytes(text + at))
        count++;
    return count;
}

uint32_t ts_hook_selection_entries(const char *text) {
    return count_entries(text) + (begins_with_exclude(text) ? count_entries(TS_HOOKS_DEFAULT) : 0);
}

/* One place in a rule's text. */
struct part {
    uint32_t start;
    uint32_t end;
};

static uint32_t find(const char *text, struct part part, char character) {
    while (part.start < part.end && text[part.start] != character)
        part.start++;
    return part.start;
}

static int32_t pack_named(const char *name, uint32_t bytes) {
    for (uint32_t i = 0; i < ts_hook_pack_count; i++) {
        const char *pack = ts_hook_packs[i].name;
        uint32_t same = 0;
        while (same < bytes && pack[same] == name[same]) /* the name holds no NUL */
            same++;
        if (same == bytes && !pack[same])
            return (int32_t)i;
    }
    return -1;
}

static int has_pattern(const char *text, struct part part) {
    return find(text, part, '*') < part.end || find(text, part, '?') < part.end || find(text, part, '[') < part.end;
}

/* `*` is any, as nothing is. */
static uint32_t pattern_bytes(const char *text, struct part part) {
    return part.end - part.start == 1 && text[part.start] == '*' ? 0 : part.end - part.start;
}

/* The end of the word of a signature in which `at` lies. */
static uint32_t word_end(const struct ts_hook_rule *rule, uint32_t at) {
    static const char ends[] = " ()|=";
    uint32_t end = at;
    for (; end < rule->text_bytes; end++)
        for (const char *c = ends; *c; c++)
            if (rule->text[end] == *c)
                return end > at ? end : end + 1;
    return end;
}

static const char *check_signature(const struct ts_hook_rule *rule, uint32_t *wrong) {
    struct ts_hook_signature signature;
    const char *problem = NULL, *text = rule->text + rule->signature;
    size_t at = 0;
    if (!rule->signature_bytes)
        return NULL;
    if (rule->excludes)
        return "an exclude has no signature";
    if (text[0] == '(' && closing(text, 0) == 0)
        return "the parenthesis is not closed";
    if (ts_hook_signature_parse(&signature, text, rule->signature_bytes, &problem, &at) == 0)
        return NULL;
    if (find(text, (struct part){0, rule->signature_bytes}, '@') < rule->signature_bytes)
        return "@ and the module that calls stand before the signature";
    *wrong = word_end(rule, rule->signature + (uint32_t)at);
    return problem;
}

/*
 * Fills the rule in whose text and text_bytes are set. Returns NULL, or what is wrong, and in *wrong how far to show
 * the entry.
 */
static const char *parse_entry(struct ts_hook_rule *rule, uint32_t *wrong) {
    const char *text = rule->text;
    struct part symbol = {0, rule->text_bytes}, module = {0, 0}, caller = {0, 0};
    *wrong = rule->text_bytes;
    if (text[0] == '-') {
        rule->excludes = 1;
        symbol.start = 1;
    }
    while (symbol.start < symbol.end && text[symbol.start] == ' ')
        symbol.start++;
    uint32_t open = find(text, symbol, '('), equals = find(text, symbol, '=');
    rule->signature = open < equals ? open : equals;
    rule->signature_bytes = rule->text_bytes - rule->signature;
    symbol.end = rule->signature;
    while (symbol.end > symbol.start && text[symbol.end - 1] == ' ')
        symbol.end--;
    if (symbol.start == symbol.end)
        return "names no function";
    if (find(text, symbol, ' ') < symbol.end)
        return "a blank inside a name; entries are separated by commas";
    if (find(text, symbol, '/') < symbol.end)
        return "a module is named by its file name, without directories";

    uint32_t at = find(text, symbol, '@');
    if (at < symbol.end) {
        caller = (struct part){at + 1, symbol.end};
        symbol.end = at;
        if (caller.start == caller.end)
            return "behind @ stands the module that calls";
        if (find(text, caller, '@') < caller.end)
            return "behind @ stands the module that calls, not a version";
    }
    uint32_t colon = find(text, symbol, ':');
    int has_module = colon < symbol.end;
    if (has_module) {
        module = (struct part){symbol.start, colon};
        symbol.start = colon + 1;
        if (find(text, symbol, ':') < symbol.end)
            return "functions of C++ are named as in their object file (_ZN...), without ::";
    }
    rule->symbol = symbol.start;
    rule->symbol_bytes = pattern_bytes(text, symbol);
    rule->module = module.start;
    rule->module_bytes = pattern_bytes(text, module);
    rule->caller = caller.start;
    rule->caller_bytes = pattern_bytes(text, caller);
    if (!has_module && !rule->signature_bytes)
        rule->pack = pack_named(text + rule->symbol, rule->symbol_bytes);
    rule->is_literal = rule->symbol_bytes && rule->pack < 0 && !has_pattern(text, symbol);
    return check_signature(rule, wrong);
}

static void chain(struct ts_hook_selection *selection, uint32_t index) {
    struct ts_hook_rule *rule = &selection->rules[index];
    uint32_t *first = rule->pack >= 0 ? &selection->packs : &selection->globs;
    if (rule->pack >= 0)
        selection->pack_bits |= UINT32_C(1) << rule->pack;
    if (rule->is_literal) {
        rule->hash = ts_hook_hash(rule->text + rule->symbol, rule->symbol_bytes);
        first = &selection->rules[ts_hook_bucket(selection, rule->hash)].bucket;
        selection->literals = 1;
    }
    rule->next = *first;
    *first = index + 1;
}

struct listener {
    void (*say)(void *context, const char *entry, uint32_t bytes, const char *problem);
    void *context;
    uint32_t wrong;
};

static void parse_list(struct ts_hook_selection *selection, const char *text, int is_implied,
                       struct listener *listener) {
    uint32_t bytes;
    for (uint32_t at = 0; text[at = skip_blanks(text, at)]; at += bytes) {
        bytes = entry_bytes(text + at);
        uint32_t used = bytes, shown;
        while (text[at + used - 1] == ' ')
            used--;
        struct ts_hook_rule rule = {.text = text + at, .text_bytes = used, .pack = -1};
        const char *problem = parse_entry(&rule, &shown);
        if (!problem && selection->count == selection->capacity)
            problem = "too many entries";
        if (problem) {
            listener->wrong++;
            listener->say(listener->context, rule.text, shown, problem);
            continue;
        }
        rule.is_implied = (uint8_t)is_implied;
        rule.bucket = selection->rules[selection->count].bucket;
        selection->rules[selection->count] = rule;
        chain(selection, selection->count++);
    }
}

uint32_t ts_hook_selection_parse(struct ts_hook_selection *selection, const char *text,
                                 void (*say)(void *context, const char *entry, uint32_t bytes, const char *problem),
                                 void *context) {
    struct listener listener = {say, context, 0};
    selection->count = selection->packs = selection->pack_bits = selection->globs = selection->literals = 0;
    for (uint32_t i = 0; i < selection->capacity; i++)
        selection->rules[i].bucket = 0;
    if (begins_with_exclude(text))
        parse_list(selection, TS_HOOKS_DEFAULT, 1, &listener);
    parse_list(selection, text, 0, &listener);
    return listener.wrong;
}
