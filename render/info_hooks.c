#include "render/info_hooks.h"

#include "render/memory.h"
#include "render/text_escape.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Names of functions that were never called, in one line. */
#define NAMES_MOST 12

static void count_enter(void *context, struct ts_function *function, uint64_t start_ns, unsigned flags) {
    struct ts_hook_calls *counted = context;
    (void)start_ns;
    if (flags & TS_ENTER_INHERITED)
        return;
    size_t need = (size_t)function->id + 1;
    if (need > counted->count) {
        counted->calls = ts_memory_grow(counted->calls, &counted->capacity, need, sizeof *counted->calls);
        memset(counted->calls + counted->count, 0, (need - counted->count) * sizeof *counted->calls);
        counted->count = need;
    }
    counted->calls[function->id]++;
}

struct ts_sink ts_hook_calls_sink(struct ts_hook_calls *counted) {
    return (struct ts_sink){.context = counted, .enter = count_enter};
}

void ts_hook_calls_free(struct ts_hook_calls *counted) {
    free(counted->calls);
    *counted = (struct ts_hook_calls){0};
}

/* A function that was bound, by pack and name. */
struct bound {
    const char *pack;
    const char *name;
    const char *scope;
    uint64_t calls;
};

static int compare_bound(const void *left, const void *right) {
    const struct bound *a = left;
    const struct bound *b = right;
    int by_pack = strcmp(a->pack, b->pack);
    int by_name = strcmp(a->name, b->name);
    return by_pack ? by_pack : by_name ? by_name : strcmp(a->scope, b->scope);
}

/* One function may be known several times: processes that map another file, or with another signature. */
static size_t merge_equal(struct bound *all, size_t count) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (kept && compare_bound(&all[kept - 1], &all[i]) == 0)
            all[kept - 1].calls += all[i].calls;
        else
            all[kept++] = all[i];
    }
    return kept;
}

static size_t count_called(const struct bound *all, size_t count) {
    size_t called = 0;
    for (size_t i = 0; i < count; i++)
        called += all[i].calls > 0;
    return called;
}

static void write_never_called(const struct bound *all, size_t count, FILE *out) {
    const char *separator = ", never called: ";
    for (size_t i = 0; i < count; i++) {
        if (all[i].calls)
            continue;
        fputs(separator, out);
        ts_text_write_name(out, all[i].name);
        separator = " ";
    }
}

static void write_pack(const struct bound *all, size_t count, FILE *out) {
    size_t called = count_called(all, count);
    fputs("hooks of ", out);
    ts_text_write_name(out, *all->pack ? all->pack : "no pack");
    fprintf(out, ": %zu bound, %zu called", count, called);
    if (count - called <= NAMES_MOST)
        write_never_called(all, count, out);
    else
        fprintf(out, ", %zu never called", count - called);
    putc('\n', out);
}

void ts_info_write_hooks(const struct ts_session *session, const struct ts_hook_calls *counted, FILE *out) {
    uint32_t functions = ts_functions_count(session->functions);
    struct bound *all = ts_memory_new(functions, sizeof *all);
    size_t count = 0;
    for (uint32_t id = 0; id < functions; id++) {
        struct ts_function *function = ts_functions_at(session->functions, id);
        if (function->hooked)
            all[count++] = (struct bound){.pack = function->hooked->pack,
                                          .name = ts_function_name(function),
                                          .scope = ts_function_scope(function),
                                          .calls = id < counted->count ? counted->calls[id] : 0};
    }
    if (count) {
        qsort(all, count, sizeof *all, compare_bound);
        count = merge_equal(all, count);
        fprintf(out, "hooks: %zu bound, %zu called\n", count, count_called(all, count));
    }
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && strcmp(all[end].pack, all[first].pack) == 0;)
            end++;
        write_pack(all + first, end - first, out);
    }
    free(all);
}
