#include "render/unseen.h"

#include "collector/hook_selection.h"
#include "render/count_text.h"
#include "render/hook_option.h"
#include "render/memory.h"
#include "render/session_private.h"
#include "render/text_list.h"

#include <stdlib.h>
#include <string.h>

/* File names in one line. */
#define NAMES_MOST 8

static void add(struct ts_unseen_list *unseen, char *what, char *why) {
    unseen->items = ts_memory_grow(unseen->items, &unseen->capacity, unseen->count + 1, sizeof *unseen->items);
    unseen->items[unseen->count++] = (struct ts_unseen){what, why};
}

/* Adds a name to `a, b, c`. The caller frees what it gets. */
static char *with_name(char *names, size_t before, const char *name) {
    char *longer = before > NAMES_MOST    ? names
                   : before == NAMES_MOST ? ts_memory_text("%s, …", names)
                                          : ts_memory_text("%s%s%s", names, before ? ", " : "", name);
    if (longer != names)
        free(names);
    return longer;
}

/* What the recorder itself could not do. */
static void add_told(struct ts_unseen_list *unseen, const struct ts_session *session) {
    for (size_t i = 0; i < session->trace_count; i++) {
        const struct ts_facts *facts = session->traces[i]->facts;
        for (size_t k = 0; k < facts->metadata_count; k++) {
            const char *value = facts->metadata[k].value, *why = strstr(value, ": ");
            if (facts->metadata[k].key != TS_METADATA_UNSEEN)
                continue;
            if (why)
                add(unseen, ts_memory_copy(value, (size_t)(why - value)), ts_memory_text("%s", why + 2));
            else
                add(unseen, ts_memory_text("%s", value), ts_memory_text("the recorder could not reach them"));
        }
    }
}

static void add_uninstrumented(struct ts_unseen_list *unseen, const struct ts_patched_modules *modules) {
    char *names = ts_memory_text("%s", "");
    size_t count = 0;
    for (size_t i = 0; i < modules->count; i++) {
        const struct ts_patched_module *module = &modules->modules[i];
        if (module->is_library && !module->is_instrumented)
            names = with_name(names, count++, module->object->scope);
    }
    if (count)
        add(unseen, ts_memory_text("functions of %zu module%s (%s)", count, ts_count_plural(count), names),
            ts_memory_text("not compiled with -finstrument-functions: only calls of theirs that are hooked are seen"));
    free(names);
}

static int compare_texts(const void *left, const void *right) {
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* A library binds calls of its own functions when it is linked, libc nearly all. */
static void add_internal(struct ts_unseen_list *unseen, const struct ts_bound_hooks *bound) {
    const char **scopes = ts_memory_new(bound->count, sizeof *scopes);
    for (size_t i = 0; i < bound->count; i++)
        scopes[i] = bound->hooks[i].scope;
    if (bound->count)
        qsort(scopes, bound->count, sizeof *scopes, compare_texts);
    for (size_t i = 0, next; i < bound->count; i = next) {
        for (next = i + 1; next < bound->count && strcmp(scopes[next], scopes[i]) == 0;)
            next++;
        add(unseen,
            ts_memory_text("calls inside %s of its %zu hooked function%s", scopes[i], next - i,
                           ts_count_plural(next - i)),
            ts_memory_text("a library calls its own functions without a symbol"));
    }
    free(scopes);
    if (bound->count)
        add(unseen, ts_memory_text("calls inside one module, and system calls without a function"),
            ts_memory_text(
                "static functions, functions that the compiler inlined and libraries linked into the program "
                "have no symbol to hook"));
}

static void add_pointers(struct ts_unseen_list *unseen, const struct ts_patched_modules *modules) {
    uint64_t slots = 0;
    size_t count = 0;
    char *names = ts_memory_text("%s", "");
    for (size_t i = 0; i < modules->count; i++) {
        if (!modules->modules[i].left)
            continue;
        slots += modules->modules[i].left;
        names = with_name(names, count++, modules->modules[i].object->scope);
    }
    if (slots)
        add(unseen,
            ts_memory_text("calls through %s pointer%s in %s", ts_count_text(slots).text, ts_count_plural(slots),
                           names),
            ts_memory_text("the address of a hooked function was taken there, and may be compared: left as it is"));
    free(names);
}

static void add_behaviours(struct ts_unseen_list *unseen, const struct ts_bound_hooks *bound) {
    uint64_t namespaces = 0;
    int waits = 0;
    for (size_t i = 0; i < bound->count; i++) {
        struct ts_hook_signature signature;
        const char *text = bound->hooks[i].signature, *problem;
        size_t at;
        if (strcmp(bound->hooks[i].name, "dlmopen") == 0)
            namespaces += bound->hooks[i].calls;
        waits |= *text && ts_hook_signature_parse(&signature, text, strlen(text), &problem, &at) == 0 &&
                 signature.try_symbol_bytes;
    }
    if (namespaces)
        add(unseen,
            ts_memory_text("modules that %s call%s of dlmopen loaded", ts_count_text(namespaces).text,
                           ts_count_plural(namespaces)),
            ts_memory_text("a namespace of its own does not see the recorder"));
    if (waits)
        add(unseen, ts_memory_text("locks and semaphores that were free"),
            ts_memory_text("only waits are recorded: what can be had at once is not"));
}

/* The caller frees it. */
static const char **sorted_names(const struct ts_bound_hooks *bound) {
    const char **names = ts_memory_new(bound->count, sizeof *names);
    for (size_t i = 0; i < bound->count; i++)
        names[i] = bound->hooks[i].name;
    if (bound->count)
        qsort(names, bound->count, sizeof *names, compare_texts);
    return names;
}

/* Functions that TRACE_HOOKS names and that led to nothing. */
static void add_unbound(struct ts_unseen_list *unseen, const char **names, size_t count, const char *text) {
    struct ts_hook_selection selection;
    char *wrong;
    ts_hook_option_parse(&selection, text, &wrong);
    for (uint32_t i = 0; i < selection.count; i++) {
        const struct ts_hook_rule *rule = &selection.rules[i];
        if (rule->excludes || rule->pack >= 0 || !rule->is_literal)
            continue;
        char *name = ts_memory_copy(rule->text + rule->symbol, rule->symbol_bytes);
        const char *refusal = ts_hook_refusal(name);
        if (!count || !bsearch(&name, names, count, sizeof *names, compare_texts))
            add(unseen, ts_memory_text("calls of %s", name),
                refusal
                    ? ts_memory_text("never hooked: %s", refusal)
                    : ts_memory_text("no module that was loaded calls it by a symbol: static, inlined or not there"));
        free(name);
    }
    free(wrong);
    free(selection.rules);
}

/* What options left out. Every value once: children have their parent's. */
static void add_options(struct ts_unseen_list *unseen, const struct ts_session *session,
                        const struct ts_bound_hooks *bound) {
    bool all_hooked = false;
    static const char *const limits[] = {"TRACE_FUNCTIONS=", "TRACE_DEPTH=", "TRACE_MIN_DURATION="};
    struct ts_text_list seen = {0};
    const char **names = sorted_names(bound);
    for (size_t i = 0; i < session->trace_count; i++) {
        const struct ts_facts *facts = session->traces[i]->facts;
        for (size_t k = 0; k < facts->metadata_count; k++) {
            const char *value = facts->metadata[k].value;
            size_t known = 0;
            if (facts->metadata[k].key != TS_METADATA_OPTION)
                continue;
            while (known < seen.count && strcmp(seen.texts[known], value) != 0)
                known++;
            if (known < seen.count || seen.count > 100)
                continue;
            ts_text_list_add(&seen, ts_memory_text("%s", value));
            for (size_t option = 0; option < sizeof limits / sizeof *limits; option++)
                if (strncmp(value, limits[option], strlen(limits[option])) == 0 && value[strlen(limits[option])])
                    add(unseen, ts_memory_text("calls that %s leaves out", value), ts_memory_text("asked for"));
            all_hooked |= strcmp(value, "TRACE_HOOKS=*") == 0;
            if (strncmp(value, "TRACE_HOOKS=", strlen("TRACE_HOOKS=")) == 0)
                add_unbound(unseen, names, bound->count, value + strlen("TRACE_HOOKS="));
        }
    }
    if (bound->count && !all_hooked)
        add(unseen, ts_memory_text("library functions that TRACE_HOOKS does not select"),
            ts_memory_text("TRACE_HOOKS='*' selects all; traceshim hooks PROGRAM lists those that are selected"));
    free(names);
    ts_text_list_free(&seen);
}

void ts_unseen_find(struct ts_unseen_list *unseen, const struct ts_session *session, const struct ts_bound_hooks *bound,
                    const struct ts_patched_modules *modules) {
    *unseen = (struct ts_unseen_list){0};
    add_told(unseen, session);
    add_options(unseen, session, bound);
    add_uninstrumented(unseen, modules);
    add_internal(unseen, bound);
    add_pointers(unseen, modules);
    add_behaviours(unseen, bound);
}

void ts_unseen_free(struct ts_unseen_list *unseen) {
    for (size_t i = 0; i < unseen->count; i++) {
        free(unseen->items[i].what);
        free(unseen->items[i].why);
    }
    free(unseen->items);
    *unseen = (struct ts_unseen_list){0};
}
