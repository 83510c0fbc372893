#include "render/check_parts.h"
#include "render/memory.h"
#include "render/program_find.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum {
    SCRIPTS_MOST = 5, /* the kernel follows no more, */
    LINE_BYTES = 256, /* and reads no more of a first line */
};

/* What execvp runs a file with that the kernel does not know. */
#define SHELL "/bin/sh"

/* Of a file. */
struct begin {
    char line[LINE_BYTES + 1]; /* NUL behind it */
    size_t bytes;
};

static int refuse(struct ts_check *check, const char *what, const char *path, const char *remedy) {
    ts_check_add(check, TS_CHECK_FAIL, "%s %s; %s", path, what, remedy);
    return -1;
}

/* `runs`: it is what runs a script; NULL: it is the program itself. */
static int check_missing(struct ts_check *check, const char *path, const char *runs) {
    if (runs)
        ts_check_add(check, TS_CHECK_FAIL, "%s, which is to run %s: %s; install it, or correct the script's first line",
                     path, runs, strerror(errno));
    else
        ts_check_add(check, TS_CHECK_FAIL, "%s: %s; give the path of a program", path, strerror(errno));
    return -1;
}

/* Whether the file can be started at all. 0: *begin is filled in. */
static int check_file(struct ts_check *check, const char *path, const char *runs, struct begin *begin) {
    struct stat status;
    struct statvfs place;
    if (stat(path, &status) != 0)
        return check_missing(check, path, runs);
    if (S_ISDIR(status.st_mode))
        return refuse(check, "is a directory, not a program", path, "give the path of a program in it");
    if (!S_ISREG(status.st_mode))
        return refuse(check, "is not a regular file", path, "give the path of a program");
    if (statvfs(path, &place) == 0 && place.f_flag & ST_NOEXEC)
        return refuse(check, "is on a file system that is mounted noexec", path, "copy it to another one");
    if (access(path, X_OK) != 0)
        return refuse(check, "is not executable by you", path, "see chmod +x, and the directories above it");
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    ssize_t bytes = fd < 0 ? -1 : pread(fd, begin->line, LINE_BYTES, 0);
    if (fd >= 0)
        close(fd);
    if (bytes < 0)
        return refuse(check, "can be executed but not read, so that nothing is known of it", path,
                      "check it as a user who may read it");
    begin->line[bytes] = '\0';
    begin->bytes = (size_t)bytes;
    return 0;
}

static bool is_script(const struct begin *begin) {
    return begin->line[0] == '#' && begin->line[1] == '!';
}

/* As shells tell it: no NUL. Nothing at all is a script, too. */
static bool is_text(const struct begin *begin) {
    return begin->line[0] != ELFMAG0 && !memchr(begin->line, '\0', begin->bytes);
}

/* The word of `line` at *at, which is moved behind it; NULL: there is none. Ends it in place. */
static char *take_word(char **at) {
    char *word = *at + strspn(*at, " \t");
    size_t bytes = strcspn(word, " \t");
    *at = word + bytes + (word[bytes] != '\0');
    word[bytes] = '\0';
    return bytes ? word : NULL;
}

/* What `env NAME` executes; NULL: it is not told by a plain name. A copy. */
static char *behind_env(const char *interpreter, const char *argument) {
    const char *slash = strrchr(interpreter, '/');
    if (!argument || strcmp(slash ? slash + 1 : interpreter, "env") != 0)
        return NULL;
    argument += !strncmp(argument, "-S", 2) ? 2 + strspn(argument + 2, " \t") : 0;
    size_t bytes = strcspn(argument, " \t");
    return bytes && argument[0] != '-' && !memchr(argument, '=', bytes) ? ts_memory_copy(argument, bytes) : NULL;
}

/* What the first line of a script tells. */
struct script {
    char *interpreter; /* that runs it; NULL: nothing does */
    char *finder;      /* the env that looks for it; NULL: none */
};

static void read_script(struct ts_check *check, const char *path, char *rest, struct script *script) {
    size_t bytes = strcspn(rest, "\n");
    bool is_cut = rest[bytes] == '\0' && bytes + strlen("#!") == LINE_BYTES;
    *script = (struct script){NULL, NULL};
    rest[bytes] = '\0';
    char *interpreter = take_word(&rest);
    if (!interpreter || (is_cut && !*rest)) {
        ts_check_add(check, TS_CHECK_FAIL, "%s: its first line names no interpreter; begin it with #! and a path",
                     path);
        return;
    }
    char *name = behind_env(interpreter, rest + strspn(rest, " \t"));
    script->interpreter = name ? ts_program_find(name) : ts_memory_text("%s", interpreter);
    if (name)
        script->finder = ts_memory_text("%s", interpreter);
    if (!script->interpreter)
        ts_check_add(check, TS_CHECK_FAIL, "%s: %s does not find %s on PATH; install it", path, interpreter, name);
    free(name);
}

static void tell_script(struct ts_check *check, const char *path, const struct script *script) {
    if (script->finder)
        ts_check_add(check, TS_CHECK_OK, "%s is a script: %s, found by %s, runs it and is what is traced", path,
                     script->interpreter, script->finder);
    else
        ts_check_add(check, TS_CHECK_OK, "%s is a script: %s runs it and is what is traced", path, script->interpreter);
}

char *ts_check_start(struct ts_check *check, const char *program) {
    char *path = ts_program_find(program);
    struct begin begin;
    int scripts = 0;
    if (!path) {
        ts_check_add(check, TS_CHECK_FAIL, "%s is not on PATH; give its path", program);
        return NULL;
    }
    int status = check_file(check, path, NULL, &begin);
    for (; status == 0 && is_script(&begin); scripts++) {
        struct script script = {NULL, NULL};
        if (scripts == SCRIPTS_MOST)
            ts_check_add(check, TS_CHECK_FAIL, "%s: a script that a script runs, and so on; the kernel follows %d",
                         path, SCRIPTS_MOST);
        else
            read_script(check, path, begin.line + strlen("#!"), &script);
        status = script.interpreter ? check_file(check, script.interpreter, path, &begin) : -1;
        if (status == 0)
            tell_script(check, path, &script);
        free(script.finder);
        free(path);
        path = script.interpreter;
    }
    if (status == 0 && scripts == 0 && is_text(&begin)) {
        ts_check_add(check, TS_CHECK_NOTE,
                     "%s has no #! line: traceshim run has " SHELL " run it, which is what is traced, and a shell does "
                     "it itself, untraced; begin it with #!" SHELL,
                     path);
        free(path);
        path = ts_memory_text("%s", SHELL);
        status = check_file(check, path, program, &begin);
    }
    if (status == 0)
        return path;
    free(path);
    return NULL;
}
