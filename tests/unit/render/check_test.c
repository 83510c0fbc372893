/*
 * What is told of programs before they run: files that a person points at by mistake, ELF files made up here (cut,
 * claiming what they do not hold, for other machines), and the options and places of a run. Cannot find: whether what
 * is told is so, which the end-to-end tests find out by running.
 */
#include "render/check.h"

#include "tests/unit/render/compiled.h"

#include <criterion/criterion.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char *directory;
static struct ts_check check;
static const struct ts_error no_shim = {"libtraceshim.so is not here"};

static void set_up(void) {
    static const char *const variables[] = {"LD_PRELOAD",  "LD_LIBRARY_PATH", "ASAN_OPTIONS",
                                            "TRACE_LEVEL", "TRACE_HOOKS",     "TRACE_FORMAT",
                                            "TRACE_CLOCK", "TRACE_OUTPUT",    "TRACE_MAX_SIZE"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        unsetenv(variables[i]);
    directory = compiled_directory();
    setenv("TMPDIR", directory, 1);
}

static void forget(void) {
    ts_check_free(&check);
    check = (struct ts_check){.count = 0};
}

static void tear_down(void) {
    forget();
    compiled_remove(directory);
}

TestSuite(check, .init = set_up, .fini = tear_down, .timeout = 120);

static void run(const char *name) {
    forget();
    ts_check_run(&check, name[0] == '/' || !strchr(name, '/') ? name : compiled_path(directory, name + 2), NULL,
                 &no_shim);
}

static void run_with(const char *name, const char *shim) {
    forget();
    ts_check_run(&check, compiled_path(directory, name), compiled_path(directory, shim), NULL);
}

static bool has(enum ts_check_grade grade, const char *part) {
    for (size_t i = 0; i < check.count; i++)
        if (check.findings[i].grade == grade && strstr(check.findings[i].text, part))
            return true;
    return false;
}

static void expect(enum ts_check_grade grade, const char *part) {
    char *all = NULL;
    size_t bytes;
    FILE *out = open_memstream(&all, &bytes);
    ts_check_text(&check, out);
    fclose(out);
    cr_expect(has(grade, part), "'%s' is not among:\n%s", part, all);
    free(all);
}

/* It cannot even be started: that is all that is told. */
static void expect_only(const char *name, const char *part) {
    run(name);
    cr_expect_eq(check.count, 1, "%s: %zu findings", name, check.count);
    expect(TS_CHECK_FAIL, part);
}

/* A finding about the program itself: a failure beside that of the missing shim. */
static void expect_fails(const char *name, const char *part) {
    run(name);
    expect(TS_CHECK_FAIL, part);
    cr_expect(!ts_check_passes(&check));
}

static void write_program(const char *name, const void *bytes, size_t count) {
    const char *path = compiled_path(directory, name);
    compiled_write(path, bytes, count);
    chmod(path, 0755);
}

static void write_text(const char *name, const char *text) {
    write_program(name, text, strlen(text));
}

Test(check, what_cannot_be_started) {
    compiled_run(directory, "mkfifo \"$D/fifo\"; ln -s loop \"$D/loop\"; echo >\"$D/plain\"; chmod 644 \"$D/plain\"");
    expect_only("./missing", "missing: No such file or directory; give the path");
    expect_only("./plain/below", "below: Not a directory; ");
    expect_only("./loop", "Too many levels of symbolic links");
    expect_only("nosuchprogram", "nosuchprogram is not on PATH; give its path");
    expect_only("", " is not on PATH");
    expect_only(directory, "is a directory, not a program");
    expect_only("./fifo", "is not a regular file");
    expect_only("./plain", "is not executable by you; see chmod +x");
}

Test(check, scripts) {
    write_text("missing", "#!/nonexistent/sh -e\n");
    write_text("carriage", "#!/bin/sh\r\necho\n");
    write_text("empty", "#!  \n/bin/sh\n");
    write_text("nothing", "#!");
    write_text("sh", "#! /bin/sh -e\n");
    write_text("env", "#!/usr/bin/env sh\n");
    write_text("split", "#!/usr/bin/env -S sh -e\n");
    write_text("unset", "#!/usr/bin/env -i sh\n");
    write_text("unknown", "#!/usr/bin/env nosuchprogram\n");
    expect_only("./missing", "/nonexistent/sh, which is to run ");
    expect_only("./carriage", "/bin/sh\r, which is to run ");
    expect_only("./empty", "its first line names no interpreter");
    expect_only("./nothing", "its first line names no interpreter");
    expect_only("./unknown", "/usr/bin/env does not find nosuchprogram on PATH");
    run("./sh");
    expect(TS_CHECK_OK, "sh is a script: /bin/sh runs it and is what is traced");
    expect(TS_CHECK_OK, "dynamically linked, ");
    run("./env");
    expect(TS_CHECK_OK, "/sh, found by /usr/bin/env, runs it");
    run("./split");
    expect(TS_CHECK_OK, "/sh, found by /usr/bin/env, runs it");
    run("./unset");
    expect(TS_CHECK_OK, "/usr/bin/env runs it");
}

/* As deep as the kernel goes, and no deeper; and a line that is longer than the kernel reads. */
Test(check, scripts_that_scripts_run) {
    compiled_run(directory,
                 "b=/bin/cat; for i in 1 2 3 4 5 6; do echo \"#!$b\" >\"$D/$i\"; chmod +x \"$D/$i\"; b=$D/$i; done; "
                 "echo \"#!$D/self\" >\"$D/self\"; chmod +x \"$D/self\"; \"$D/5\" >/dev/null; ! \"$D/6\" 2>\"$D/err\"");
    run("./5");
    cr_expect(has(TS_CHECK_OK, "dynamically linked, "));
    run("./6");
    expect(TS_CHECK_FAIL, "the kernel follows 5");
    run("./self");
    expect(TS_CHECK_FAIL, "the kernel follows 5");
    char line[1024] = "#!/";
    memset(line + 3, 'x', sizeof line - 4);
    write_text("long", line);
    expect_only("./long", "its first line names no interpreter");
}

/* A made-up ELF file: a header, program headers, and behind them whatever the test puts there. */
enum { HEADERS_MOST = 4, CONTENT = sizeof(Elf64_Ehdr) + HEADERS_MOST * sizeof(Elf64_Phdr) };
static struct made_up {
    Elf64_Ehdr header;
    Elf64_Phdr segments[HEADERS_MOST];
    char content[256];
} elf;
_Static_assert(offsetof(struct made_up, content) == CONTENT, "no gap");

static void make_elf(uint16_t type) {
    memset(&elf, 0, sizeof elf);
    memcpy(elf.header.e_ident, ELFMAG, SELFMAG);
    elf.header.e_ident[EI_CLASS] = ELFCLASS64;
    elf.header.e_ident[EI_DATA] = ELFDATA2LSB;
    elf.header.e_ident[EI_VERSION] = EV_CURRENT;
    elf.header.e_type = type;
#ifdef __aarch64__
    elf.header.e_machine = EM_AARCH64;
#else
    elf.header.e_machine = EM_X86_64;
#endif
    elf.header.e_version = EV_CURRENT;
    elf.header.e_ehsize = sizeof elf.header;
    elf.header.e_phentsize = sizeof *elf.segments;
    elf.header.e_phoff = sizeof elf.header;
}

static void add_segment(uint32_t type, const void *content, size_t bytes) {
    static size_t used;
    if (!elf.header.e_phnum)
        used = 0;
    memcpy(elf.content + used, content, bytes);
    elf.segments[elf.header.e_phnum++] =
        (Elf64_Phdr){.p_type = type, .p_offset = CONTENT + used, .p_filesz = bytes, .p_memsz = bytes, .p_align = 4};
    used += (bytes + 7) / 8 * 8;
}

static void write_elf(const char *name) {
    write_program(name, &elf, sizeof elf);
}

Test(check, elf_files_of_other_kinds) {
    make_elf(ET_EXEC);
    write_elf("static");
    expect_fails("./static", "statically linked: LD_PRELOAD has no effect; link it dynamically");
    elf.header.e_ident[EI_CLASS] = ELFCLASS32;
    write_elf("short");
    expect_fails("./short", "is a 32-bit program; ");
    make_elf(ET_EXEC);
    elf.header.e_ident[EI_DATA] = ELFDATA2MSB;
    write_elf("big");
    expect_fails("./big", "is for a machine that traceshim does not record on");
    make_elf(ET_EXEC);
    elf.header.e_machine = EM_RISCV;
    write_elf("machine");
    expect_fails("./machine", "is for a machine that traceshim does not record on");
    make_elf(ET_REL);
    write_elf("object");
    expect_fails("./object", "is an object file that is not linked");
    make_elf(ET_DYN);
    write_elf("library");
    expect_fails("./library", "names no loader");
    write_text("text", "echo hello\n");
    run("./text");
    expect(TS_CHECK_NOTE, "text has no #! line: ");
    expect(TS_CHECK_OK, "dynamically linked, ");
    write_text("nothing", "");
    run("./nothing");
    expect(TS_CHECK_NOTE, "nothing has no #! line: ");
    write_text("begin", "\177");
    expect_fails("./begin", "is not an ELF file");
}

Test(check, static_pie) {
    Elf64_Dyn entries[] = {{DT_FLAGS_1, {DF_1_PIE}}, {DT_NULL, {0}}};
    make_elf(ET_DYN);
    add_segment(PT_DYNAMIC, entries, sizeof entries);
    write_elf("pie");
    expect_fails("./pie", "statically linked (static-pie): LD_PRELOAD has no effect");
}

static const struct {
    Elf64_Nhdr header;
    char text[16];
} go_note = {{4, 8, 4}, "Go\0\0build-id"};

Test(check, programs_of_go) {
    make_elf(ET_EXEC);
    add_segment(PT_NOTE, &go_note, sizeof go_note.header + 12);
    write_elf("static");
    expect_fails("./static", "statically linked by Go: LD_PRELOAD has no effect; ");
    compiled_run(directory,
                 "echo '__asm__(\".section .note.go.buildid,\\\"a\\\",%%note; .balign 4; .long 4,8,4; "
                 ".asciz \\\"Go\\\"; .byte 0; .ascii \\\"build-id\\\"; .text\"); int main(void){return 0;}' | "
                 "gcc -x c - -o \"$D/dynamic\"");
    run("./dynamic");
    expect(TS_CHECK_NOTE, "built by Go: its own functions");
}

Test(check, loaders) {
    make_elf(ET_EXEC);
    add_segment(PT_INTERP, "/nonexistent/ld.so", sizeof "/nonexistent/ld.so");
    write_elf("missing");
    expect_fails("./missing", "its loader /nonexistent/ld.so is not there");
    make_elf(ET_EXEC);
    add_segment(PT_INTERP, "/etc/passwd", sizeof "/etc/passwd");
    write_elf("text");
    expect_fails("./text", "its loader: /etc/passwd is not an ELF file");
    make_elf(ET_EXEC);
    add_segment(PT_INTERP, "/etc/passwd", sizeof "/etc/passwd" - 1); /* no NUL behind it */
    elf.segments[0].p_filesz = elf.segments[0].p_memsz = 3;
    write_elf("open");
    expect_fails("./open", "names no loader");
    compiled_run(directory, "echo 'int frob(void){return 0;}' | gcc -x c - -shared -o \"$D/ld-other.so\"; "
                            "echo 'int main(void){return 0;}' >\"$D/main.c\"; gcc \"$D/main.c\" -o \"$D/other\" "
                            "-Wl,--dynamic-linker=\"$D/ld-other.so\"");
    run("./other");
    expect(TS_CHECK_NOTE, "ld-other.so is not glibc's; whether it heeds LD_PRELOAD");
    compiled_run(directory, "echo 'int __libc_start_main(void){return 0;}' | gcc -x c - -shared -o \"$D/ld-other.so\"");
    expect_fails("./other", "its C library is musl");
}

/* Cut at every byte, and with every byte of its headers changed: it answers, and never says that it would be traced. */
Test(check, damaged_files) {
    compiled_run(directory, "echo 'int main(void){return 0;}' | gcc -x c - -o \"$D/whole\"");
    size_t bytes;
    uint8_t *good = compiled_read(compiled_path(directory, "whole"), &bytes), *bad = malloc(bytes);
    for (size_t cut = 0; cut < 1200; cut += cut < 130 ? 1 : 37) {
        write_program("cut", good, cut);
        run("./cut");
        cr_expect(has(TS_CHECK_FAIL, "/cut is ") || has(TS_CHECK_FAIL, "names no loader") || !cut, "cut at %zu", cut);
    }
    for (size_t i = 0; i < sizeof(Elf64_Ehdr) + 14 * sizeof(Elf64_Phdr); i += i < sizeof(Elf64_Ehdr) ? 1 : 5) {
        memcpy(bad, good, bytes);
        bad[i] = i % 2 ? 0xff : bad[i] ^ 0x55;
        write_program("bad", bad, bytes);
        run("./bad");
        cr_expect(check.count > 0, "byte %zu", i);
    }
    free(bad);
    free(good);
}

/* Counts and sizes that claim more than there is. */
Test(check, claims) {
    static const uint64_t sizes[] = {0, 1, 7, 1 << 20, UINT64_MAX / 2, UINT64_MAX};
    static const uint32_t types[] = {PT_INTERP, PT_NOTE, PT_DYNAMIC, PT_LOAD};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
            make_elf(ET_EXEC);
            add_segment(types[i], &go_note, sizeof go_note);
            elf.segments[0].p_filesz = sizes[k];
            write_elf("claim");
            expect_fails("./claim", "");
            elf.segments[0].p_filesz = sizeof go_note;
            elf.segments[0].p_offset = sizes[k];
            write_elf("claim");
            expect_fails("./claim", "");
        }
        make_elf(ET_EXEC);
        add_segment(PT_NOTE, (Elf64_Nhdr[]){{(Elf64_Word)sizes[k], (Elf64_Word)sizes[k], 4}}, sizeof(Elf64_Nhdr));
        elf.header.e_phnum = (uint16_t)(sizes[k] | 1);
        elf.header.e_shnum = elf.header.e_shstrndx = (uint16_t)sizes[k];
        elf.header.e_shoff = sizes[k];
        write_elf("claim");
        expect_fails("./claim", "");
    }
}

Test(check, a_library_that_its_c_library_is_too_old_for) {
    compiled_run(directory, "mkdir \"$D/1\" \"$D/2\"; echo 'V1 {global: old; local: *;};' >\"$D/1/map\"; "
                            "echo 'V1 {global: old;}; V2 {global: new_one;} V1;' >\"$D/2/map\"; "
                            "echo 'int old(void){return 0;} int new_one(void){return 0;}' >\"$D/v.c\"; "
                            "echo 'int main(void){return old();}' >\"$D/main.c\"; "
                            "echo 'int f(void){return new_one();}' >\"$D/shim.c\"");
    compiled_run(directory, "for v in 1 2; do gcc \"$D/v.c\" -shared -fPIC -Wl,-soname,libv.so "
                            "-Wl,--version-script=\"$D/$v/map\" -o \"$D/$v/libv.so\"; done; "
                            "gcc -w \"$D/shim.c\" \"$D/2/libv.so\" -shared -fPIC -o \"$D/shim.so\"; "
                            "gcc -w \"$D/main.c\" \"$D/1/libv.so\" -o \"$D/old\" -Wl,-rpath,\"$D/1\"; "
                            "gcc -w \"$D/main.c\" \"$D/1/libv.so\" -o \"$D/new\" -Wl,-rpath,\"$D/2\"");
    run_with("old", "shim.so");
    expect(TS_CHECK_FAIL, "its C library has no new_one (V2), which libtraceshim.so needs");
    run_with("new", "shim.so");
    cr_expect(!has(TS_CHECK_FAIL, "its C library"));
    compiled_run(directory, "rm \"$D/1/libv.so\"");
    run_with("old", "shim.so");
    expect(TS_CHECK_FAIL, "library libv.so, which old needs, is not found");
}

Test(check, a_library_for_another_machine) {
    compiled_run(directory, "cp /bin/cat \"$D/cat\"; echo | gcc -x c - -shared -o \"$D/shim.so\"; case $(uname -m) in "
                            "x86_64) m='\\267';; *) m='\\76';; esac; printf $m | dd of=\"$D/shim.so\" bs=1 seek=18 "
                            "conv=notrunc status=none; echo broken >\"$D/broken.so\"");
    run_with("cat", "shim.so");
    expect(TS_CHECK_FAIL, "; build the library for it");
    run_with("cat", "broken.so");
    expect(TS_CHECK_FAIL, "broken.so is not an ELF file; build it anew");
    run("/bin/cat");
    expect(TS_CHECK_FAIL, "libtraceshim.so is not here");
}

Test(check, options_of_the_run) {
    setenv("TRACE_LEVEL", "0", 1);
    setenv("TRACE_CLOCK", "system", 1);
    run("/bin/cat");
    expect(TS_CHECK_FAIL, "TRACE_LEVEL is 0: nothing is recorded; set it to 1");
    expect(TS_CHECK_OK, "the clock is clock_gettime, as TRACE_CLOCK says");
    setenv("TRACE_LEVEL", "two", 1);
    setenv("TRACE_CLOCK", "sun", 1);
    setenv("TRACE_FORMAT", "tree,frob", 1);
    setenv("TRACE_HOOKS", "nosuchfunction,read(", 1);
    run("/bin/cat");
    expect(TS_CHECK_NOTE, "TRACE_LEVEL=two is not understood");
    expect(TS_CHECK_NOTE, "TRACE_CLOCK=sun is not understood");
    expect(TS_CHECK_NOTE, "TRACE_FORMAT: ");
    expect(TS_CHECK_NOTE, "TRACE_HOOKS: 'read(': ");
    expect(TS_CHECK_NOTE, "TRACE_HOOKS: nothing that is loaded calls nosuchfunction");
    expect(TS_CHECK_FAIL, "nothing of it would be recorded");
    setenv("TRACE_HOOKS", "read", 1);
    run("/bin/cat");
    expect(TS_CHECK_OK, "TRACE_HOOKS selects ");
    cr_expect(!has(TS_CHECK_NOTE, "nothing that is loaded calls"));
}

static void expect_place(const char *output, enum ts_check_grade grade, const char *part) {
    setenv("TRACE_OUTPUT", output[0] == '/' ? output : compiled_path(directory, output), 1);
    run("/bin/cat");
    expect(grade, part);
}

Test(check, places) {
    compiled_run(directory, "mkdir \"$D/foreign\" \"$D/empty\"; echo >\"$D/foreign/thesis\"; echo >\"$D/file\"");
    expect_place("new/deeper/%p", TS_CHECK_OK, "new/deeper/%p and may take ");
    expect_place("empty", TS_CHECK_OK, "empty and may take ");
    cr_expect_neq(access(compiled_path(directory, "new"), F_OK), 0, "nothing is made");
    expect_place("foreign", TS_CHECK_FAIL, "foreign cannot be used: it holds files that are not a trace; TRACE_OUTPUT");
    expect_place("file/x", TS_CHECK_FAIL, "a part of its path is no directory");
    expect_place("/proc/x", TS_CHECK_FAIL, "/proc/x cannot be used: its parent directory is gone");
    compiled_run(directory, "[ \"$(ls \"$D\" | tr '\\n' ' ')\" = 'empty file foreign ' ]");
    unsetenv("TRACE_OUTPUT");
    cr_assert_eq(chdir("/proc"), 0);
    run("/bin/cat");
    expect(TS_CHECK_NOTE, "traceshim.%p cannot be used: its parent directory is gone; the trace goes to ");
    expect(TS_CHECK_OK, "/traceshim.%p and may take ");
    char *long_name = malloc(8192);
    memset(long_name, 'x', 8191);
    long_name[8191] = '\0';
    long_name[0] = '/';
    expect_place(long_name, TS_CHECK_FAIL, "its name is too long");
    free(long_name);
}

Test(check, limits) {
    struct rlimit limit = {1 << 20, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &limit);
    expect_place("out", TS_CHECK_NOTE, "the trace is limited to 1024 KiB by RLIMIT_FSIZE");
    limit.rlim_cur = 1000;
    setrlimit(RLIMIT_FSIZE, &limit);
    expect_place("out", TS_CHECK_FAIL, "out cannot be used: there is no room for a trace (256 KiB at least)");
}

/* Names are hostile: they reach a terminal and a JSON file. */
Test(check, outputs) {
    char *text = NULL;
    size_t bytes;
    struct ts_error error;
    write_text("\x1b[31m\n\"", "\177");
    run("./\x1b[31m\n\"");
    FILE *out = open_memstream(&text, &bytes);
    ts_check_text(&check, out);
    fclose(out);
    cr_expect(strncmp(text, "FAIL  ", 6) == 0 && strstr(text, "\\x1b[31m\\n\" is not an ELF file\n"), "%s", text);
    cr_expect(!strchr(text, '\x1b'));
    free(text);
    out = open_memstream(&text, &bytes);
    cr_expect_eq(ts_check_json(&check, "\x1b\"", out, &error), 0);
    fclose(out);
    compiled_write(compiled_path(directory, "json"), text, bytes);
    compiled_run(directory, "python3 -c 'import json, sys; j = json.load(open(sys.argv[1])); assert j[\"passes\"] is "
                            "False and j[\"program\"] == \"\\x1b\\\"\" and j[\"findings\"][0][\"grade\"] == \"FAIL\"' "
                            "\"$D/json\"");
    free(text);
}
