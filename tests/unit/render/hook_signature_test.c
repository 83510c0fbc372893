/*
 * Signatures of hooks: what is read, what is refused, when a call has failed. Cannot find: a line of hooks.def that is
 * well written but wrong (tests/hook_prototypes compares those with the headers).
 */
#include "collector/hook_definitions.h"
#include "collector/hook_signature.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct ts_hook_signature parsed(const char *text) {
    struct ts_hook_signature signature;
    const char *problem = "";
    size_t at = 0;
    int result = ts_hook_signature_parse(&signature, text, strlen(text), &problem, &at);
    cr_assert_eq(result, 0, "%s: %s at %zu", text, problem, at);
    return signature;
}

static int name_is(const char *text, const struct ts_hook_argument *argument, const char *name) {
    return argument->name_bytes == strlen(name) && !memcmp(text + argument->name, name, strlen(name));
}

Test(hook_signature, arguments_result_and_rule) {
    const char *text = "(path:path flags:oflags mode:omode)=fd|-1 cancel stack=0";
    struct ts_hook_signature signature = parsed(text);
    cr_expect_eq(signature.argument_count, 3);
    cr_expect(name_is(text, &signature.arguments[0], "path"));
    cr_expect(name_is(text, &signature.arguments[2], "mode"));
    cr_expect_eq(signature.arguments[0].kind, TS_HOOK_path);
    cr_expect_eq(signature.arguments[1].kind, TS_HOOK_oflags);
    cr_expect_eq(signature.arguments[2].kind, TS_HOOK_omode);
    cr_expect_eq(signature.result, TS_HOOK_fd);
    cr_expect_eq(signature.failure, TS_FAILS_MINUS_ONE);
    cr_expect_eq(signature.options, TS_HOOK_CANCEL | TS_HOOK_STACK | TS_HOOK_VARIADIC);
    cr_expect_eq(signature.stack_bytes, 0);
    cr_expect(signature.records_arguments);
    cr_expect_not(signature.records_results);
}

Test(hook_signature, either_side_may_be_left_out) {
    struct ts_hook_signature signature = parsed("=fd");
    cr_expect_eq(signature.result, TS_HOOK_fd);
    cr_expect_eq(signature.failure, TS_FAILS_NEVER);
    signature = parsed("(path:str n:size)=null");
    cr_expect_eq(signature.result, -1);
    cr_expect_eq(signature.failure, TS_FAILS_NULL);
    signature = parsed("=|-1");
    cr_expect_eq(signature.result, -1);
    cr_expect_eq(signature.failure, TS_FAILS_MINUS_ONE);
    signature = parsed("()");
    cr_expect_eq(signature.result, -1);
    cr_expect_eq(signature.argument_count, 0);
    cr_expect_not(signature.records_arguments);
    signature = parsed("()=");
    cr_expect_eq(signature.failure, TS_FAILS_NEVER);
    signature = parsed("()=noreturn");
    cr_expect_eq(signature.options, TS_HOOK_NORETURN);
    signature = parsed("( a:int\tb:ptr  ... ) = int|-1 ");
    cr_expect_eq(signature.argument_count, 2);
    cr_expect_eq(signature.options, TS_HOOK_VARIADIC);
}

Test(hook_signature, options) {
    const char *text = "(m:ptr)=errno stack=16384 noerrno try=pthread_mutex_trylock label=agent.dispatch";
    struct ts_hook_signature signature = parsed(text);
    cr_expect_eq(signature.options, TS_HOOK_STACK | TS_HOOK_NO_ERRNO);
    cr_expect_eq(signature.stack_bytes, 16384);
    cr_expect_eq(signature.label_bytes, 14);
    cr_expect(!memcmp(text + signature.label, "agent.dispatch", 14));
    cr_expect_eq(signature.try_symbol_bytes, 21);
    cr_expect(!memcmp(text + signature.try_symbol, "pthread_mutex_trylock", 21));
}

Test(hook_signature, what_the_call_fills_is_told_from_what_it_is_given) {
    struct ts_hook_signature signature = parsed("(fds:fds_out)=int|-1");
    cr_expect(signature.records_results);
    cr_expect_not(signature.records_arguments);
    signature = parsed("(buffer:skip buffer:skip)=");
    cr_expect_not(signature.records_results);
    cr_expect_not(signature.records_arguments);
    signature = parsed("(fd:fd a:address_out n:length)=fd|-1");
    cr_expect(signature.records_results);
    cr_expect(signature.records_arguments);
}

Test(hook_signature, what_is_wrong_is_named_and_where) {
    static const struct {
        const char *text;
        const char *problem;
        size_t at;
    } cases[] = {
        {"", "neither ( nor = at its beginning", 0},
        {"path:path", "neither ( nor = at its beginning", 0},
        {" (a:int)", "neither ( nor = at its beginning", 0},
        {"(a:int", "no closing parenthesis", 6},
        {"(", "no closing parenthesis", 1},
        {"(a:int)x", "neither = nor the end behind the parenthesis", 7},
        {"(a:int)(b:int)", "neither = nor the end behind the parenthesis", 7},
        {"(a)", "not name:kind", 1},
        {"(a:int, b:int)", "unknown kind", 3},
        {"(:int)", "not a name", 1},
        {"(9a:int)", "not a name", 1},
        {"(.a:int)", "not a name", 1},
        {"(a-b:int)", "not a name", 1},
        {"(\xc3\xa4:int)", "not a name", 1},
        {"(a:)", "unknown kind", 3},
        {"(a:integer)", "unknown kind", 3},
        {"(a:in)", "unknown kind", 3},
        {"(a:int:int)", "unknown kind", 3},
        {"(a:int a:fd)", "two arguments of this name", 7},
        {"(... a:int)", "an argument behind the variadic ones", 5},
        {"(f:oflags m:omode a:int)", "an argument behind the variadic ones", 18},
        {"(... ...)", "an argument behind the variadic ones", 5},
        {"(mode:omode)", "an omode needs oflags before it", 6},
        {"(a:address)", "an address is followed by its length", 10},
        {"(a:address_out b:int)", "an address is followed by its length", 17},
        {"(n:length)", "a length of no address", 3},
        {"(a:address n:length m:length)", "a length of no address", 22},
        {"(a:int b:int c:int d:int e:int f:int g:int h:int i:int j:int k:int l:int m:int n:int o:int p:int q:int)",
         "more than 16 arguments", 97},
        {"=wat", "unknown kind or rule", 1},
        {"=wat|-1", "unknown kind", 1},
        {"=fd|wat", "unknown kind or rule", 4},
        {"=fd|", "a rule is missing", 4},
        {"=|", "a rule is missing", 2},
        {"=fd|-1|-1", "unknown kind or rule", 4},
        {"=path", "not a kind of results", 1},
        {"=skip", "not a kind of results", 1},
        {"=omode|-1", "not a kind of results", 1},
        {"=fds_out", "not a kind of results", 1},
        {"=int|null", "a rule that does not fit the result", 5},
        {"=ptr|errno", "a rule that does not fit the result", 5},
        {"=file|<0", "a rule that does not fit the result", 6},
        {"=int|0,", "not a code", 7},
        {"=int|0,,1", "not a code", 7},
        {"=int|0,2147483648", "not a code", 7},
        {"=int|0,-2147483649", "not a code", 7},
        {"=int|0,99999999999999999999999", "not a code", 7},
        {"=int|--1", "unknown kind or rule", 5},
        {"=int|0,1,2,3,4,5,6,7,8", "more than 8 codes", 21},
        {"=int|-1 wat", "unknown option", 8},
        {"=stack=0 int", "unknown option", 9},
        {"=int stack=", "not a number of bytes up to 16384", 11},
        {"=int stack=-8", "not a number of bytes up to 16384", 11},
        {"=int stack=16385", "not a number of bytes up to 16384", 11},
        {"=int stack=8k", "not a number of bytes up to 16384", 11},
        {"=int label=", "not a label", 11},
        {"=int label=a\x01", "not a label", 11},
        {"=int try=a-b", "not a symbol", 9},
        {"=int|-1 noreturn", "a result of what does not return", 1},
        {"=null noreturn", "a result of what does not return", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ts_hook_signature signature;
        const char *problem = "none";
        size_t at = 9999;
        int result = ts_hook_signature_parse(&signature, cases[i].text, strlen(cases[i].text), &problem, &at);
        cr_expect_eq(result, -1, "%s was taken", cases[i].text);
        cr_expect_str_eq(problem, cases[i].problem, "%s: '%s'", cases[i].text, problem);
        cr_expect_eq(at, cases[i].at, "%s: at %zu, not %zu", cases[i].text, at, cases[i].at);
    }
}

Test(hook_signature, a_nul_and_a_long_text_are_refused) {
    struct ts_hook_signature signature;
    const char *problem = "none";
    size_t at = 0;
    cr_expect_eq(ts_hook_signature_parse(&signature, "(a:int\0)", 8, &problem, &at), -1);
    cr_expect_str_eq(problem, "unknown kind");
    size_t length = 65536;
    char *text = malloc(length);
    memset(text, ' ', length);
    text[0] = '=';
    cr_expect_eq(ts_hook_signature_parse(&signature, text, length, &problem, &at), -1);
    cr_expect_str_eq(problem, "longer than 65535 bytes");
    cr_expect_eq(at, 65535);
    cr_expect_eq(ts_hook_signature_parse(&signature, text, length - 1, &problem, &at), 0);
    memcpy(text + length - 9, " label=zz", 9);
    cr_expect_eq(ts_hook_signature_parse(&signature, text, length - 1, &problem, &at), 0);
    cr_expect_eq(signature.label, 65534);
    free(text);
}

static uint64_t next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* In memory of exactly its length, so that a sanitizer sees a byte too much. */
static void parse_mutated(const char *text, size_t length, uint64_t *random) {
    static const char alphabet[] = "()=|:. ,-<!0123456789abcdefst_\t\n\x80";
    size_t cut = next_random(random) % 4 ? length : next_random(random) % (length + 1);
    char *copy = malloc(cut ? cut : 1);
    memcpy(copy, text, cut);
    for (uint64_t changes = next_random(random) % 4; cut && changes; changes--)
        copy[next_random(random) % cut] = alphabet[next_random(random) % sizeof alphabet];

    struct ts_hook_signature signature;
    const char *problem = 0;
    size_t at = SIZE_MAX;
    if (ts_hook_signature_parse(&signature, copy, cut, &problem, &at)) {
        cr_assert_not_null(problem);
        cr_assert_leq(at, cut);
    } else {
        cr_assert_leq(signature.argument_count, TS_HOOK_ARGUMENTS_MOST);
        cr_assert_leq(signature.code_count, TS_HOOK_CODES_MOST);
        cr_assert_leq(signature.stack_bytes, TS_HOOK_STACK_MOST);
        cr_assert_lt(signature.result, TS_HOOK_KINDS);
        cr_assert_leq((size_t)signature.label + signature.label_bytes, cut);
        cr_assert_leq((size_t)signature.try_symbol + signature.try_symbol_bytes, cut);
        for (uint32_t i = 0; i < signature.argument_count; i++) {
            cr_assert_lt(signature.arguments[i].kind, TS_HOOK_KINDS);
            cr_assert_leq((size_t)signature.arguments[i].name + signature.arguments[i].name_bytes, cut);
        }
        ts_hook_has_failed(&signature, next_random(random));
    }
    free(copy);
}

Test(hook_signature, no_mutation_of_any_line_is_read_beyond_its_end) {
    uint64_t random = 42;
    for (uint32_t round = 0; round < 20; round++)
        for (uint32_t i = 0; i < ts_hook_definition_count; i++) {
            const char *signature = ts_hook_definition_signature(&ts_hook_definitions[i]);
            parse_mutated(signature, strlen(signature), &random);
        }
}

Test(hook_signature, failures_by_rule) {
    static const uint64_t minus_one_32 = 0xffffffff, minus_one = UINT64_MAX, garbage_above_zero = 0xdead00000000;
    static const struct {
        const char *text;
        uint64_t value;
        int failed;
        uint32_t error; /* with an errno of EIO */
    } cases[] = {
        {"=fd|-1", minus_one_32, 1, EIO},
        {"=fd|-1", minus_one, 1, EIO},
        {"=fd|-1", 3, 0, EIO},
        {"=fd|-1 noerrno", minus_one_32, 1, 0},
        {"=uint|-1", minus_one_32, 1, EIO},
        {"=size|-1", minus_one_32, 0, EIO},
        {"=size|-1", minus_one, 1, EIO},
        {"=ptr|-1", minus_one, 1, EIO},
        {"=ptr|-1", 0, 0, EIO},
        {"=-1", minus_one_32, 1, EIO},
        {"=-1", 0, 0, EIO},
        {"=ptr|null", 0, 1, EIO},
        {"=ptr|null", garbage_above_zero, 0, EIO},
        {"=null", garbage_above_zero, 0, EIO},
        {"=file|null noerrno", 0, 1, 0},
        {"=int|<0", 0x80000000, 1, EIO},
        {"=int|<0", 0x7fffffff, 0, EIO},
        {"=long|<0", 0x80000000, 0, EIO},
        {"=errno", ENOENT, 1, ENOENT},
        {"=int|errno", garbage_above_zero, 0, 0},
        {"=int|!=0", 5, 1, 0},
        {"=int|!=0", garbage_above_zero, 0, 0},
        {"=int|nonzero", 5, 1, EIO},
        {"=int|eof", minus_one_32, 1, EIO},
        {"=int|eof", 'x', 0, EIO},
        {"=int|<=0", 0, 1, 0},
        {"=int|<=0", 1, 0, 0},
        {"=int|0,100,101", 100, 0, 0},
        {"=int|0,100,101", 5, 1, 0},
        {"=int|0,-5", 0xfffffffb, 0, 0},
        {"=int|1", 0, 1, 0},
        {"=int", minus_one, 0, 0},
        {"=", minus_one, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ts_hook_signature signature = parsed(cases[i].text);
        cr_expect_eq(!!ts_hook_has_failed(&signature, cases[i].value), cases[i].failed, "%s of %#lx", cases[i].text,
                     (unsigned long)cases[i].value);
        cr_expect_eq(ts_hook_failure_errno(&signature, cases[i].value, EIO), cases[i].error, "%s of %#lx: %u",
                     cases[i].text, (unsigned long)cases[i].value,
                     ts_hook_failure_errno(&signature, cases[i].value, EIO));
    }
}

Test(hook_signature, results_as_their_type_has_them) {
    struct ts_hook_signature signature = parsed("=int");
    cr_expect_eq(ts_hook_result_value(&signature, 0x1fffffffe), -2);
    signature = parsed("=mode");
    cr_expect_eq(ts_hook_result_value(&signature, 0x1fffffffe), 0xfffffffe);
    signature = parsed("=size");
    cr_expect_eq(ts_hook_result_value(&signature, 0x1fffffffe), 0x1fffffffe);
    signature = parsed("=ptr|null");
    cr_expect_eq(ts_hook_result_value(&signature, 0x7fff00000000), 0x7fff00000000);
}

Test(hook_signature, kinds_are_named_and_numbers_beyond_them_are_harmless) {
    for (uint32_t kind = 0; kind < TS_HOOK_KINDS; kind++) {
        cr_expect_neq(*ts_hook_kind_name(kind), 0);
        cr_expect_neq(*ts_hook_kind_meaning(kind), 0);
    }
    cr_expect_eq(ts_hook_kind_store(TS_HOOK_path), TS_ARGUMENT_TEXT);
    cr_expect_eq(ts_hook_kind_type(TS_HOOK_path), TS_HOOK_TYPE_POINTER);
    cr_expect_eq(ts_hook_kind_store(TS_HOOK_KINDS), TS_ARGUMENT_NONE);
    cr_expect_str_eq(ts_hook_kind_name(UINT32_MAX), "?");
}
