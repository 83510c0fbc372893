#include "render/bound_hooks.h"

#include "collector/trace_format.h"
#include "render/memory.h"

#include <stdlib.h>
#include <string.h>

static int compare_bound(const void *left, const void *right) {
    const struct ts_bound_hook *a = left;
    const struct ts_bound_hook *b = right;
    int by_pack = strcmp(a->pack, b->pack);
    int by_name = strcmp(a->name, b->name);
    return by_pack ? by_pack : by_name ? by_name : strcmp(a->scope, b->scope);
}

/* One function may be known several times: processes that map another file, or with another signature. */
static size_t merge_equal(struct ts_bound_hook *all, size_t count) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (kept && compare_bound(&all[kept - 1], &all[i]) == 0)
            all[kept - 1].calls += all[i].calls;
        else
            all[kept++] = all[i];
    }
    return kept;
}

void ts_bound_hooks_find(struct ts_bound_hooks *bound, const struct ts_session *session,
                         const struct ts_info_counts *counts) {
    uint32_t functions = ts_functions_count(session->functions);
    *bound = (struct ts_bound_hooks){.hooks = ts_memory_new(functions, sizeof *bound->hooks)};
    for (uint32_t id = 0; id < functions; id++) {
        struct ts_function *function = ts_functions_at(session->functions, id);
        if (function->hooked && !(function->hooked->flags & TS_HOOK_HANDLES_SIGNALS))
            bound->hooks[bound->count++] = (struct ts_bound_hook){.pack = function->hooked->pack,
                                                                  .name = ts_function_name(function),
                                                                  .scope = ts_function_scope(function),
                                                                  .signature = function->hooked->signature,
                                                                  .calls = ts_info_counts_of(counts, function)};
    }
    if (!bound->count)
        return;
    qsort(bound->hooks, bound->count, sizeof *bound->hooks, compare_bound);
    bound->count = merge_equal(bound->hooks, bound->count);
}

void ts_bound_hooks_free(struct ts_bound_hooks *bound) {
    free(bound->hooks);
    *bound = (struct ts_bound_hooks){0};
}

size_t ts_bound_hooks_of_pack(const struct ts_bound_hooks *bound, size_t first) {
    size_t end = first + 1;
    while (end < bound->count && strcmp(bound->hooks[end].pack, bound->hooks[first].pack) == 0)
        end++;
    return end - first;
}

size_t ts_bound_hooks_called(const struct ts_bound_hook *hooks, size_t count) {
    size_t called = 0;
    for (size_t i = 0; i < count; i++)
        called += hooks[i].calls > 0;
    return called;
}
