/*
 * The command line from argv to status, standard output and standard error. Cannot find: `run` with the real library
 * (tests/e2e), and what the formats write (their own tests).
 */
#include "render/command.h"

#include "tests/unit/render/compiled.h"
#include "tests/unit/render/trace_builder.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char *directory;

/* What the last `call` left. */
static struct {
    int status;
    char *out;
    char *err;
} result;

static char *slurp(const char *name) {
    size_t bytes;
    char *text = (char *)compiled_read(compiled_path(directory, name), &bytes);
    text[bytes] = '\0';
    return text;
}

static void redirect(const char *name, int fd) {
    int file = open(compiled_path(directory, name), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || dup2(file, fd) != fd)
        _exit(99);
}

/* `line`: words separated by single spaces; `$D` is the test's directory. */
static void call(const char *line) {
    char *argv[16] = {(char *)"traceshim"}, words[2048] = "";
    int argc = 1, status;
    size_t length = 0;
    for (const char *c = line; *c; c++) {
        if (!strncmp(c, "$D", 2)) {
            length += (size_t)snprintf(words + length, sizeof words - length, "%s", directory);
            c++;
        } else {
            words[length++] = *c;
        }
    }
    words[length] = '\0';
    for (char *rest = words, *word; (word = strtok_r(rest, " ", &rest)) && argc < 15;)
        argv[argc++] = word;

    pid_t pid = fork();
    if (pid == 0) {
        redirect("stdout", STDOUT_FILENO);
        redirect("stderr", STDERR_FILENO);
        int status_of_command = ts_command_main(argc, argv);
        fflush(NULL);
        _exit(status_of_command); /* not exit: a leak checker would take the test runner's threads for leaks */
    }
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    free(result.out);
    free(result.err);
    result.out = slurp("stdout");
    result.err = slurp("stderr");
    cr_assert(WIFEXITED(status), "'%s' was killed: %#x %s", line, (unsigned)status, result.err);
    result.status = WEXITSTATUS(status);
}

static size_t lines(const char *text) {
    size_t count = 0;
    for (; *text; text++)
        count += *text == '\n';
    return count;
}

static void expect(const char *line, int status, const char *out, const char *err) {
    call(line);
    cr_expect_eq(result.status, status, "'%s': status %d, %s", line, result.status, result.err);
    cr_expect(out[0] ? strstr(result.out, out) != NULL : !result.out[0], "'%s' wrote '%s'", line, result.out);
    cr_expect(err[0] ? strstr(result.err, err) != NULL : !result.err[0], "'%s' told '%s'", line, result.err);
}

/* What commands that name functions tell of make_trace's module. */
#define GONE "traceshim: /nowhere/demo is gone: names are module+offset\n"

/* $D/trace: main (unknown module file) calls; `calls` times f, each 100 ns. */
static void make_trace(unsigned calls) {
    const char *path = compiled_path(directory, "trace");
    mkdir(path, 0777);
    struct trace_builder *builder = trace_builder_new_sized(100, calls > 1000 ? 1 << 23 : TRACE_BLOCK_BYTES);
    trace_builder_executable(builder, "/nowhere/demo", 0x10000);
    trace_builder_window(builder, 1, TRACE_NS(1000));
    uint64_t now = 1000;
    trace_builder_enter(builder, TRACE_NS(now), 0x10100);
    for (unsigned i = 0; i < calls; i++) {
        trace_builder_enter(builder, TRACE_NS(now + 10), 0x10200 + 16 * (i % 8));
        trace_builder_exit(builder, TRACE_NS(now + 110));
        now += 200;
    }
    trace_builder_exit(builder, TRACE_NS(now));
    trace_builder_save(builder, path, NULL);
    trace_builder_free(builder);
}

static void expect_calls(const char *file, unsigned calls) {
    compiled_run(directory, "test $(grep -c '\"ph\":\"X\"' \"$D/%s\") = %u", file, calls);
}

static void set_up(void) {
    unsetenv("TRACE_FORMAT");
    unsetenv("TRACE_QUIET");
    directory = compiled_directory();
    mkdir(compiled_path(directory, "empty"), 0777);
}

static void tear_down(void) {
    compiled_remove(directory);
}

TestSuite(command, .init = set_up, .fini = tear_down, .timeout = 60);

Test(command, usage) {
    static const struct {
        const char *line;
        int status;
        const char *out;
        const char *err;
    } cases[] = {
        {"", 2, "", "usage: traceshim COMMAND"},
        {"--help", 0, "usage: traceshim COMMAND", ""},
        {"-h", 0, "  report  ", ""},
        {"--version", 0, "traceshim " TRACESHIM_VERSION "\n", ""},
        {"reprot", 2, "", "unknown command 'reprot'; did you mean 'report'?"},
        {"tee", 2, "", "did you mean 'tree'?"},
        {"quite-another-thing", 2, "", "unknown command 'quite-another-thing'; see traceshim --help"},
        {"--calls", 2, "", "unknown option '--calls'"},
        {"tree", 2, "", "usage: traceshim tree [--calls|--merged|--programs|--slow=DURATION|--last=N] [options] DIR"},
        {"tree a b", 2, "", "usage: traceshim tree"},
        {"tree $D --nonsense", 2, "", "tree: unknown option '--nonsense'"},
        {"tree a --calls b", 2, "", "usage: traceshim tree"},
        {"tree --max-lines=x $D", 2, "", "tree: --max-lines: 'x' is no whole number; see traceshim tree --help"},
        {"tree --nonsense $D", 2, "", "tree: unknown option '--nonsense'"},
        {"tree --min=5parsecs $D", 2, "", "tree: --min: '5parsecs' is no duration; write 100ns"},
        {"tree --time=2..1 $D", 2, "", "tree: --time: '2..1' is no span of time"},
        {"tree --time=.. $D", 2, "", "tree: --time: '..' is no span of time"},
        {"tree --time=1..1 $D", 2, "", "tree: --time: '1..1' is no span of time"},
        {"tree --slow=x $D", 2, "", "tree: --slow: 'x' is no duration; write 100ns"},
        {"tree --slow=1 --last=1 $D", 2, "", "tree: --slow and --last exclude each other"},
        {"tree --slow=1 --merged $D", 2, "", "leave out --calls, --merged and --programs"},
        {"tree --last=1 --programs $D", 2, "", "leave out --calls, --merged and --programs"},
        {"tree --programs --calls $D", 2, "", "tree: --programs merges calls: leave out --calls"},
        {"tree --limit=1 $D", 2, "", "tree: --limit belongs to --slow"},
        {"report --columns=calls,foo $D", 2, "", "report: no column 'foo'; there are calls, total"},
        {"report --min=x $D", 2, "", "report: --min: 'x' is no duration"},
        {"export --format=chrome --time=x $D", 2, "", "export: --time: 'x' is no span of time"},
        {"diff $D", 2, "", "usage: traceshim diff"},
        {"diff --min=x $D $D", 2, "", "diff: --min: 'x' is no duration"},
        {"report --sort=foo $D", 2, "", "report: no column 'foo'; there are total, calls"},
        {"report --format=xml $D", 2, "", "report: unknown format 'xml'; there are text, csv, json"},
        {"export $D", 2, "", "export: --format is missing; there are tree, chrome"},
        {"export --format=xml $D", 2, "", "export: unknown format 'xml'; there are tree, chrome"},
        {"render --fd2=loud $D", 2, "", "'loud' is neither quiet nor tree"},
        {"run", 2, "", "usage: traceshim run [options] -- PROGRAM"},
        {"run --level=1x -- true", 2, "", "--level: '1x' is not understood; How much is recorded: 0 nothing, 1 calls"},
        {"run --full=half -- true", 2, "",
         "--full: 'half' is not understood; When it is full, keep the oldest (stop) or"},
        {"run --max-size=many -- true", 2, "", "--max-size: 'many' is not understood; Largest trace file"},
        {"run --min-duration=soon -- true", 2, "", "--min-duration: 'soon' is not understood; Leave out"},
        {"run --depth= -- true", 2, "", "--depth: '' is not understood; Record calls nested up to"},
        {"run --hooks=io,frob( -- true", 2, "", "run: --hooks: 'frob(': the parenthesis is not closed"},
        {"hooks --hooks=io,read@ true", 2, "", "hooks: --hooks: 'read@': behind @ stands the module that calls"},
        {"hooks --format=csv", 2, "", "hooks: unknown format 'csv'; there are text, json"},
        {"hooks true false", 2, "", "usage: traceshim hooks"},
        {"hooks true --kinds", 2, "",
         "hooks: --kinds lists what signatures consist of, of no program: leave out 'true'"},
        {"run --format=xml -- true", 2, "", "unknown format 'xml'; there are tree, chrome"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        expect(cases[i].line, cases[i].status, cases[i].out, cases[i].err);
        if (cases[i].status == 2 && i)
            cr_expect_eq(lines(result.err), 1, "'%s' told %s", cases[i].line, result.err);
    }
}

Test(command, every_command_has_help) {
    static const char *const names[] = {
#define COMMAND(name, usage, help) #name,
#include "render/commands.def"
#undef COMMAND
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char line[64], usage[64];
        snprintf(line, sizeof line, "%s --help", names[i]);
        snprintf(usage, sizeof usage, "usage: traceshim %s ", names[i]);
        expect(line, 0, usage, "");
    }
}

Test(command, what_cannot_be_read_is_one_line_and_status_1) {
    static const char *const formats[] = {"tree", "report", "export --format=chrome", "info", "dump", "render"};
    compiled_run(directory, "seq 1000 >\"$D/text\"");
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        char line[128];
        snprintf(line, sizeof line, "%s $D/missing\x1b[31m", formats[i]);
        expect(line, 1, "", "traceshim: ");
        cr_expect_eq(lines(result.err), 1);
        cr_expect(strstr(result.err, "missing\\x1b[31m"), "not safe for a terminal: %s", result.err);
        snprintf(line, sizeof line, "%s $D/text", formats[i]);
        expect(line, 1, "", "traceshim: ");
        cr_expect_eq(lines(result.err), 1, "%s", result.err);
    }
}

Test(command, a_directory_without_traces_is_empty_output_and_a_reason) {
    expect("tree $D/empty", 0, "(no spans)", "traceshim: ");
    cr_expect_eq(lines(result.err), 1, "%s", result.err);
    expect("export --format=chrome $D/empty", 0, "{\"traceEvents\":[", "traceshim: ");
    cr_expect_eq(lines(result.err), 1, "%s", result.err);
    expect("render $D/empty", 0, "", "(no spans)");
    cr_expect(!strstr(result.err, "perfetto"), "nothing to open: %s", result.err);
}

Test(command, views) {
    make_trace(20);
    expect("tree $D/trace", 0, "demo+0x100", GONE);
    size_t all = lines(result.out);
    cr_expect_eq(lines(result.err), 1, "%s", result.err);
    cr_expect(all > 20, "%s", result.out);
    expect("tree --merged $D/trace", 0, "[calls=", GONE);
    cr_expect(lines(result.out) < all, "%s", result.out);
    expect("tree --merged --calls --max-lines=3 $D/trace", 0, "demo+0x100", GONE);
    cr_expect(lines(result.out) <= 4 && !strstr(result.out, "[calls="), "%s", result.out);
    expect("report $D/trace", 0, "demo+0x100", GONE);
    expect("report --format=csv --sort calls --limit=1 $D/trace", 0, ",", GONE);
    expect("info $D/trace", 0, "calls: ", GONE);
    expect("dump $D/trace", 0, "enter clock=", "");
    expect("tree $D/trace/100.trace", 0, "demo+0x100", GONE);
}

Test(command, export_to_a_file) {
    make_trace(3);
    expect("export --format chrome -o $D/new/place/x.json $D/trace", 0, "", GONE);
    free(result.out);
    result.out = slurp("new/place/x.json");
    cr_expect(strstr(result.out, "\"traceEvents\""));
    expect("export --format=tree -o - $D/trace", 0, "demo+0x100", GONE);
    cr_expect_neq(access("-", F_OK), 0, "a file of that name was made");
    expect("export --format=chrome --split=1M -o - $D/trace", 2, "", "--split is for --format=chrome with -o");
    expect("export --format=tree -o $D/trace $D/trace", 1, "", "trace is a directory");
    expect("export --format=tree -o $D/stdout/x $D/trace", 1, "", "stdout/x: Not a directory");
    expect("export --format=tree -o /dev/full $D/trace", 1, "", "/dev/full: No space left on device");
}

Test(command, render_writes_the_files_and_names_the_one_to_open) {
    make_trace(60);
    expect("render $D/trace", 0, "", "trace/trace.json in https://ui.perfetto.dev (full tree: ");
    cr_expect(strstr(result.err, "traceshim: 61 calls; open "), "%s", result.err);
    cr_expect(strstr(result.err, "demo+0x100"), "no tree: %s", result.err);
    cr_expect(lines(result.err) < 50, "the tree is not cut to a screen: %s", result.err);
    free(result.out);
    result.out = slurp("trace/tree.txt");
    cr_expect(lines(result.out) > 60, "the file's tree is cut");
    cr_expect_eq(access(compiled_path(directory, "trace/trace.json"), R_OK), 0);
}

Test(command, render_obeys_the_formats) {
    make_trace(3);
    setenv("TRACE_FORMAT", " chrome ,chrome", 1);
    expect("render $D/trace", 0, "", "open ");
    cr_expect_eq(access(compiled_path(directory, "trace/tree.txt"), F_OK), -1);
    cr_expect_eq(access(compiled_path(directory, "trace/trace.json"), F_OK), 0);
    compiled_run(directory, "rm \"$D/trace/trace.json\"");

    setenv("TRACE_FORMAT", "none", 1);
    expect("render $D/trace", 0, "", "nothing was rendered");
    cr_expect_eq(access(compiled_path(directory, "trace/tree.txt"), F_OK), -1);

    setenv("TRACE_FORMAT", "xml,tree", 1);
    expect("render $D/trace", 1, "", "unknown format 'xml'; there are tree, chrome");
    cr_expect_eq(access(compiled_path(directory, "trace/tree.txt"), F_OK), 0, "the others are still written");
}

Test(command, render_for_the_library) {
    make_trace(3);
    expect("render --at-exit --shim-version=0.0.1 --fd2=tree $D/trace", 1, "", "libtraceshim.so is version 0.0.1");
    cr_expect_eq(lines(result.err), 1);
    cr_expect_eq(access(compiled_path(directory, "trace/tree.txt"), F_OK), -1);
    expect("render --at-exit --shim-version=" TRACESHIM_VERSION " --fd2=quiet $D/trace", 0, "", "");
    cr_expect_eq(access(compiled_path(directory, "trace/tree.txt"), F_OK), 0);
    expect("render --at-exit --shim-version=" TRACESHIM_VERSION " --fd2=tree $D/trace", 0, "", "demo+0x100");
}

Test(command, render_writes_what_viewers_take_in_place_of_large_json) {
    make_trace(2000001);
    expect("render $D/trace", 0, "", "the longest 2000000 as JSON: traceshim export --format=chrome -o ");
    cr_expect(strstr(result.err, "2000002 calls are too many for JSON; open "), "%s", result.err);
    cr_expect(strstr(result.err, "trace/trace.pftrace in https"), "%s", result.err);
    cr_expect_eq(access(compiled_path(directory, "trace/trace.json"), F_OK), -1);
    cr_expect_eq(access(compiled_path(directory, "trace/trace.pftrace"), F_OK), 0);
    cr_expect_eq(access(compiled_path(directory, "trace/tree.txt"), F_OK), 0);
    expect("render --all --quiet $D/trace", 0, "", "");
    expect_calls("trace/trace.json", 2000002);
    cr_expect_eq(access(compiled_path(directory, "trace/trace.json"), F_OK), 0);
}

/* An export to $D/x.json has so many calls, and tells of those it left out where it did. */
static void expect_export(const char *options, unsigned calls, const char *told) {
    char line[128];
    snprintf(line, sizeof line, "export --format=chrome %s -o $D/x.json $D/trace", options);
    call(line);
    cr_expect_eq(result.status, 0);
    cr_expect(told ? strstr(result.err, told) != NULL : !strstr(result.err, "longest"), "'%s' told %s", options,
              result.err);
    expect_calls("x.json", calls);
}

Test(command, export_writes_what_a_viewer_takes) {
    make_trace(2000001);
    expect_export("", 2000000,
                  "traceshim: the 2000000 longest of 2000002 calls are written (those over 100 ns); --all writes every "
                  "call\n");
    expect_export("--all", 2000002, NULL);
    expect_export("--max-calls=0", 2000002, NULL);
    expect_export("--max-calls=2", 2, "the 2 longest of 2000002 calls");
    expect("export --format=chrome --max-calls=2 -o /dev/full $D/trace", 1, "", "No space left");
    cr_expect(!strstr(result.err, "longest"), "tells of a file that is not there: %s", result.err);
}

Test(command, names_come_from_the_modules_file) {
    compiled_run(
        directory,
        "cc -w -shared -fPIC -nostdlib -o \"$D/names.so\" tests/unit/render/fixtures/names.c && mkdir \"$D/trace\"");
    const char *path = compiled_path(directory, "names.so");
    uint64_t hidden = compiled_address(path, "hidden");
    struct trace_builder *builder = trace_builder_new(100);
    trace_builder_executable(builder, path, 0x10000);
    trace_builder_window(builder, 1, TRACE_NS(1000));
    trace_builder_enter(builder, TRACE_NS(1000), 0x10000 + hidden);
    trace_builder_exit(builder, TRACE_NS(2000));
    trace_builder_save(builder, compiled_path(directory, "trace"), NULL);
    trace_builder_free(builder);
    expect("tree $D/trace", 0, "hidden (1.0 µs) {names.so}", "");
}

Test(command, hooks_lists_packs) {
    unsetenv("TRACE_HOOKS");
    expect("hooks", 0, "\nio  ", "");
    cr_expect(strstr(result.out, "# mem: ") && strstr(result.out, "\nlocks  "));
    expect("hooks --hooks=io,-open*", 0, "\nio  ", "");
    cr_expect(!strstr(result.out, "  open") && !strstr(result.out, "# net") && strstr(result.out, "  read "));
    expect("hooks --hooks=read(n:size)=null", 0, "  (n:size)=null\n", "");
    expect("hooks --hooks=", 0, "", "");
    expect("hooks --kinds", 0, "oflags", "");
    call("hooks --format=json");
    compiled_run(directory, "python3 -m json.tool \"$D/stdout\" >/dev/null");
}

Test(command, hooks_of_a_program) {
    unsetenv("TRACE_HOOKS");
    compiled_run(directory, "echo 'int main(void) { return access(\"/\", 0); }' | gcc -w -x c - -o \"$D/prog\"");
    expect("hooks $D/prog", 0, "\nprog  access  libc.so.6  (path:path mode:access)=int|-1", "");
    cr_expect(strstr(result.out, "prog: 1 call would be hooked by io,net,"));
    setenv("TRACE_HOOKS", "net,frob(,a/b", 1);
    expect("hooks $D/prog", 0, "hooked by net,frob(,a/b",
           "hooks: TRACE_HOOKS: 'frob(': the parenthesis is not closed; 'a/b'");
    cr_expect(!strstr(result.out, "access") && strstr(result.out, "net  none of its"));
    setenv("PATH", directory, 1);
    expect("hooks --hooks=access prog", 0, "  access  ", "");
    expect("hooks nosuchprogram", 1, "", "traceshim: hooks: nosuchprogram is not on PATH");
    call("hooks --hooks=* --format=json prog");
    setenv("PATH", "/bin:/usr/bin", 1);
    compiled_run(directory, "python3 -m json.tool \"$D/stdout\" >/dev/null");
}

Test(command, hooks_of_what_is_no_program) {
    compiled_run(directory, "printf '#!/bin/sh -e\\nexit\\n' >\"$D/script\"; printf '\\177ELF\\1' >\"$D/short32\"; "
                            "printf '\\177ELF\\2' >\"$D/short\"; : >\"$D/nothing\"; mkfifo \"$D/fifo\"");
    compiled_run(directory, "echo 'int f;' | gcc -x c - -c -o \"$D/object.o\"");
    expect("hooks $D/missing", 1, "", "missing: No such file or directory");
    expect("hooks $D", 1, "", "is a directory, not a program");
    expect("hooks $D/script", 1, "", "is a script, not an ELF file; ask for what runs it: /bin/sh -e\n");
    expect("hooks $D/nothing", 1, "", "is not an ELF file");
    expect("hooks $D/fifo", 1, "", "is not an ELF file");
    expect("hooks $D/short32", 1, "", "is a 32-bit program");
    expect("hooks $D/short", 1, "", "is damaged: its ELF header ends early");
    expect("hooks $D/object.o", 1, "", "is an object file that is not linked");
}

Test(command, functions_of_a_library) {
    compiled_run(directory, "cc -w -shared -fPIC -nostdlib -o \"$D/names.so\" tests/unit/render/fixtures/names.c");
    unsetenv("TRACE_FUNCTIONS");
    expect("functions $D/names.so", 0, " shown\n", "");
    size_t all = lines(result.out);
    expect("functions --functions shown $D/names.so", 0, " shown\n", "");
    cr_expect_eq(lines(result.out), 1);
    expect("functions --all --functions=shown -- $D/names.so", 0, " hidden\n", "");
    cr_expect_eq(lines(result.out), all);
    setenv("TRACE_FUNCTIONS", "-shown", 1);
    expect("functions $D/names.so", 0, " hidden\n", "");
    cr_expect_eq(lines(result.out), all - 1);
    expect("functions --functions=hidden --shim-version=" TRACESHIM_VERSION " --build-id= $D/names.so", 0, " hidden\n",
           "");
}

Test(command, functions_of_what_has_none) {
    compiled_write(compiled_path(directory, "text"), "text\n", 5);
    compiled_run(directory, "cc -w -shared -fPIC -nostdlib -Wl,--build-id=0x1234 -o \"$D/names.so\" "
                            "tests/unit/render/fixtures/names.c && mkfifo \"$D/fifo\" && "
                            "dd if=\"$D/names.so\" of=\"$D/cut\" bs=700 count=1 2>/dev/null");
    static const char *const cases[] = {
        "$D/text is no ELF file", "$D/fifo is no ELF file", "$D/cut ", "$D is no ELF file", "$D/nothing is gone",
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char line[256];
        snprintf(line, sizeof line, "functions %.*s", (int)strcspn(cases[i], " "), cases[i]);
        expect(line, 1, "", strchr(cases[i], ' '));
        cr_expect_eq(lines(result.err), 1, "%s", result.err);
    }
    expect("functions --build-id=1235 $D/names.so", 1, "", "was rebuilt since the trace");
    expect("functions --shim-version=0 $D/names.so", 2, "", "another version");
    expect("functions --build-id=123 $D/names.so", 2, "", "another version");
    expect("functions --build-id=12/4 $D/names.so", 2, "", "another version");
}
