/*
 * TRACE_HOOKS as entries, rules and choices, against the packs as they are, and choosing against a plain walk over all
 * rules. Cannot find: a pack that lacks a function (the list itself), and wrong signatures beyond their place.
 */
#include "collector/hook_selection.h"

#include "collector/glob.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct parsed {
    struct ts_hook_selection selection;
    char *text;
    uint32_t wrong;
    char said[4096]; /* "entry: problem\n" each */
};

static void say(void *context, const char *entry, uint32_t bytes, const char *problem) {
    struct parsed *parsed = context;
    size_t used = strlen(parsed->said);
    snprintf(parsed->said + used, sizeof parsed->said - used, "%.*s: %s\n", (int)bytes, entry, problem);
}

/* The text is copied, for a sanitizer to see a read past its end. */
static struct parsed *parse(const char *text) {
    struct parsed *parsed = calloc(1, sizeof *parsed);
    cr_assert(parsed && (parsed->text = strdup(text)));
    parsed->selection.capacity = ts_hook_selection_entries(parsed->text);
    parsed->selection.rules =
        malloc((parsed->selection.capacity + !parsed->selection.capacity) * sizeof *parsed->selection.rules);
    parsed->wrong = ts_hook_selection_parse(&parsed->selection, parsed->text, say, parsed);
    cr_expect_leq(parsed->selection.count + parsed->wrong, parsed->selection.capacity, "'%s'", text);
    return parsed;
}

static void done(struct parsed *parsed) {
    free(parsed->text);
    free(parsed->selection.rules);
    free(parsed);
}

/* kind|module|symbol|caller|signature */
static void describe(const struct ts_hook_rule *rule, char *to, size_t size) {
    const char *text = rule->text;
    snprintf(to, size, "%s%s|%.*s|%.*s|%.*s|%.*s", rule->excludes ? "-" : "",
             rule->pack >= 0    ? "pack"
             : rule->is_literal ? "name"
                                : "glob",
             (int)rule->module_bytes, text + rule->module, (int)rule->symbol_bytes, text + rule->symbol,
             (int)rule->caller_bytes, text + rule->caller, (int)rule->signature_bytes, text + rule->signature);
}

static const struct {
    const char *text;
    const char *rules; /* kind|module|symbol|caller|signature, one after the other, separated by ` ; ` */
} lists[] = {
    {"", ""},
    {" , ,, ", ""},
    {"io", "pack||io||"},
    {" io , net ", "pack||io|| ; pack||net||"},
    {"SSL_*,libz.so*:deflate*", "glob||SSL_*|| ; glob|libz.so*|deflate*||"},
    {"read@libcurl*", "name||read|libcurl*|"},
    {"io@prog,*@prog", "pack||io|prog| ; glob|||prog|"},
    {"*", "glob||||"},
    {"*:*@*", "glob||||"},
    {"libz.so.1:", "glob|libz.so.1|||"},
    {"@prog", "glob|||prog|"},
    {"read[v]", "glob||read[v]||"},
    {"io,-close,- net,-*@libfoo*", "pack||io|| ; -name||close|| ; -pack||net|| ; -glob|||libfoo*|"},
    {":time,time()", "name||time|| ; name||time||()"},
    {"libc*:time", "name|libc*|time||"},
    {"frob(path:path n:size)=null,read", "name||frob||(path:path n:size)=null ; name||read||"},
    {"f=int|0,100,101,read", "name||f||=int|0,100,101 ; name||read||"},
    {"f=0,100", "name||f||=0,100"},
    {"f()=int|-1,-2,x", "name||f||()=int|-1,-2 ; name||x||"},
    {"f()=int|0,100 stack=16,8cc", "name||f||()=int|0,100 stack=16 ; name||8cc||"},
    {"f()=fd|-1,close", "name||f||()=fd|-1 ; name||close||"},
    {"f()=int|0,7z.so:g", "name||f||()=int|0 ; name|7z.so|g||"},
    {"f=null,5", "name||f||=null ; name||5||"},
    {"SSL_*@lib*(ctx:ptr)=<=0,x", "glob||SSL_*|lib*|(ctx:ptr)=<=0 ; name||x||"},
    {"f()=int|0 label=a.b,io", "name||f||()=int|0 label=a.b ; pack||io||"},
};

Test(hook_selection, entries_are_told_apart) {
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        struct parsed *parsed = parse(lists[i].text);
        char all[1024] = "", one[256];
        for (uint32_t rule = 0; rule < parsed->selection.count; rule++) {
            describe(&parsed->selection.rules[rule], one, sizeof one);
            strncat(all, rule ? " ; " : "", sizeof all - strlen(all) - 1);
            strncat(all, one, sizeof all - strlen(all) - 1);
        }
        cr_expect_str_eq(all, lists[i].rules, "'%s' is '%s' %s", lists[i].text, all, parsed->said);
        cr_expect_eq(parsed->wrong, 0, "'%s': %s", lists[i].text, parsed->said);
        cr_expect_eq(parsed->selection.count, parsed->selection.capacity, "'%s'", lists[i].text);
        done(parsed);
    }
}

static const struct {
    const char *text;
    const char *said;
    uint32_t left; /* rules that are right */
} wrongs[] = {
    {"io,-,net", "-: names no function\n", 2},
    {"()=null", "()=null: names no function\n", 0},
    {"=null,io", "=null: names no function\n", 1},
    {"io net", "io net: a blank inside a name; entries are separated by commas\n", 0},
    {"read@", "read@: behind @ stands the module that calls\n", 0},
    {"read@@GLIBC_2.2.5", "read@@GLIBC_2.2.5: behind @ stands the module that calls, not a version\n", 0},
    {"/lib/libz.so.1:deflate", "/lib/libz.so.1:deflate: a module is named by its file name, without directories\n", 0},
    {"std::sort", "std::sort: functions of C++ are named as in their object file (_ZN...), without ::\n", 0},
    {"io,-read(fd:fd)", "-read(fd:fd): an exclude has no signature\n", 1},
    {"frob(path:path,net", "frob(path:path: the parenthesis is not closed\n", 1},
    {"frob(a:int,open(path:path)=fd|-1", "frob(a:int: the parenthesis is not closed\n", 1},
    {"frob(a:int, b:int),read", "frob(a:int,: unknown kind\n", 1},
    {"frob(n:int)@prog", "frob(n:int)@prog: @ and the module that calls stand before the signature\n", 0},
};

Test(hook_selection, wrong_entries_are_told_and_left_out) {
    for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++) {
        struct parsed *parsed = parse(wrongs[i].text);
        cr_expect_str_eq(parsed->said, wrongs[i].said, "'%s' told '%s'", wrongs[i].text, parsed->said);
        cr_expect_eq(parsed->wrong, 1);
        uint32_t implied = 0;
        for (uint32_t rule = 0; rule < parsed->selection.count; rule++)
            implied += parsed->selection.rules[rule].is_implied;
        cr_expect_eq(parsed->selection.count - implied, wrongs[i].left, "'%s'", wrongs[i].text);
        done(parsed);
    }
}

Test(hook_selection, a_wrong_signature_is_shown_up_to_the_wrong_word) {
    struct parsed *parsed = parse("io,frob(path:nosuchkind n:size)=null,net");
    cr_expect_eq(strncmp(parsed->said, "frob(path:nosuchkind: ", 22), 0, "%s", parsed->said);
    cr_expect_eq(parsed->selection.count, 2);
    done(parsed);
}

Test(hook_selection, room_that_is_too_small_is_no_overflow) {
    struct ts_hook_rule rules[2];
    struct parsed parsed = {.selection = {.rules = rules, .capacity = 1}};
    memset(&rules[1], 0xa5, sizeof rules[1]);
    cr_expect_eq(ts_hook_selection_parse(&parsed.selection, "io,net", say, &parsed), 1);
    cr_expect_eq(parsed.selection.count, 1);
    for (size_t i = 0; i < sizeof rules[1]; i++)
        cr_expect_eq(((unsigned char *)&rules[1])[i], 0xa5);
}

static const struct {
    const char *text;
    const char *symbol;
    const char *module;
    const char *caller;
    int selected;
    int named;
    const char *signature; /* its beginning; NULL: none */
} choices[] = {
    {"io", "read", "libc.so.6", "prog", 1, 1, "(fd:fd "},
    {"io", "frob", "libc.so.6", "prog", 0, 0, NULL},
    {"io", "socket", NULL, NULL, 0, 0, NULL},
    {"io,-close", "close", NULL, NULL, 0, 0, NULL},
    {"-close,io", "close", NULL, NULL, 1, 1, "("},
    {"io,-close,close", "close", NULL, NULL, 1, 1, "("},
    {"io,-io,read", "open", NULL, NULL, 0, 0, NULL},
    {"*", "frob", NULL, NULL, 1, 0, NULL},
    {"*", "read", NULL, NULL, 1, 0, "(fd:fd "},
    {"*,-r*", "read", NULL, NULL, 0, 0, NULL},
    {"read,*", "read", NULL, NULL, 1, 1, "("},
    {"read,-read,*", "read", NULL, NULL, 1, 0, "("},
    {"*,-*", "read", NULL, NULL, 0, 0, NULL},
    {"frob(n:size)=null,*", "frob", NULL, NULL, 1, 1, "(n:size)=null"},
    {"frob(n:size)=null,frob(a:int)", "frob", NULL, NULL, 1, 1, "(a:int)"},
    {"fr*(n:size)", "frob", NULL, NULL, 1, 1, "(n:size)"},
    {"read(n:size)", "read", NULL, NULL, 1, 1, "(n:size)"},
    {"libz.so*:*", "deflate", "libz.so.1", NULL, 1, 0, "("},
    {"libz.so*:*", "deflate", "libzng.so", NULL, 0, 0, NULL},
    {"libz.so*:*", "deflate", NULL, NULL, 0, 0, NULL},
    {"read@libcurl*", "read", NULL, "libcurl.so.4", 1, 1, "("},
    {"read@libcurl*", "read", NULL, "prog", 0, 0, NULL},
    {"io,-*@libfoo*", "read", NULL, "libfoo.so", 0, 0, NULL},
    {"io,-*@libfoo*", "read", NULL, "prog", 1, 1, "("},
    {"io@prog", "read", "libc.so.6", "prog", 1, 1, "("},
    {"io@prog", "read", "libc.so.6", "libz.so.1", 0, 0, NULL},
    {"-net", "read", NULL, NULL, 1, 1, "("},
    {"-net", "socket", NULL, NULL, 0, 0, NULL},
    {" -net", "frob", NULL, NULL, 0, 0, NULL},
    {"rea", "read", NULL, NULL, 0, 0, NULL},
    {"readv", "read", NULL, NULL, 0, 0, NULL},
    {"", "read", NULL, NULL, 0, 0, NULL},
};

Test(hook_selection, the_last_match_wins) {
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        struct parsed *parsed = parse(choices[i].text);
        struct ts_hook_choice choice =
            ts_hook_selection_choose(&parsed->selection, choices[i].symbol, choices[i].module, choices[i].caller, 0);
        const char *what = choices[i].text, *symbol = choices[i].symbol;
        cr_expect_eq(choice.selected, choices[i].selected, "'%s': %s", what, symbol);
        cr_expect_eq(choice.named, choices[i].named, "'%s': %s", what, symbol);
        cr_expect_eq(choice.signature != NULL, choices[i].signature != NULL, "'%s': %s", what, symbol);
        if (choice.signature && choices[i].signature)
            cr_expect_eq(strncmp(choice.signature, choices[i].signature, strlen(choices[i].signature)), 0,
                         "'%s': %s%.*s", what, symbol, (int)choice.signature_bytes, choice.signature);
        if (choice.selected)
            cr_expect(choice.rule < parsed->selection.count && !parsed->selection.rules[choice.rule].excludes);
        done(parsed);
    }
}

Test(hook_selection, the_pack_that_decides_gives_the_definition) {
    static const struct {
        const char *text;
        const char *pack;
    } packs[] = {{"sync", "sync"}, {"locks", "locks"}, {"sync,locks", "locks"}, {"locks,sync,*", "sync"}};
    for (size_t i = 0; i < sizeof packs / sizeof *packs; i++) {
        struct parsed *parsed = parse(packs[i].text);
        struct ts_hook_choice choice =
            ts_hook_selection_choose(&parsed->selection, "pthread_mutex_lock", NULL, NULL, 0);
        cr_assert(choice.definition != NULL);
        cr_expect_str_eq(ts_hook_packs[choice.definition->pack].name, packs[i].pack, "'%s'", packs[i].text);
        done(parsed);
    }
}

Test(hook_selection, the_default_names_packs_that_are_default) {
    struct parsed *parsed = parse(TS_HOOKS_DEFAULT);
    uint32_t defaults = 0;
    for (uint32_t i = 0; i < ts_hook_pack_count; i++)
        defaults += ts_hook_packs[i].is_default != 0;
    for (uint32_t i = 0; i < parsed->selection.count; i++) {
        cr_assert_geq(parsed->selection.rules[i].pack, 0, "%.*s is no pack", (int)parsed->selection.rules[i].text_bytes,
                      parsed->selection.rules[i].text);
        cr_expect(ts_hook_packs[parsed->selection.rules[i].pack].is_default);
    }
    cr_expect_eq(parsed->selection.count, defaults);
    done(parsed);
}

/* The contract, rule by rule, without hash or chains. */
static int chosen_plainly(const struct ts_hook_selection *selection, const char *symbol, const char *module,
                          const char *caller, int unknown) {
    int selected = 0;
    for (uint32_t i = 0; i < selection->count; i++) {
        const struct ts_hook_rule *rule = &selection->rules[i];
        const struct ts_hook_definition *definition = ts_hook_definition_of(symbol);
        while (definition && rule->pack >= 0 && definition->pack != (uint32_t)rule->pack)
            definition = ts_hook_definition_next(definition);
        int optimist = unknown && !rule->excludes;
        if (rule->pack >= 0
                ? !definition
                : rule->symbol_bytes && !ts_glob_matches(rule->text + rule->symbol, rule->symbol_bytes, symbol))
            continue;
        if (rule->module_bytes &&
            (module ? !ts_glob_matches(rule->text + rule->module, rule->module_bytes, module) : !optimist))
            continue;
        if (rule->caller_bytes &&
            (caller ? !ts_glob_matches(rule->text + rule->caller, rule->caller_bytes, caller) : !optimist))
            continue;
        selected = !rule->excludes;
    }
    return selected;
}

Test(hook_selection, choosing_agrees_with_a_plain_walk) {
    static const char *const entries[] = {"io",     "-io",     "net",    "locks",  "read",        "-read",
                                          "write",  "-wr*",    "*",      "-*",     "*@prog",      "-*@lib*",
                                          "libc*:", "-libc*:", "close",  "frob",   "io@lib*",     "-net@prog",
                                          "frob()", "r?ad",    "-[rw]*", "socket", "libx:socket", "poll"};
    static const char *const symbols[] = {"read", "write", "close", "frob", "socket", "pthread_mutex_lock",
                                          "poll", "x"};
    static const char *const modules[] = {NULL, "libc.so.6", "libx", "prog"};
    enum { ENTRIES = sizeof entries / sizeof *entries, SYMBOLS = sizeof symbols / sizeof *symbols, MODULES = 4 };
    uint64_t random = 1;
    for (int round = 0; round < 3000; round++) {
        char text[512] = "";
        for (int i = 0; i <= round % 12; i++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            strcat(text, i ? "," : "");
            strcat(text, entries[(random >> 33) % ENTRIES]);
        }
        struct parsed *parsed = parse(text);
        cr_assert_eq(parsed->wrong, 0);
        for (int i = 0; i < SYMBOLS * MODULES * MODULES * 2; i++) {
            const char *symbol = symbols[i % SYMBOLS], *module = modules[i / SYMBOLS % MODULES],
                       *caller = modules[i / SYMBOLS / MODULES % MODULES];
            int unknown = i / SYMBOLS / MODULES / MODULES;
            cr_assert_eq(ts_hook_selection_choose(&parsed->selection, symbol, module, caller, unknown).selected,
                         chosen_plainly(&parsed->selection, symbol, module, caller, unknown),
                         "'%s': %s of %s called by %s", text, symbol, module ? module : "?", caller ? caller : "?");
            cr_assert_eq(ts_hook_selection_may_select(&parsed->selection, symbol),
                         chosen_plainly(&parsed->selection, symbol, NULL, NULL, 1), "'%s': %s", text, symbol);
        }
        done(parsed);
    }
}

Test(hook_selection, thousands_of_names_are_found) {
    char *text = malloc(5000 * 16), *end = text, symbol[32];
    for (int i = 0; i < 5000; i++)
        end += sprintf(end, "%sfunction_%d", i ? "," : "", i);
    struct parsed *parsed = parse(text);
    cr_assert_eq(parsed->selection.count, 5000);
    for (int i = 0; i < 6000; i++) {
        snprintf(symbol, sizeof symbol, "function_%d", i);
        cr_assert_eq(ts_hook_selection_may_select(&parsed->selection, symbol), i < 5000, "%s", symbol);
    }
    done(parsed);
    free(text);
}

Test(hook_selection, no_text_is_read_past_its_end) {
    static const char bytes[] = "a1,-=|()@:* [";
    char text[8] = "";
    for (unsigned number = 0; number < 13 * 13 * 13 * 13 * 13; number++) {
        unsigned rest = number;
        for (int i = 0; i < 5; i++, rest /= 13)
            text[i] = bytes[rest % 13];
        struct parsed *parsed = parse(text);
        ts_hook_selection_may_select(&parsed->selection, "a1");
        done(parsed);
    }
}

Test(hook_selection, the_nearest_name_is_found) {
    static const struct {
        const char *name;
        const char *nearest;
    } names[] = {{"raed", "read"},    {"opne", "open"},  {"nett", "net"},  {"connekt", "connect"},
                 {"*wrte*", "write"}, {"locs", "locks"}, {"xy", NULL},     {"", NULL},
                 {"*", NULL},         {"read", "read"},  {"Read", "read"}, {"a_function_of_my_own", NULL}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *found = ts_hook_nearest(names[i].name, strlen(names[i].name));
        cr_expect(found && names[i].nearest ? !strcmp(found, names[i].nearest) : found == names[i].nearest,
                  "'%s' is near to %s", names[i].name, found ? found : "nothing");
    }
    char longest[1000];
    memset(longest, 'a', sizeof longest);
    cr_expect_null(ts_hook_nearest(longest, sizeof longest));
}
