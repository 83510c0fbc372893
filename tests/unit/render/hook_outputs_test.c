/*
 * One small session of hooked calls in every output: tree, merged tree, report, Chrome JSON, info, dump. Finds a value
 * or an error that one of them loses or shows otherwise. Rows A20, A21, A22, A23, A28, A29, C10, C19.
 */
#include "render/chrome_sink.h"
#include "render/dump.h"
#include "render/formats.h"
#include "render/info.h"
#include "render/report.h"
#include "render/tree_views.h"
#include "tests/unit/render/replay_text.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STUB UINT64_C(0x7f0000100000)
enum { OPEN, READ, CLOSE, EXIT, SQLITE, PLUGIN };

static const struct trace_values no_values;

static void hook(struct trace_builder *builder, unsigned number, const char *name, const char *module,
                 const char *signature, const char *pack, uint32_t flags) {
    const struct trace_hook hook = {STUB + number * 16, 0, name, module, signature, pack, flags};
    trace_builder_hook(builder, TRACE_NS(1), &hook);
}

static struct trace_builder *hooked(void) {
    struct trace_builder *builder = trace_builder_new(100);
    trace_builder_executable(builder, "/nowhere/demo", 0x200000);
    hook(builder, OPEN, "open", "/lib/libc.so.6", "(path:path flags:oflags)=fd|-1", "io", 0);
    hook(builder, READ, "read", "/lib/libc.so.6", "(fd:fd buffer:skip size:size)=size|-1", "io", 0);
    hook(builder, CLOSE, "close", "/lib/libc.so.6", "(fd:fd)=int|-1", "io", 0);
    hook(builder, EXIT, "exit", "/lib/libc.so.6", "(status:int)=noreturn", "proc", TS_HOOK_ENTRY_ONLY);
    hook(builder, SQLITE, "sqlite3_step", "/lib/libsqlite3.so.0", "()=int|0,100,101 label=db.step", "sqlite3", 0);
    hook(builder, PLUGIN, "plug", "/opt/plugin.so", NULL, NULL, 0);
    trace_builder_window(builder, 1, TRACE_NS(1000));
    return builder;
}

static void enter(struct trace_builder *builder, uint64_t clock, unsigned number, const struct trace_values *values) {
    trace_builder_enter_values(builder, clock, STUB + number * 16, values);
}

static void failing_open(struct trace_builder *builder, uint64_t clock, const char *path) {
    struct trace_values values = {.count = 0};
    trace_values_text(&values, path);
    trace_values_word(&values, 02000000);
    enter(builder, clock, OPEN, &values);
    trace_builder_result(builder, clock + TRACE_NS(500), TS_RESULT_FAILED | 2, UINT64_MAX, &no_values);
}

/* main opens in vain, reads, steps, is left by an exception through a hooked call, exits. */
static struct ts_session *session_of_everything(void) {
    struct trace_builder *builder = hooked();
    struct trace_values read = {.count = 0};
    struct trace_values one = {.count = 0};
    trace_values_word(&read, 3);
    trace_values_long(&read, UINT64_C(1) << 60);
    trace_values_word(&one, 3);
    trace_builder_enter(builder, TRACE_NS(1000), 0x200400);
    failing_open(builder, TRACE_NS(2000), "/no\"\n\xff");
    trace_builder_descriptor(builder, 3, "/etc/passwd", NULL, 0, NULL, 0);
    enter(builder, TRACE_NS(3000), READ, &read);
    trace_builder_result(builder, TRACE_NS(4000), 0, 42, &no_values);
    enter(builder, TRACE_NS(5000), CLOSE, &one);
    trace_builder_result(builder, TRACE_NS(5500), 0, 0, &no_values);
    enter(builder, TRACE_NS(6000), SQLITE, &no_values);
    trace_builder_result(builder, TRACE_NS(7000), TS_RESULT_FAILED, 14, &no_values);
    enter(builder, TRACE_NS(8000), PLUGIN, &no_values);
    trace_builder_throw(builder, TRACE_NS(8100));
    trace_builder_unwind(builder, TRACE_NS(8500), 1, TS_UNWIND_EXCEPTION);
    trace_builder_catch(builder, TRACE_NS(8600));
    enter(builder, TRACE_NS(9000), EXIT, &one);
    trace_builder_exit(builder, TRACE_NS(9001));
    return replay_open(builder);
}

static char *format(struct ts_session *session, enum ts_tree_view view) {
    char *text = NULL;
    size_t bytes;
    struct ts_error error;
    FILE *out = open_memstream(&text, &bytes);
    cr_assert_eq(ts_format_tree(session, &(struct ts_format_options){.view = view}, out, &error), 0);
    fclose(out);
    return text;
}

Test(hook_outputs, tree_of_calls) {
    struct ts_session *session = session_of_everything();
    char *tree = format(session, TS_TREE_CALLS);
    cr_expect_str_eq(
        tree,
        "└── demo+0x400 (unfinished, >= 8.0 µs) {demo}\n"
        "    ├── open (500 ns) {libc.so.6} [ERROR] [path='/no\"\\n\\xff', flags=O_RDONLY|O_CLOEXEC, error='ENOENT']\n"
        "    ├── read (1.0 µs) {libc.so.6} [fd=3, fd.path='/etc/passwd', size=1152921504606846976, result=42]\n"
        "    ├── close (500 ns) {libc.so.6} [fd=3, fd.path='/etc/passwd']\n"
        "    ├── sqlite3_step (1.0 µs) {libsqlite3.so.0} [ERROR] [label='db.step', error=14]\n"
        "    ├── plug (500 ns) {plugin.so} [ERROR] [error='exception', unwound=True]\n"
        "    └── exit (0 ns) {libc.so.6} [status=3]\n");
    free(tree);
    replay_close(session);
}

Test(hook_outputs, merged_tree_counts_errors) {
    struct trace_builder *builder = hooked();
    failing_open(builder, TRACE_NS(2000), "/x");
    failing_open(builder, TRACE_NS(3000), "/y");
    enter(builder, TRACE_NS(4000), OPEN, &no_values);
    trace_builder_result(builder, TRACE_NS(5000), 0, 3, &no_values);
    enter(builder, TRACE_NS(6000), SQLITE, &no_values);
    trace_builder_result(builder, TRACE_NS(6500), 0, 100, &no_values);
    struct ts_session *session = replay_open(builder);
    char *tree = format(session, TS_TREE_MERGED);
    cr_expect_str_eq(tree,
                     "├── open (2.0 µs) {libc.so.6} [ERROR] [calls=3, self=2.0 µs, avg=666 ns, max=1.0 µs, errors=2]\n"
                     "└── sqlite3_step (500 ns) {libsqlite3.so.0} [label='db.step', calls=1, self=500 ns, avg=500 ns, "
                     "max=500 ns]\n");
    free(tree);
    replay_close(session);
}

Test(hook_outputs, report_counts_errors) {
    struct ts_session *session = session_of_everything();
    char *text = NULL;
    size_t bytes;
    struct ts_error error;
    FILE *out = open_memstream(&text, &bytes);
    struct ts_report_options options = {.sort = TS_REPORT_ERRORS, .layout = TS_REPORT_CSV};
    cr_assert_eq(ts_report_write(session, &options, out, &error), 0);
    fputs("--\n", out);
    options.layout = TS_REPORT_TEXT;
    cr_assert_eq(ts_report_write(session, &options, out, &error), 0);
    fclose(out);
    cr_expect_not_null(strstr(text, "\n1,500,500,500,500,500,1,\"open\",\"libc.so.6\",0,0\n"), "%s", text);
    cr_expect_not_null(strstr(text, "\n1,500,500,500,500,500,1,\"plug\",\"plugin.so\",0,1\n"));
    cr_expect_not_null(strstr(text, "\n1,1000,1000,1000,1000,1000,1,\"sqlite3_step\",\"libsqlite3.so.0\",0,0\n"));
    cr_expect_not_null(strstr(text, "\n1,500,500,500,500,500,0,\"close\",\"libc.so.6\",0,0\n"));
    cr_expect_not_null(strstr(text, "\n# errors: 3 calls failed or were left by an exception\n"));
    free(text);
    replay_close(session);
}

static char *chrome_of(struct ts_session *session) {
    char *text = NULL;
    size_t bytes;
    struct ts_error error;
    FILE *out = open_memstream(&text, &bytes);
    cr_assert_eq(ts_format_chrome(session, &(struct ts_format_options){.max_calls = 0}, out, &error), 0);
    fclose(out);
    return text;
}

static void expect_arguments(const char *document, const char *name, const char *arguments) {
    char begin[100];
    snprintf(begin, sizeof begin, "\n{\"name\":\"%s\",", name);
    const char *event = strstr(document, begin);
    cr_assert_not_null(event, "no %s in %s", name, document);
    char *line = strndup(event + 1, strcspn(event + 1, "\n"));
    const char *found = strstr(line, ",\"args\":");
    cr_assert_not_null(found, "%s", line);
    size_t bytes = strlen(arguments);
    cr_expect(strncmp(found + 8, arguments, bytes) == 0 && strncmp(found + 8 + bytes, "}", 1) == 0, "%s", line);
    free(line);
}

Test(hook_outputs, chrome_arguments) {
    struct ts_session *session = session_of_everything();
    char *document = chrome_of(session);
    expect_arguments(document, "open",
                     "{\"path\":\"/no\\\"\\u000a\xef\xbf\xbd\",\"flags\":\"O_RDONLY|O_CLOEXEC\",\"error\":\"ENOENT\","
                     "\"errno\":2,\"error.message\":\"No such file or directory\",\"otel.status_code\":\"ERROR\"}");
    expect_arguments(document, "read",
                     "{\"fd\":3,\"fd.path\":\"/etc/passwd\",\"size\":\"1152921504606846976\",\"result\":42}");
    expect_arguments(document, "close", "{\"fd\":3,\"fd.path\":\"/etc/passwd\"}");
    expect_arguments(document, "sqlite3_step", "{\"label\":\"db.step\",\"error\":14,\"otel.status_code\":\"ERROR\"}");
    expect_arguments(document, "plug",
                     "{\"error\":\"exception\",\"error.message\":\"left by a C++ exception\","
                     "\"otel.status_code\":\"ERROR\",\"unwound\":true}");
    expect_arguments(document, "exit", "{\"status\":3}");
    expect_arguments(document, "demo+0x400", "{\"unfinished\":true}");
    free(document);
    replay_close(session);
}

/* What the viewers want, asked of the checker that the end-to-end tests use. */
Test(hook_outputs, chrome_document_keeps_the_rules) {
    static const char checker[] = "tests/check_chrome_json.py";
    if (access(checker, R_OK) != 0 || system("python3 -c '' 2>/dev/null") != 0)
        cr_skip("needs %s and python3", checker);
    struct ts_session *session = session_of_everything();
    char *document = chrome_of(session);
    char path[] = "/tmp/traceshim-test-XXXXXX";
    int file = mkstemp(path);
    cr_assert_geq(file, 0);
    cr_assert_eq(write(file, document, strlen(document)), (ssize_t)strlen(document));
    close(file);
    char command[200];
    snprintf(command, sizeof command, "python3 %s %s >/dev/null", checker, path);
    cr_expect_eq(system(command), 0, "%s", document);
    unlink(path);
    free(document);
    replay_close(session);
}

/* Calls nest: what the outer one learns at its end is its own, and a call too deep to be written has none. */
Test(hook_outputs, chrome_arguments_of_nested_calls) {
    struct trace_builder *builder = hooked();
    struct trace_values one = {.count = 0};
    trace_values_word(&one, 1);
    for (unsigned i = 0; i < TS_CHROME_DEPTH + 3; i++)
        enter(builder, TRACE_NS(2000 + i), i % 2 ? CLOSE : SQLITE, &one);
    for (unsigned i = TS_CHROME_DEPTH + 3; i-- > 0;)
        trace_builder_result(builder, TRACE_NS(4000 - i), 0, i, &no_values);
    struct ts_session *session = replay_open(builder);
    char *document = chrome_of(session);
    unsigned written = 0;
    for (const char *at = document; (at = strstr(at, "\n{\"name\":\"")); at++) {
        char wanted[100];
        unsigned depth = TS_CHROME_DEPTH - 1 - written++;
        const char *event = strstr(at, "\"args\":");
        if (depth == 0)
            snprintf(wanted, sizeof wanted, "\"args\":{\"label\":\"db.step\"}}");
        else if (depth % 2)
            snprintf(wanted, sizeof wanted, "\"args\":{\"fd\":1,\"result\":%u}}", depth);
        else
            snprintf(wanted, sizeof wanted, "\"args\":{\"label\":\"db.step\",\"result\":%u}}", depth);
        cr_assert(event && strncmp(event, wanted, strlen(wanted)) == 0, "%u: %.200s", depth, at);
    }
    cr_expect_eq(written, TS_CHROME_DEPTH);
    free(document);
    replay_close(session);
}

Test(hook_outputs, info_tells_what_was_bound_and_called) {
    struct ts_session *session = session_of_everything();
    char *text = NULL;
    size_t bytes;
    struct ts_error error;
    FILE *out = open_memstream(&text, &bytes);
    cr_assert_eq(ts_info_write(session, out, &error), 0);
    fclose(out);
    cr_expect_not_null(strstr(text, "\nhooks: 6 bound, 6 called\n"
                                    "hooks of no pack: 1 bound, 1 called\n"
                                    "hooks of io: 3 bound, 3 called\n"
                                    "hooks of proc: 1 bound, 1 called\n"
                                    "hooks of sqlite3: 1 bound, 1 called\n"),
                       "%s", text);
    free(text);
    replay_close(session);
}

static char *info_of(struct trace_builder *builder) {
    struct ts_session *session = replay_open(builder);
    char *text = NULL;
    size_t bytes;
    struct ts_error error;
    FILE *out = open_memstream(&text, &bytes);
    cr_assert_eq(ts_info_write(session, out, &error), 0);
    fclose(out);
    replay_close(session);
    return text;
}

Test(hook_outputs, info_names_what_was_never_called) {
    struct trace_builder *builder = hooked();
    failing_open(builder, TRACE_NS(2000), "/x");
    char *text = info_of(builder);
    cr_expect_not_null(strstr(text, "\nhooks: 6 bound, 1 called\n"
                                    "hooks of no pack: 1 bound, 0 called, never called: plug\n"
                                    "hooks of io: 3 bound, 1 called, never called: close read\n"),
                       "%s", text);
    free(text);
}

Test(hook_outputs, info_counts_what_was_never_called_when_it_is_much) {
    struct trace_builder *builder = hooked();
    char name[20];
    trace_builder_control_window(builder, 1, TRACE_NS(1500));
    for (unsigned i = 0; i < 20; i++) {
        snprintf(name, sizeof name, "mq_%u", i);
        hook(builder, 10 + i, name, "/lib/libc.so.6", NULL, "io", 0);
    }
    char *text = info_of(builder);
    cr_expect_not_null(strstr(text, "\nhooks of io: 23 bound, 0 called, 23 never called\n"), "%s", text);
    free(text);
}

Test(hook_outputs, a_trace_without_a_call_says_that_hooks_were_there) {
    struct trace_builder *builder = trace_builder_new(100);
    trace_builder_executable(builder, "/nowhere/demo", 0x200000);
    hook(builder, OPEN, "open", "/lib/libc.so.6", NULL, "io", 0);
    struct ts_session *session = replay_open(builder);
    cr_expect(replay_warns(session, "1 function was hooked and not called"));
    replay_close(session);
}

Test(hook_outputs, dump) {
    struct trace_builder *builder = trace_builder_new(100);
    const struct trace_hook hook = {STUB, 0x30400, "open", "/lib/libc.so.6", "(path:path)=fd|-1", "io", 1};
    trace_builder_hook(builder, 4000, &hook);
    trace_builder_window(builder, 1, 4000);
    trace_builder_descriptor(builder, -3, "/x", "ab", 2, "cde", 3);
    struct trace_values values = {.count = 0};
    trace_values_text(&values, "/etc");
    trace_builder_enter_values(builder, 4400, STUB, &values);
    trace_builder_throw(builder, 4500);
    trace_builder_catch(builder, 4600);
    values.count = 1;
    trace_builder_result(builder, 4700, TS_RESULT_FAILED | 2, UINT64_MAX, &values);
    struct ts_session *session = replay_open(builder);
    char *text = NULL;
    size_t bytes;
    struct ts_error error;
    FILE *out = open_memstream(&text, &bytes);
    cr_assert_eq(ts_dump_write(session, out, &error), 0);
    fclose(out);
    static const char *const lines[] = {
        "hook words=22 clock=4000 address=0x7f0000100000 target=0x30400 flags=0x1 name='open' ",
        " module='/lib/libc.so.6' signature='(path:path)=fd|-1' pack='io'\n",
        " descriptor words=8 fd=-3 text='/x' local=6162 peer=636465\n",
        " enter_wide words=7 clock=4400 address=0x7f0000100000 arguments=00000004,6374652f\n",
        " exception_throw words=3 clock=4500\n",
        " exception_catch words=3 clock=4600\n",
        " result words=7 clock=4700 error=0x80000002 value=0xffffffffffffffff filled=00000004\n",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        cr_expect_not_null(strstr(text, lines[i]), "no `%s` in\n%s", lines[i], text);
    free(text);
    replay_close(session);
}

/* The tree keeps the attributes of the spans that it keeps, however many calls there are. */
Test(hook_outputs, memory_is_bound_by_what_is_shown) {
    struct trace_builder *builder = trace_builder_new_sized(100, TRACE_BLOCK_BYTES * 256);
    hook(builder, OPEN, "open", "/lib/libc.so.6", "(path:path flags:oflags)=fd|-1", "io", 0);
    trace_builder_window(builder, 1, TRACE_NS(1000));
    char path[40];
    for (unsigned i = 0; i < 20000; i++) {
        snprintf(path, sizeof path, "/some/directory/file-%u", i);
        failing_open(builder, TRACE_NS(2000 + i * 1000), path);
    }
    struct ts_session *session = replay_open(builder);
    struct ts_span_list list;
    ts_span_list_init(&list, 100);
    struct ts_sink sink = ts_span_list_sink(&list);
    ts_replay(session, &sink, NULL);
    cr_expect_eq(ts_span_list_total(&list), 20000);
    cr_expect_eq(list.attribute_count, 300);
    cr_expect_leq(list.texts.text_count, 102);
    ts_span_list_free(&list);
    replay_close(session);
}
