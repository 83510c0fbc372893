/*
 * TRACE_HOOKS as anybody may write it: the selection, its signatures and globs, and the words of a command line. Input:
 * texts that end with NUL; the first is the selection, the others are names and arguments.
 */
#include "collector/glob.h"
#include "render/hook_option.h"
#include "render/options_parse.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS_MOST = 16 };

static void check_part(size_t offset, size_t bytes, size_t length) {
    if (offset > length || bytes > length - offset)
        abort();
}

static void parse_signature(const char *text, size_t length) {
    struct ts_hook_signature signature;
    const char *problem = NULL;
    size_t at = 0;
    if (ts_hook_signature_parse(&signature, text, length, &problem, &at) != 0) {
        if (!problem || at > length)
            abort();
        return;
    }
    if (signature.argument_count > TS_HOOK_ARGUMENTS_MOST || signature.code_count > TS_HOOK_CODES_MOST)
        abort();
    for (uint32_t i = 0; i < signature.argument_count; i++) {
        check_part(signature.arguments[i].name, signature.arguments[i].name_bytes, length);
        ts_hook_kind_store(signature.arguments[i].kind);
    }
    check_part(signature.label, signature.label_bytes, length);
    check_part(signature.try_symbol, signature.try_symbol_bytes, length);
    uint64_t value = length;
    ts_hook_has_failed(&signature, value - 2);
    ts_hook_failure_errno(&signature, value, 1);
    ts_hook_result_value(&signature, ~value);
}

static void use_selection(char **words, unsigned count) {
    struct ts_hook_selection selection;
    char *wrong;
    ts_hook_option_parse(&selection, words[0], &wrong);
    for (uint32_t i = 0; i < selection.count; i++) {
        const struct ts_hook_rule *rule = &selection.rules[i];
        check_part(rule->symbol, rule->symbol_bytes, rule->text_bytes);
        check_part(rule->module, rule->module_bytes, rule->text_bytes);
        check_part(rule->caller, rule->caller_bytes, rule->text_bytes);
        check_part(rule->signature, rule->signature_bytes, rule->text_bytes);
    }
    for (unsigned i = 1; i < count; i++) {
        const char *other = words[count - i];
        struct ts_hook_choice choice = ts_hook_selection_choose(&selection, words[i], other, words[0], (int)(i & 1));
        if (choice.selected && !ts_hook_selection_may_select(&selection, words[i]))
            abort();
        if (choice.signature)
            parse_signature(choice.signature, choice.signature_bytes);
        ts_hook_selection_count(&selection, words[i], other, NULL);
    }
    free(selection.rules);
    free(wrong);
}

static void use_words(char **words, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        const char *other = words[count - 1 - i];
        parse_signature(words[i], strlen(words[i]));
        ts_glob_matches(other, strlen(other), words[i]);
        ts_glob_list_selects(other, words[i]);
        if (i == 1) /* a look at every function that is known */
            ts_hook_nearest(words[i], strlen(words[i]));
        ts_hook_refusal(words[i]);
    }
}

static void parse_command_line(char **words, unsigned count) {
    int flag;
    uint64_t number;
    const char *text;
    const struct ts_option options[] = {
        {.name = "--flag", .number = 1, .target = &flag},
        {.name = "--count", .value = "N", .kind = TS_OPTION_COUNT, .target = &number},
        {.name = "--text", .value = "TEXT", .kind = TS_OPTION_TEXT, .target = &text},
        {.name = "-o", .value = "FILE", .kind = TS_OPTION_TEXT, .target = &text},
        {.name = NULL},
    };
    struct ts_error error = {""};
    int first = ts_options_parse(options, (int)count, words, false, &error);
    if (first > (int)count || first == 0 || (first == TS_OPTIONS_ERROR && !error.text[0]))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1), *words[WORDS_MOST + 1];
    unsigned count = 0;
    if (!text)
        abort();
    memcpy(text, data, size);
    text[size] = '\0';
    for (size_t at = 0; at <= size && count < WORDS_MOST; at += strlen(text + at) + 1)
        words[count++] = text + at;
    words[count] = NULL;
    use_selection(words, count);
    use_words(words, count);
    parse_command_line(words, count);
    free(text);
    return 0;
}
