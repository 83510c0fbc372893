#include "render/info_hooks.h"

#include "render/text_escape.h"

/* Names of functions that were never called, in one line. */
#define NAMES_MOST 12

static void write_never_called(const struct ts_bound_hook *hooks, size_t count, FILE *out) {
    const char *separator = ", never called: ";
    for (size_t i = 0; i < count; i++) {
        if (hooks[i].calls)
            continue;
        fputs(separator, out);
        ts_text_write_name(out, hooks[i].name);
        separator = " ";
    }
}

static void write_pack(const struct ts_bound_hook *hooks, size_t count, FILE *out) {
    size_t called = ts_bound_hooks_called(hooks, count);
    fputs("hooks of ", out);
    ts_text_write_name(out, *hooks->pack ? hooks->pack : "no pack");
    fprintf(out, ": %zu bound, %zu called", count, called);
    if (count - called <= NAMES_MOST)
        write_never_called(hooks, count, out);
    else
        fprintf(out, ", %zu never called", count - called);
    putc('\n', out);
}

void ts_info_write_hooks(const struct ts_bound_hooks *bound, FILE *out) {
    if (bound->count)
        fprintf(out, "hooks: %zu bound, %zu called\n", bound->count, ts_bound_hooks_called(bound->hooks, bound->count));
    for (size_t first = 0, count; first < bound->count; first += count) {
        count = ts_bound_hooks_of_pack(bound, first);
        write_pack(bound->hooks + first, count, out);
    }
}
