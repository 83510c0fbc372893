/* The catalogue of hooks as a whole: it can be read, found, and does not contradict itself. */
#include "collector/hook_definitions.h"
#include "collector/hook_signature.h"

#include <criterion/criterion.h>
#include <string.h>

static const char *symbol_of(uint32_t i) {
    return ts_hook_definition_symbol(&ts_hook_definitions[i]);
}

static struct ts_hook_signature parsed(const struct ts_hook_definition *definition) {
    struct ts_hook_signature signature;
    const char *problem = "";
    size_t at = 0;
    const char *text = ts_hook_definition_signature(definition);
    int result = ts_hook_signature_parse(&signature, text, strlen(text), &problem, &at);
    cr_assert_eq(result, 0, "%s%s: %s at %zu", ts_hook_definition_symbol(definition), text, problem, at);
    return signature;
}

Test(hook_definitions, every_line_parses) {
    for (uint32_t i = 0; i < ts_hook_definition_count; i++)
        parsed(&ts_hook_definitions[i]);
}

Test(hook_definitions, they_are_many_and_no_pack_is_empty) {
    cr_expect_geq(ts_hook_definition_count, 250);
    uint32_t distinct = 0;
    for (uint32_t i = 0; i < ts_hook_definition_count; i++)
        distinct += ts_hook_definition_of(symbol_of(i)) == &ts_hook_definitions[i];
    cr_expect_geq(distinct, 250);
    for (uint32_t pack = 0; pack < ts_hook_pack_count; pack++) {
        uint32_t members = 0;
        for (uint32_t i = 0; i < ts_hook_definition_count; i++)
            members += ts_hook_definitions[i].pack == pack;
        cr_expect_gt(members, 0, "%s", ts_hook_packs[pack].name);
        cr_expect_neq(*ts_hook_packs[pack].meaning, 0);
    }
}

Test(hook_definitions, they_stand_by_symbol_and_then_by_pack) {
    for (uint32_t i = 1; i < ts_hook_definition_count; i++) {
        const struct ts_hook_definition *before = &ts_hook_definitions[i - 1], *this = &ts_hook_definitions[i];
        int order = strcmp(symbol_of(i - 1), symbol_of(i));
        cr_expect(order < 0 || (order == 0 && before->pack < this->pack), "%s, %s", symbol_of(i - 1), symbol_of(i));
    }
}

Test(hook_definitions, each_is_found_by_its_symbol) {
    for (uint32_t i = 0; i < ts_hook_definition_count; i++) {
        const struct ts_hook_definition *found = ts_hook_definition_of(symbol_of(i));
        while (found && found != &ts_hook_definitions[i])
            found = ts_hook_definition_next(found);
        cr_expect_eq(found, &ts_hook_definitions[i], "%s", symbol_of(i));
    }
    cr_expect_null(ts_hook_definition_of(""));
    cr_expect_null(ts_hook_definition_of("ope"));
    cr_expect_null(ts_hook_definition_of("open_"));
    cr_expect_null(ts_hook_definition_of("\xff"));
    cr_expect_null(ts_hook_definition_next(&ts_hook_definitions[ts_hook_definition_count - 1]));
}

Test(hook_definitions, a_symbol_of_two_packs_is_described_by_the_first) {
    const struct ts_hook_definition *lock = ts_hook_definition_of("pthread_mutex_lock");
    cr_assert_not_null(lock);
    cr_expect_str_eq(ts_hook_packs[lock->pack].name, "sync");
    lock = ts_hook_definition_next(lock);
    cr_assert_not_null(lock);
    cr_expect_str_eq(ts_hook_packs[lock->pack].name, "locks");
    cr_expect_null(ts_hook_definition_next(lock));
}

Test(hook_definitions, opt_in_packs_are_not_the_default) {
    for (uint32_t pack = 0; pack < ts_hook_pack_count; pack++) {
        const char *name = ts_hook_packs[pack].name;
        int opt_in = !strcmp(name, "locks") || !strcmp(name, "stdio") || !strcmp(name, "mem");
        cr_expect_eq(ts_hook_packs[pack].is_default, !opt_in, "%s", name);
    }
}

/* A lock of `locks` must not be tried first, or free ones would be missing. */
Test(hook_definitions, what_is_tried_first_is_a_wait_that_the_catalogue_knows) {
    uint32_t tried = 0;
    for (uint32_t i = 0; i < ts_hook_definition_count; i++) {
        struct ts_hook_signature signature = parsed(&ts_hook_definitions[i]);
        if (!signature.try_symbol_bytes)
            continue;
        char symbol[64] = "";
        cr_assert_lt(signature.try_symbol_bytes, sizeof symbol);
        memcpy(symbol, ts_hook_definition_signature(&ts_hook_definitions[i]) + signature.try_symbol,
               signature.try_symbol_bytes);
        cr_expect_str_eq(ts_hook_packs[ts_hook_definitions[i].pack].name, "sync");
        cr_expect_not_null(ts_hook_definition_of(symbol), "%s", symbol);
        tried++;
    }
    cr_expect_geq(tried, 5);
}

Test(hook_definitions, what_is_refused_is_refused_with_a_reason) {
    static const char *const refused[] = {
        "setjmp",
        "_setjmp",
        "__sigsetjmp",
        "vfork",
        "getcontext",
        "swapcontext",
        "makecontext",
        "jump_fcontext",
        "bthread_jump_fcontext",
        "____longjmp_chk",
        "___tls_get_addr",
        "longjmp",
        "__longjmp_chk",
        "mcount",
        "__fentry__",
        "__tls_get_addr",
        "__morestack",
        "__libc_start_main",
        "__cxa_finalize",
        "_ITM_beginTransaction",
        "_Unwind_Resume",
        "dlopen",
        "dlmopen",
        "dlsym",
        "dlvsym",
        "_Ux86_64_getcontext",
        "__cyg_profile_func_enter",
        "__asan_report_load8",
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        const char *reason = ts_hook_refusal(refused[i]);
        cr_expect_not_null(reason, "%s", refused[i]);
        cr_expect(!reason || *reason);
    }
    static const char *const taken[] = {
        "",     "init", "start", "jmp",   "set_context", "SSL_CTX_new",  "dl_iterate_phdr", "g_main_context_new",
        "fork", "open", "exit",  "clone", "dlclose",     "setjmp_count", "__cxa_throw",     "_",
    };
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        cr_expect_null(ts_hook_refusal(taken[i]), "%s: %s", taken[i], ts_hook_refusal(taken[i]));
}

/* The loader's functions are described, for the record of their entry, but no stub may stand before them. */
Test(hook_definitions, of_the_catalogue_only_what_the_shim_passes_through_is_refused) {
    for (uint32_t i = 0; i < ts_hook_definition_count; i++) {
        const struct ts_hook_definition *definition = &ts_hook_definitions[i];
        if (ts_hook_refusal(symbol_of(i))) {
            cr_expect_str_eq(ts_hook_packs[definition->pack].name, "dl");
            cr_expect(parsed(definition).options & TS_HOOK_NORETURN, "%s", symbol_of(i));
        }
    }
}
