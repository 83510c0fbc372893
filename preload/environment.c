#include "preload/environment.h"
#include "collector/kept_memory.h"
#include "collector/placement.h"
#include "collector/system.h"
#include "collector/text.h"
#include "preload/options.h"
#include "preload/session.h"

#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#define PRELOAD "LD_PRELOAD"

static char *session_text; /* TRACESHIM_SESSION=<pid>:<directory>; NULL: children are not recorded */
static char *session_sign; /* in it: whether they begin paused */
static const char *library_path = "";
static char **start_options; /* TRACE_* as this process was started with; NULL: none */
static size_t start_option_count;

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

static size_t count_of(char *const *environment) {
    size_t count = 0;
    while (environment && environment[count])
        count++;
    return count;
}

/* Words of the kernel's vector, with the pair that ends it. */
static size_t auxiliary_words(const uint64_t *auxiliary) {
    size_t words = 0;
    while (auxiliary && auxiliary[words] != AT_NULL)
        words += 2;
    return auxiliary ? words + 2 : 0;
}

/*
 * The program's environment with the session's variable (NULL: without), in memory of our own: setenv allocates with
 * the program's malloc.
 */
static void set_session(char *text, const uint64_t *auxiliary) {
    size_t count = count_of(__environ), words = auxiliary_words(auxiliary);
    char **copy = ts_kept_memory((count + 2) * sizeof *__environ + words * sizeof *auxiliary);
    if (!copy)
        return;
    size_t used = 0;
    for (size_t i = 0; i < count; i++)
        if (!is_variable(__environ[i], TS_SESSION_VARIABLE))
            copy[used++] = __environ[i];
    if (text)
        copy[used++] = text;
    for (size_t i = 0; i < words; i++)
        ((uint64_t *)(copy + used + 1))[i] = auxiliary[i];
    __environ = copy;
}

/*
 * Our item in LD_PRELOAD: taken out (`replacement` NULL), or, where it was named relative to a directory that the
 * program may leave, replaced by the absolute path.
 */
static void change_preload(const char *replacement) {
    TS_LARGE_TABLE static char changed[16384];
    for (char **variable = __environ; variable && *variable; variable++) {
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

static void add_size(void *bytes, const char *text) {
    *(size_t *)bytes += sizeof(char *) + ts_text_length(text) + 1;
}

static void count_option(void *count, const char *text) {
    (void)text;
    ++*(size_t *)count;
}

static void add_option(void *place, const char *text) {
    char **end = place;
    start_options[start_option_count++] = *end;
    for (; *text; text++)
        *(*end)++ = *text;
    ++*end;
}

/* Copies, since programs write over the memory that the kernel gave them. */
static void keep_options(void) {
    size_t bytes = 0, count = 0;
    ts_options_each_set(__environ, add_size, &bytes);
    if (!bytes || !(start_options = ts_kept_memory(bytes)))
        return;
    ts_options_each_set(__environ, count_option, &count);
    char *end = (char *)(start_options + count);
    ts_options_each_set(__environ, add_option, &end);
}

void ts_environment_begin(const char *library, int children, const uint64_t *auxiliary) {
    char buffer[4096 + 64], here[4096];
    struct ts_text path = TS_TEXT_IN(buffer), session = TS_TEXT_IN(buffer);
    path.size = 4096;
    if (library[0] != '/') {
        if (ts_system_getcwd(here, sizeof here) > 1) {
            ts_text_add(&path, here);
            ts_text_add(&path, "/");
        }
        while (ts_text_begins(library, "./"))
            library += 2;
    }
    ts_text_add(&path, library);
    library_path = ts_kept_text(path.start, path.used);
    if (!children) {
        change_preload(NULL);
        set_session(NULL, auxiliary);
        return;
    }
    change_preload(library_path);
    ts_text_add(&session, TS_SESSION_VARIABLE "=");
    ts_text_add_number(&session, (uint64_t)ts_session_first_pid());
    ts_text_add(&session, ":");
    ts_text_add(&session, ts_session_directory());
    session_text = ts_kept_text(session.start, session.used);
    if (session_text)
        session_sign = (char *)ts_session_sign(session_text + sizeof TS_SESSION_VARIABLE);
    set_session(session_text, auxiliary);
    keep_options();
}

int ts_environment_lacks(char *const *environment) {
    if (!session_text || !session_text[0])
        return 0;
    const char *preload = ts_options_variable(environment, PRELOAD);
    const char *session = ts_options_variable(environment, TS_SESSION_VARIABLE);
    size_t length;
    return !session || *ts_session_sign(session) != *session_sign || !preload || !find_item(preload, &length);
}

void ts_environment_pause(int is_paused) {
    if (session_sign)
        *session_sign = is_paused ? TS_SESSION_PAUSED : TS_SESSION_ON;
}

struct completed {
    uint64_t bytes; /* of the mapping */
    size_t count;   /* of the variables that it was made from; they lie behind the variables' NULL */
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

static int names_option(char *const *environment, const char *option) {
    for (; environment && *environment; environment++) {
        size_t same = 0;
        while (option[same] != '=' && (*environment)[same] == option[same])
            same++;
        if (option[same] == '=' && (*environment)[same] == '=')
            return 1;
    }
    return 0;
}

static struct completed *complete(char *const *environment) {
    size_t count = count_of(environment), used = 0;
    const char *given = ts_options_variable(environment, PRELOAD);
    given = given ? given - sizeof PRELOAD : NULL;
    int knows_us = ts_options_variable(environment, TS_SESSION_VARIABLE) != NULL;
    size_t text_bytes = (given ? ts_text_length(given) : sizeof PRELOAD) + ts_text_length(library_path) + 3;
    size_t most = count + 3 + (knows_us ? 0 : start_option_count);
    size_t array_bytes = sizeof(struct completed) + (most + count) * sizeof(char *);
    int64_t memory =
        ts_system_mmap(NULL, array_bytes + text_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (ts_system_failed(memory))
        return NULL;
    struct completed *complete = (struct completed *)memory;
    *complete = (struct completed){.bytes = array_bytes + text_bytes, .count = count};
    struct ts_text list = {(char *)complete + array_bytes, 0, text_bytes, 0};
    int ours = complete_preload(&list, given);
    for (size_t i = 0; i < count; i++)
        if (!is_variable(environment[i], TS_SESSION_VARIABLE) && !(ours && environment[i] == given))
            complete->variables[used++] = environment[i];
    if (ours)
        complete->variables[used++] = list.start;
    complete->variables[used++] = session_text;
    for (size_t i = 0; i < start_option_count && !knows_us; i++)
        if (!names_option(environment, start_options[i]))
            complete->variables[used++] = start_options[i];
    complete->variables[used] = NULL;
    for (size_t i = 0; i < count; i++)
        complete->variables[used + 1 + i] = environment[i];
    return complete;
}

char *const *ts_environment_complete(char *const *environment) {
    struct completed *made = complete(environment);
    return made ? made->variables : NULL;
}

static int was_made_from(const struct completed *made, char *const *environment) {
    char *const *source = made->variables + count_of(made->variables) + 1;
    if (made->count != count_of(environment))
        return 0;
    for (size_t i = 0; i < made->count; i++)
        if (source[i] != environment[i])
            return 0;
    return 1;
}

char **ts_environment_complete_own(char **environment) {
    static struct completed *latest;
    struct completed *made = __atomic_load_n(&latest, __ATOMIC_ACQUIRE);
    if (made && was_made_from(made, environment))
        return made->variables;
    made = complete(environment);
    if (!made)
        return NULL;
    __atomic_store_n(&latest, made, __ATOMIC_RELEASE);
    return made->variables;
}

void ts_environment_free(char *const *environment) {
    struct completed *complete = (struct completed *)((char *)environment - sizeof(struct completed));
    ts_system_munmap(complete, complete->bytes);
}
