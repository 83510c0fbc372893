/*
 * The file that keeps names: written, read back, and hostile. Cannot find: which questions a command asks
 * (tests/e2e/276-kept-names.sh).
 */
#include "render/kept_names_write.h"

#include "render/kept_names.h"
#include "render/memory.h"
#include "render/object_names.h"
#include "render/sites.h"
#include "tests/unit/render/compiled.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const uint8_t build_id[] = {0x0a, 0xff};

/* The file of these lines, with its end; the caller frees it. */
static char *file_of(const char *lines) {
    return ts_memory_text("%send %llx\n", lines, (unsigned long long)ts_kept_names_hash(lines, strlen(lines)));
}

static int parse(struct ts_kept_facts *facts, const char *file, size_t bytes, char **text) {
    struct ts_error error;
    *text = ts_memory_copy(file, bytes);
    return ts_kept_names_parse(facts, *text, bytes, &error);
}

#define HEAD "traceshim names 1\nmodule 0aff /lib/x.so\n"

Test(kept_names, every_kind_of_line_is_read) {
    char *file = file_of(HEAD "name 10 a\\x0ab c\nname 20\nstart 15 10\nstart 25\nsource 10 7 /a b.c\nsource 20\n"
                              "line 15 4294967295 x.c\ninlined 15 in\ninlined 15 inner\n"),
         *text;
    struct ts_kept_facts facts = {0};
    cr_assert_eq(parse(&facts, file, strlen(file), &text), 0);
    cr_assert_eq(facts.count, 9);
    const struct ts_kept_fact *fact = facts.facts;
    cr_expect_str_eq(fact[0].build_id, "0aff");
    cr_expect(fact[0].kind == TS_KEPT_NAME && fact[0].address == 0x10 && !fact[0].none);
    cr_expect_str_eq(fact[0].text, "a\nb c");
    cr_expect(fact[1].kind == TS_KEPT_NAME && fact[1].none && !fact[1].text);
    cr_expect(fact[2].kind == TS_KEPT_START && fact[2].number == 0x10 && !fact[2].none);
    cr_expect(fact[3].kind == TS_KEPT_START && fact[3].none);
    cr_expect(fact[4].kind == TS_KEPT_SOURCE && fact[4].number == 7 && !strcmp(fact[4].text, "/a b.c"));
    cr_expect(fact[5].kind == TS_KEPT_SOURCE && fact[5].none);
    cr_expect(fact[6].kind == TS_KEPT_LINE && fact[6].number == UINT32_MAX);
    cr_expect(fact[8].kind == TS_KEPT_INLINED && !strcmp(fact[8].text, "inner"));
    free(facts.facts);
    free(text);
    free(file);
}

Test(kept_names, what_breaks_the_format_is_refused_whole) {
    static const char *const lines[] = {
        "traceshim names 1\nname 10 before_any_module\n",
        HEAD "name 10 \n",
        HEAD "name 10 a\\x00b\n",
        HEAD "name 10 a\\x1\n",
        HEAD "name 10 a\\\n",
        HEAD "name 10 a\tb\n",
        HEAD "name 10 \x80\n",
        HEAD "name 10a\n\n",
        HEAD "name\n",
        HEAD "name  a\n",
        HEAD "name 11111111111111111 a\n",
        HEAD "start 10 g\n",
        HEAD "source 10 4294967296 x.c\n",
        HEAD "source 10 a x.c\n",
        HEAD "source 10 1\n",
        HEAD "line 10 1 \n",
        HEAD "inlined 10\n",
        HEAD "shape 10 a\n",
        HEAD "module 0af /odd\n",
        HEAD "module 0AFF /upper\n",
        HEAD "module  /none\n",
        HEAD "module 0aff\n",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char *file = file_of(lines[i]), *text;
        struct ts_kept_facts facts = {0};
        cr_expect_eq(parse(&facts, file, strlen(file), &text), -1, "%s", lines[i]);
        cr_expect_eq(facts.count, 0);
        free(facts.facts);
        free(text);
        free(file);
    }
}

Test(kept_names, a_file_that_is_cut_or_changed_is_refused, .timeout = 60) {
    char *file = file_of(HEAD "name 10 a\nsource 10 7 x.c\ninlined 15 in\n"), *text;
    size_t bytes = strlen(file);
    struct ts_kept_facts facts = {0};
    for (size_t cut = 0; cut < bytes; cut++) {
        cr_expect_eq(parse(&facts, file, cut, &text), -1, "cut at %zu", cut);
        free(text);
    }
    for (size_t bit = 0; bit < 8 * bytes; bit++) {
        file[bit / 8] ^= (char)(1 << bit % 8);
        cr_expect_eq(parse(&facts, file, bytes, &text), -1, "bit %zu", bit);
        file[bit / 8] ^= (char)(1 << bit % 8);
        free(text);
    }
    cr_expect_eq(facts.count, 0);
    cr_expect_eq(parse(&facts, file, bytes, &text), 0);
    free(text);
    free(facts.facts);
    free(file);
}

static const char *problem_with(const char *path, const struct ts_kept_names *kept) {
    const struct ts_text_list *problems = ts_kept_names_problems(kept);
    cr_assert_eq(problems->count, 1);
    cr_expect_eq(strncmp(problems->texts[0], path, strlen(path)), 0, "%s", problems->texts[0]);
    return problems->texts[0];
}

Test(kept_names, facts_are_found_by_build_id, .timeout = 60) {
    char *directory = compiled_directory();
    char *file = file_of(HEAD "inlined 15 a\ninlined 15 b\nname 10 f\nmodule 0a /y\nname 10 y\n"
                              "module 0aff /copy/x.so\ninlined 15 a\ninlined 15 b\n");
    const char *path = compiled_path(directory, TS_KEPT_FILE);
    compiled_write(path, file, strlen(file));
    struct ts_kept_names *kept = ts_kept_names_new();
    ts_kept_names_add_file(kept, "/nowhere/trace.names");
    ts_kept_names_add_file(kept, path);
    size_t count;
    const struct ts_kept_fact *fact = ts_kept_names_find(kept, build_id, 2, TS_KEPT_INLINED, 0x15, &count);
    cr_assert(fact && count == 2, "two modules of one build-id say it once");
    cr_expect(!strcmp(fact[0].text, "a") && !strcmp(fact[1].text, "b"));
    cr_expect_str_eq(ts_kept_names_find(kept, build_id, 2, TS_KEPT_NAME, 0x10, &count)->text, "f");
    cr_expect_str_eq(ts_kept_names_find(kept, build_id, 1, TS_KEPT_NAME, 0x10, &count)->text, "y");
    cr_expect_null(ts_kept_names_find(kept, build_id, 2, TS_KEPT_NAME, 0x11, &count));
    cr_expect_null(ts_kept_names_find(kept, build_id, 0, TS_KEPT_NAME, 0x10, &count), "a module without a build-id");
    cr_expect_eq(ts_kept_names_problems(kept)->count, 0);
    ts_kept_names_free(kept);
    free(file);
    compiled_remove(directory);
}

Test(kept_names, what_is_no_file_of_ours_is_told_once, .timeout = 20) {
    char *directory = compiled_directory();
    const char *path = compiled_path(directory, TS_KEPT_FILE);
    size_t count;
    static const struct {
        const char *content; /* NULL: a FIFO, which must not hang us */
        const char *why;
    } cases[] = {{NULL, "it is no regular file"},
                 {"", "it was not written by traceshim"},
                 {"traceshim names 12\n", "it is of another version of traceshim"},
                 {"traceshim names 1\n", "it is damaged"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unlink(path);
        if (cases[i].content)
            compiled_write(path, cases[i].content, strlen(cases[i].content));
        else
            cr_assert_eq(mkfifo(path, 0600), 0);
        struct ts_kept_names *kept = ts_kept_names_new();
        ts_kept_names_add_file(kept, path);
        for (int again = 0; again < 2; again++)
            cr_expect_null(ts_kept_names_find(kept, build_id, 2, TS_KEPT_NAME, 0x10, &count));
        const char *problem = problem_with(path, kept);
        cr_expect(strstr(problem, cases[i].why), "%s", problem);
        ts_kept_names_free(kept);
    }
    cr_assert_eq(truncate(path, (off_t)TS_KEPT_BYTES_MOST + 1), 0);
    struct ts_kept_names *kept = ts_kept_names_new();
    ts_kept_names_add_file(kept, path);
    cr_expect_null(ts_kept_names_find(kept, build_id, 2, TS_KEPT_NAME, 0x10, &count));
    cr_expect(strstr(problem_with(path, kept), "it is too large"));
    ts_kept_names_free(kept);
    compiled_remove(directory);
}

/* What a command asks of a module, and its answers in words; the caller frees them. */
static char *ask(struct ts_session *session, const char *path, uint64_t address, const char **problem) {
    const uint8_t id[] = {1, 2, 3, 4, 5, 6, 7, 8};
    struct ts_object *object = ts_functions_object(session->functions, path, id, sizeof id);
    struct ts_function *function = ts_functions_intern(session->functions, object, address);
    struct ts_function *unnamed = ts_functions_intern(session->functions, object, 1);
    struct ts_site *site = ts_sites_find(session->sites, object, address + 1);
    const char *name = ts_function_name(function), *at = ts_site_at(session->sites, site);
    ts_function_source(function);
    char *text =
        ts_memory_text("%s %s:%u %s %s %s", name, function->file ? function->file : "?", function->line, at ? at : "?",
                       ts_function_name(ts_site_function(session->sites, site)), ts_function_name(unnamed));
    *problem = object->problem;
    return text;
}

Test(kept_names, what_was_asked_is_answered_without_the_file, .timeout = 60) {
    char *directory = compiled_directory();
    compiled_run(directory, "cc -g -w -shared -fPIC -nostdlib -Wl,--build-id=0x0102030405060708 -o \"$D/libnames.so\" "
                            "tests/unit/render/fixtures/names.c");
    const char *path = compiled_path(directory, "libnames.so"), *problem;
    char *names = ts_memory_text("%s/" TS_KEPT_FILE, directory), *before = NULL;
    uint64_t address = compiled_address(path, "shown");
    struct ts_error error;
    for (int round = 0; round < 3; round++) {
        struct ts_session session = {.functions = ts_functions_new()};
        session.sites = ts_sites_new(session.functions);
        ts_kept_names_add_file(ts_functions_kept(session.functions), names);
        char *answers = ask(&session, path, address, &problem);
        cr_expect_null(problem, "%s", problem);
        cr_expect_eq(strncmp(answers, "shown ", 6), 0, "%s", answers);
        if (before)
            cr_expect_str_eq(answers, before);
        free(before);
        before = answers;
        cr_expect_eq(ts_kept_names_write(&session, directory, &error), 0);
        ts_sites_free(session.sites);
        ts_functions_free(session.functions);
        unlink(path);
    }
    /* Another function is not known: the problem is told, as it always was. */
    struct ts_session session = {.functions = ts_functions_new()};
    session.sites = ts_sites_new(session.functions);
    ts_kept_names_add_file(ts_functions_kept(session.functions), names);
    free(ask(&session, path, address + 0x1000, &problem));
    cr_assert(problem && strstr(problem, ": names are module+offset"), "%s", problem ? problem : "none");
    ts_sites_free(session.sites);
    ts_functions_free(session.functions);
    free(before);
    free(names);
    compiled_remove(directory);
}
