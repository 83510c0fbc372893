/*
 * Which calls of real programs, built here, would be hooked, and what is said of the others; the modules that define
 * them as the loader itself tells (LD_DEBUG=bindings). Cannot find: what the shim then does, and loaders of another
 * kind than glibc's.
 */
#include "render/hook_binding.h"

#include "render/hook_option.h"
#include "tests/unit/render/compiled.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SOURCES "tests/unit/render/fixtures/"
#define LIBRARY "gcc -w -shared -fPIC -Wl,-soname,libhooks.so.1 -o \"$D/libhooks.so.1\" " SOURCES "hooks_library.c"
#define PROGRAM "gcc -w -O1 -o \"$D/program\" " SOURCES "hooks_program.c "
#define LINK " \"$D/libhooks.so.1\" -Wl,-rpath,'$ORIGIN'"

static char *directory;
static struct ts_load_order order;
static struct ts_hook_selection selection;
static struct ts_hook_bindings bindings;

static void set_up(void) {
    directory = compiled_directory();
    compiled_run(directory, LIBRARY);
}

static void forget(void) {
    if (!order.count)
        return;
    ts_hook_bindings_free(&bindings);
    ts_load_order_free(&order);
    free(selection.rules);
    order.count = 0;
}

static void tear_down(void) {
    forget();
    compiled_remove(directory);
}

TestSuite(hook_binding, .init = set_up, .fini = tear_down, .timeout = 120);

static void find_with(const char *path, const char *hooks, const char *library_path) {
    struct ts_error error = {""};
    char *wrong;
    forget();
    cr_assert_eq(ts_load_order_read(&order, path, NULL, library_path, &error), 0, "%s", error.text);
    ts_hook_option_parse(&selection, hooks, &wrong);
    cr_assert_null(wrong, "%s", wrong);
    ts_hook_bindings_find(&bindings, &order, &selection);
}

static void find(const char *hooks) {
    find_with(compiled_path(directory, "program"), hooks, NULL);
}

static const struct ts_hook_binding *binding_of(const char *caller, const char *symbol) {
    const struct ts_hook_binding *found = NULL;
    for (size_t i = 0; i < bindings.count; i++) {
        if (strcmp(bindings.bindings[i].caller, caller) != 0 || strcmp(bindings.bindings[i].symbol, symbol) != 0)
            continue;
        cr_expect_null(found, "%s is there twice", symbol);
        found = &bindings.bindings[i];
    }
    return found;
}

/* module NULL: not hooked. */
static void expect(const char *caller, const char *symbol, const char *module, enum ts_elf_through through) {
    const struct ts_hook_binding *binding = binding_of(caller, symbol);
    cr_expect_eq(binding != NULL, module != NULL, "%s of %s", symbol, caller);
    if (!binding || !module)
        return;
    cr_expect_str_eq(binding->module, module, "%s", symbol);
    cr_expect_eq(binding->through, through, "%s: %d", symbol, binding->through);
}

/* The reason begins with `why`; NULL: nothing is said of it. */
static void expect_unseen(const char *what, const char *why) {
    const char *found = NULL;
    for (size_t i = 0; i < bindings.unseen_count; i++)
        if (!strcmp(bindings.unseen[i].what, what))
            found = bindings.unseen[i].why;
    cr_expect(found && why ? !strncmp(found, why, strlen(why)) : found == why, "%s: '%s'", what, found ? found : "");
}

Test(hook_binding, references_of_every_kind) {
    compiled_run(directory, PROGRAM "-fPIE -pie" LINK);
    find("*");
    expect("program", "hooks_alpha", "libhooks.so.1", TS_ELF_CALL);
    expect("program", "hooks_beta", "libhooks.so.1", TS_ELF_CALL);
    expect("libhooks.so.1", "hooks_alpha", "libhooks.so.1", TS_ELF_CALL);
    expect("program", "hooks_gamma", NULL, 0);
    expect_unseen("hooks_gamma", "only its address is taken");
    expect("program", "hooks_delta", NULL, 0);
    expect_unseen("hooks_delta", "only a table holds its address");
    expect("program", "hooks_nowhere", NULL, 0);
    expect_unseen("_setjmp", "it returns twice");
    cr_expect_null(binding_of("program", "_setjmp"));
    for (size_t i = 1; i < bindings.count; i++)
        cr_expect(strcmp(bindings.bindings[i - 1].caller, bindings.bindings[i].caller) != 0 ||
                  strcmp(bindings.bindings[i - 1].symbol, bindings.bindings[i].symbol) < 0);
}

Test(hook_binding, a_table_is_taken_when_the_function_has_a_signature) {
    compiled_run(directory, PROGRAM "-fPIE -pie" LINK);
    find("hooks_delta");
    expect("program", "hooks_delta", NULL, 0);
    find("hooks_delta(n:int)=int,*");
    expect("program", "hooks_delta", "libhooks.so.1", TS_ELF_DATA);
    const struct ts_hook_binding *binding = binding_of("program", "hooks_delta");
    cr_assert(binding && binding->signature);
    cr_expect(binding->signature_bytes == 11 && !strncmp(binding->signature, "(n:int)=int", 11));
    expect_unseen("hooks_delta(n:int)=int", NULL);
}

Test(hook_binding, calls_without_a_plt) {
    compiled_run(directory, PROGRAM "-fno-plt -fPIE -pie" LINK);
    find("hooks_*");
    expect("program", "hooks_alpha", "libhooks.so.1", TS_ELF_POINTER);
    expect_unseen("hooks_gamma", "only its address is taken");
}

Test(hook_binding, an_address_that_the_program_fixes_stays) {
    compiled_run(directory, PROGRAM "-fno-pie -no-pie" LINK);
    find("hooks_gamma(n:int)");
    expect("program", "hooks_gamma", "libhooks.so.1", TS_ELF_CALL);
    expect("libhooks.so.1", "hooks_gamma", NULL, 0);
    expect_unseen("hooks_gamma", "called through a pointer that must stay equal to the program's (in libhooks.so.1)");
}

Test(hook_binding, stripped_of_sections) {
    compiled_run(directory, PROGRAM "-fPIE -pie" LINK);
    size_t bytes;
    uint8_t *content = compiled_read(compiled_path(directory, "program"), &bytes);
    memset(content + 40, 0, 8); /* e_shoff */
    memset(content + 60, 0, 4); /* e_shnum, e_shstrndx */
    compiled_write(compiled_path(directory, "program"), content, bytes);
    free(content);
    find("hooks_alpha");
    expect("program", "hooks_alpha", "libhooks.so.1", TS_ELF_CALL);
}

Test(hook_binding, who_defines_it_first) {
    compiled_run(directory, PROGRAM "-DOWN_ALPHA -rdynamic -fPIE -pie" LINK);
    find("hooks_alpha");
    expect("libhooks.so.1", "hooks_alpha", "program", TS_ELF_CALL);
    compiled_run(directory, LIBRARY " -Wl,-Bsymbolic");
    find("hooks_alpha");
    cr_expect_null(binding_of("libhooks.so.1", "hooks_alpha"), "it needs no symbol for it now");

    compiled_run(directory, LIBRARY);
    compiled_run(directory, "gcc -w -shared -fPIC -DONLY_ALPHA -o \"$D/first.so\" " SOURCES "hooks_library.c");
    compiled_run(directory, PROGRAM "-fPIE -pie -Wl,--no-as-needed \"$D/first.so\"" LINK);
    find("hooks_alpha,hooks_beta");
    expect("program", "hooks_alpha", "first.so", TS_ELF_CALL);
    expect("libhooks.so.1", "hooks_alpha", "first.so", TS_ELF_CALL);
    expect("program", "hooks_beta", "libhooks.so.1", TS_ELF_CALL);
    find("first.so:hooks_*");
    expect("program", "hooks_beta", NULL, 0);
    expect("program", "hooks_alpha", "first.so", TS_ELF_CALL);
    find("hooks_alpha@libhooks*");
    expect("program", "hooks_alpha", NULL, 0);
    expect("libhooks.so.1", "hooks_alpha", "first.so", TS_ELF_CALL);
}

Test(hook_binding, a_version_is_kept) {
    struct ts_error error;
    compiled_run(directory, "echo 'OLD { hooks_*; };' >\"$D/old.map\"; echo 'NEW { hooks_*; };' >\"$D/new.map\"");
    compiled_run(directory, "gcc -w -shared -fPIC -Wl,--version-script,\"$D/old.map\" -o \"$D/old.so\" " SOURCES
                            "hooks_library.c");
    compiled_run(directory, LIBRARY " -Wl,--version-script,\"$D/new.map\"");
    compiled_run(directory, PROGRAM "-fPIE -pie" LINK);
    forget();
    cr_assert_eq(ts_load_order_read(&order, compiled_path(directory, "program"), compiled_path(directory, "old.so"),
                                    NULL, &error),
                 0);
    cr_assert_str_eq(order.modules[1]->name, "old.so", "preloaded");
    const struct ts_elf_import *import = ts_elf_file_import(order.modules[0]->file, "hooks_alpha");
    cr_assert(import && import->version);
    cr_expect_str_eq(import->version, "NEW");
    cr_expect_str_eq(ts_load_order_definer(&order, order.modules[0], import)->name, "libhooks.so.1");
    cr_expect(ts_elf_file_defines(order.modules[1]->file, "hooks_alpha", "OLD"));
    cr_expect(!ts_elf_file_defines(order.modules[1]->file, "hooks_alpha", "NEW"));
    ts_load_order_free(&order);
    order.count = 0;
}

Test(hook_binding, what_cannot_be_seen_is_said) {
    compiled_run(directory, PROGRAM "-fPIE -pie" LINK);
    find("io,hooks_alhpa,rea,hooks_zeta,nosuch_*,read,-read,hooks_alpha@nobody");
    expect_unseen("nosuch_*", "selects no call");
    expect_unseen("rea", "no module calls or defines it; did you mean 'read'?");
    expect_unseen("hooks_zeta", "no module calls or defines it");
    expect_unseen("read", "a later entry excludes it");
    expect_unseen("hooks_alpha@nobody", "called, but not by and of");
    find("hooks_gamma,*");
    expect_unseen("hooks_gamma", "only its address");

    compiled_run(directory, "rm \"$D/libhooks.so.1\"");
    find("hooks_*");
    expect_unseen("libhooks.so.1", "library not found (needed by program)");
    expect_unseen("hooks_alpha", "no library defines it");
    cr_expect_eq(bindings.count, 0);

    compiled_run(directory, "echo 'int main(void){return 0;}' | gcc -x c - -static -o \"$D/program\"");
    find("*");
    cr_expect_eq(bindings.count, 0);
    expect_unseen("program", "statically linked");
    compiled_run(directory, "echo 'int main(void){return 0;}' | gcc -x c - -static-pie -o \"$D/program\"");
    find("*");
    expect_unseen("program", "statically linked");
    compiled_run(directory, PROGRAM "-DOWN_ALPHA -fPIE -pie -Wl,--unresolved-symbols=ignore-all");
    chmod(compiled_path(directory, "program"), 04755);
    find("*");
    expect_unseen("program", "set-user-ID");
}

/* Bindings that the loader tells, `caller symbol definer` a line, of a program that it runs with every call bound. */
Test(hook_binding, the_loader_binds_the_same) {
    static const char *const programs[] = {"/bin/sh", "/usr/bin/python3", "/usr/bin/git"};
    size_t compared = 0;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        struct stat status;
        if (stat(programs[i], &status) != 0)
            continue;
        compiled_run(directory,
                     "LD_BIND_NOW=1 LD_DEBUG=bindings %s --version 2>&1 >/dev/null </dev/null | sed -nE "
                     "'s/.*binding file (.*\\/)?([^ ]+) \\[0\\] to (.*\\/)?([^ ]+) \\[0\\]: normal symbol "
                     "`([^'\"'\"']*)'\"'\"'.*/\\2 "
                     "\\5 \\4/p' | sort -u > \"$D/bound\"",
                     programs[i]);
        find_with(programs[i], "*", NULL);
        size_t bytes;
        char *lines = (char *)compiled_read(compiled_path(directory, "bound"), &bytes);
        lines[bytes] = '\0';
        for (size_t k = 0; k < bindings.count && bytes; k++) {
            const struct ts_hook_binding *binding = &bindings.bindings[k];
            char line[512];
            snprintf(line, sizeof line, "%s %s %s\n", binding->caller, binding->symbol, binding->module);
            cr_expect(strstr(lines, line), "%s: the loader does not bind %s", programs[i], line);
            compared++;
        }
        free(lines);
    }
    if (!compared)
        cr_skip_test("no loader here tells its bindings");
}

/* A hole of 64 GiB that the headers call code and tables is neither read to its end nor kept. */
Test(hook_binding, a_huge_file_of_holes) {
    compiled_run(directory, PROGRAM "-fno-plt -fPIE -pie" LINK);
    size_t bytes;
    const char *path = compiled_path(directory, "program");
    uint8_t *content = compiled_read(path, &bytes);
    uint64_t table, huge = (uint64_t)1 << 36, size;
    uint16_t count;
    memcpy(&table, content + 32, sizeof table); /* e_phoff, e_phnum, Elf64_Phdr */
    memcpy(&count, content + 56, sizeof count);
    for (uint16_t i = 0; i < count; i++) {
        uint8_t *header = content + table + 56 * (uint64_t)i;
        uint32_t type;
        memcpy(&type, header, sizeof type);
        memcpy(&size, header + 32, sizeof size);
        if (type == 1 && size)
            memcpy(header + 32, &huge, sizeof huge);
    }
    compiled_write(path, content, bytes);
    free(content);
    cr_assert_eq(truncate(path, (off_t)huge), 0);
    find("hooks_*");
    expect("program", "hooks_alpha", "libhooks.so.1", TS_ELF_POINTER);
}

/* Random damage: whatever the bytes are, no crash, hang or claim on memory. Best run with SAN=address,undefined. */
static void damage(const char *name, unsigned rounds) {
    const char *path = compiled_path(directory, "damaged");
    size_t bytes;
    uint8_t *content = compiled_read(compiled_path(directory, name), &bytes), saved[8];
    uint64_t random = 7;
    for (unsigned round = 0; round < rounds; round++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        /* Headers, dynamic section and tables lie in the first page and around the second third. */
        size_t at = (random >> 33) % (round % 2 ? bytes - sizeof saved : 4096);
        memcpy(saved, content + at, sizeof saved);
        if (round % 3 == 0)
            content[at] = (uint8_t)(random >> 20);
        else if (round % 3 == 1)
            memset(content + at, 0xff, sizeof saved);
        else
            memcpy(content + at, &random, sizeof saved);
        compiled_write(path, content, round % 7 ? bytes : (random >> 30) % bytes);
        memcpy(content + at, saved, sizeof saved);
        struct ts_error error = {""};
        struct ts_load_order damaged;
        struct ts_hook_bindings found;
        if (ts_load_order_read(&damaged, path, NULL, directory, &error) == 0) {
            ts_hook_bindings_find(&found, &damaged, &selection);
            ts_hook_bindings_free(&found);
            ts_load_order_free(&damaged);
        } else {
            cr_assert(error.text[0] && !strchr(error.text, '\n'), "'%s'", error.text);
        }
    }
    free(content);
}

/* Without libc, which would have to be read again each time. */
#define ALONE "-nostdlib -Wl,-e,main -Wl,--unresolved-symbols=ignore-all "

Test(hook_binding, damaged_files) {
    compiled_run(directory, LIBRARY " -nostdlib");
    compiled_run(directory, PROGRAM ALONE "-fPIE -pie -Wl,--hash-style=gnu" LINK);
    find("*");
    damage("program", 700);
    damage("libhooks.so.1", 700);
    compiled_run(directory, PROGRAM ALONE "-fno-plt -no-pie -Wl,--hash-style=sysv" LINK);
    damage("program", 300);
}
