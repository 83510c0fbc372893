#include "preload/environment.h"
#include "collector/system.h"
#include "collector/text.h"
#include "preload/options.h"
#include "preload/session.h"

#include <sys/mman.h>
#include <unistd.h>

#define PRELOAD "LD_PRELOAD"

static char session_text[4096 + 64]; /* TRACESHIM_SESSION=<pid>:<directory>; "": children are not recorded */
static char library_path[4096];

static int is_variable(const char *text, const char *name) {
    return ts_text_begins(text, name) && text[ts_text_length(name)] == '=';
}

static const char *file_name(const char *path, size_t length) {
    const char *name = path;
    for (size_t i = 0; i < length; i++)
        if (path[i] == '/')
            name = path + i + 1;
    return name;
}

/* Our item of a list separated by colons or spaces, whatever the path it is named by; *length is set. */
static const char *find_item(const char *list, size_t *length) {
    const char *ours = file_name(library_path, ts_text_length(library_path));
    size_t our_length = ts_text_length(ours);
    for (const char *at = list; *at; at += *length + (at[*length] != 0)) {
        for (*length = 0; at[*length] && at[*length] != ':' && at[*length] != ' ';)
            ++*length;
        const char *name = file_name(at, *length);
        if (*length && (size_t)(at + *length - name) == our_length && ts_text_begins(name, ours))
            return at;
    }
    return NULL;
}

/*
 * The program's environment with the session's variable (NULL: without), in memory of our own: setenv allocates with
 * the program's malloc.
 */
static void set_session(char *text) {
    size_t count = 0;
    while (environ && environ[count])
        count++;
    int64_t memory =
        ts_system_mmap(NULL, (count + 2) * sizeof *environ, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (ts_system_failed(memory))
        return;
    char **copy = (char **)memory;
    size_t used = 0;
    for (size_t i = 0; i < count; i++)
        if (!is_variable(environ[i], TS_SESSION_VARIABLE))
            copy[used++] = environ[i];
    if (text)
        copy[used++] = text;
    environ = copy;
}

/*
 * Our item in LD_PRELOAD: taken out (`replacement` NULL), or, where it was named relative to a directory that the
 * program may leave, replaced by the absolute path.
 */
static void change_preload(const char *replacement) {
    static char changed[16384];
    for (char **variable = environ; variable && *variable; variable++) {
        size_t length;
        const char *list = *variable + sizeof PRELOAD;
        const char *item = is_variable(*variable, PRELOAD) ? find_item(list, &length) : NULL;
        if (!item || (replacement && (item[0] == '/' || file_name(item, length) == item)))
            continue;
        struct ts_text text = TS_TEXT_IN(changed);
        const char *rest = item + length;
        ts_text_add_bytes(&text, *variable, (size_t)(item - *variable));
        if (replacement)
            ts_text_add(&text, replacement);
        else
            rest += *rest != 0;
        ts_text_add(&text, rest);
        if (text.cut)
            continue;
        *variable = changed;
        if (!replacement) /* once more: we may be named twice */
            variable--;
    }
}

void ts_environment_begin(const char *library, int children) {
    struct ts_text path = TS_TEXT_IN(library_path), session = TS_TEXT_IN(session_text);
    if (library[0] != '/') {
        char here[4096];
        if (ts_system_getcwd(here, sizeof here) > 1) {
            ts_text_add(&path, here);
            ts_text_add(&path, "/");
        }
        while (ts_text_begins(library, "./"))
            library += 2;
    }
    ts_text_add(&path, library);
    if (!children) {
        change_preload(NULL);
        set_session(NULL);
        return;
    }
    change_preload(library_path);
    ts_text_add(&session, TS_SESSION_VARIABLE "=");
    ts_text_add_number(&session, (uint64_t)ts_session_first_pid());
    ts_text_add(&session, ":");
    ts_text_add(&session, ts_session_directory());
    set_session(session_text);
}

int ts_environment_lacks(char *const *environment) {
    if (!session_text[0])
        return 0;
    const char *preload = ts_options_variable(environment, PRELOAD);
    const char *session = ts_options_variable(environment, TS_SESSION_VARIABLE);
    size_t length;
    return !session || !preload || !find_item(preload, &length);
}

struct completed {
    uint64_t bytes; /* of the mapping */
    char *variables[];
};

/* LD_PRELOAD with us before the others; 0 when we are there already, as `given` has it. */
static int complete_preload(struct ts_text *list, const char *given) {
    size_t length;
    const char *others = given ? given + sizeof PRELOAD : "";
    if (find_item(others, &length))
        return 0;
    ts_text_add(list, PRELOAD "=");
    ts_text_add(list, library_path);
    if (*others) {
        ts_text_add(list, ":");
        ts_text_add(list, others);
    }
    return 1;
}

char *const *ts_environment_complete(char *const *environment) {
    size_t count = 0, used = 0;
    const char *given = NULL;
    while (environment && environment[count]) {
        if (is_variable(environment[count], PRELOAD))
            given = environment[count];
        count++;
    }
    size_t text_bytes = (given ? ts_text_length(given) : sizeof PRELOAD) + ts_text_length(library_path) + 3;
    size_t array_bytes = sizeof(struct completed) + (count + 3) * sizeof(char *);
    int64_t memory =
        ts_system_mmap(NULL, array_bytes + text_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (ts_system_failed(memory))
        return NULL;
    struct completed *complete = (struct completed *)memory;
    complete->bytes = array_bytes + text_bytes;
    struct ts_text list = {(char *)memory + array_bytes, 0, text_bytes, 0};
    int ours = complete_preload(&list, given);
    for (size_t i = 0; i < count; i++)
        if (!is_variable(environment[i], TS_SESSION_VARIABLE) && !(ours && environment[i] == given))
            complete->variables[used++] = environment[i];
    if (ours)
        complete->variables[used++] = list.start;
    complete->variables[used++] = session_text;
    complete->variables[used] = NULL;
    return complete->variables;
}

void ts_environment_free(char *const *environment) {
    struct completed *complete = (struct completed *)((char *)environment - sizeof(struct completed));
    ts_system_munmap(complete, complete->bytes);
}
