#include "render/check_parts.h"
#include "render/hook_binding.h"
#include "render/hook_option.h"
#include "render/memory.h"
#include "render/symbols.h"

#include <stdlib.h>
#include <string.h>

#define ENTER_NAME "__cyg_profile_func_enter"

static bool is_same(const struct ts_elf_file *file, const struct ts_elf_file *shim) {
    return shim && file->device == shim->device && file->inode == shim->inode;
}

/* How many of the modules are instrumented; *names of them, which the caller frees. */
static size_t find_instrumented(const struct ts_load_order *order, const struct ts_elf_file *shim, char **names) {
    size_t count = 0;
    *names = ts_memory_text("%s", "");
    for (size_t i = 0; i < order->count; i++) {
        const struct ts_load_module *module = order->modules[i];
        if (is_same(module->file, shim) || !ts_elf_file_import(module->file, ENTER_NAME))
            continue;
        char *before = *names;
        *names = ts_memory_text("%s%s%s", before, count++ ? ", " : "", module->name);
        free(before);
    }
    return count;
}

/* Returns whether any of its functions would be recorded. */
static bool check_instrumented(struct ts_check *check, const struct ts_load_order *order,
                               const struct ts_elf_file *shim) {
    char *names;
    size_t count = find_instrumented(order, shim, &names);
    bool is_own = ts_elf_file_defines(order->modules[0]->file, ENTER_NAME, NULL);
    if (is_own)
        ts_check_add(check, TS_CHECK_NOTE,
                     "the program brings its own " ENTER_NAME ": its instrumented calls are left to it; link it "
                     "without them to record these calls");
    else if (count)
        ts_check_add(check, TS_CHECK_OK, "compiled with -finstrument-functions: %s", names);
    else
        ts_check_add(check, TS_CHECK_NOTE,
                     "not compiled with -finstrument-functions: only its calls of library functions are seen; compile "
                     "with -finstrument-functions for its own");
    free(names);
    return count && !is_own;
}

/* In the words of the shim, which tells it when the program has started. */
static void check_matches(struct ts_check *check, const struct ts_hook_selection *selection) {
    for (uint32_t i = 0; i < selection->count; i++) {
        const struct ts_hook_rule *rule = &selection->rules[i];
        if (rule->matches || rule->excludes || rule->is_implied || rule->pack >= 0)
            continue;
        ts_check_add(check, TS_CHECK_NOTE,
                     "TRACE_HOOKS: nothing that is loaded calls %.*s; traceshim hooks PROGRAM tells why",
                     (int)rule->text_bytes, rule->text);
    }
}

/* Returns whether any call would be recorded. */
static bool check_hooks(struct ts_check *check, const struct ts_load_order *order) {
    const char *text = getenv("TRACE_HOOKS");
    struct ts_hook_selection selection;
    struct ts_hook_bindings bindings;
    char *wrong;
    ts_hook_option_parse(&selection, text ? text : TS_HOOKS_DEFAULT, &wrong);
    if (wrong)
        ts_check_add(check, TS_CHECK_NOTE, "TRACE_HOOKS: %s; what is wrong in it counts for nothing", wrong);
    ts_hook_bindings_find(&bindings, order, &selection);
    if (text && !text[0])
        ts_check_add(check, TS_CHECK_OK, "TRACE_HOOKS is empty: no library call is recorded");
    else if (bindings.count)
        ts_check_add(check, TS_CHECK_OK,
                     "TRACE_HOOKS selects %zu of its and its libraries' calls; traceshim hooks PROGRAM lists them",
                     bindings.count);
    else
        ts_check_add(
            check, TS_CHECK_NOTE,
            "TRACE_HOOKS selects none of its calls, nor of its libraries'; traceshim hooks lists what there is");
    check_matches(check, &selection);
    bool any = bindings.count != 0;
    ts_hook_bindings_free(&bindings);
    free(selection.rules);
    free(wrong);
    return any;
}

static void check_names(struct ts_check *check, const struct ts_load_module *module) {
    struct ts_error error;
    struct ts_symbols *symbols = ts_symbols_open(module->file->path, NULL, 0, &error);
    if (!symbols)
        ts_check_add(check, TS_CHECK_NOTE,
                     "%s: its own functions have no names; keep the unstripped file, or install its debug information",
                     error.text);
    else if (!ts_symbols_has_local(symbols))
        ts_check_add(check, TS_CHECK_NOTE,
                     "%s is stripped: of its own functions only exported ones have names; keep the unstripped file, or "
                     "install its debug information",
                     module->name);
    else if (!ts_symbols_has_lines(symbols))
        ts_check_add(check, TS_CHECK_NOTE,
                     "%s has no debug information: functions have names, but no source lines; compile with -g",
                     module->name);
    else
        ts_check_add(check, TS_CHECK_OK, "%s has debug information: functions have names and source lines",
                     module->name);
    ts_symbols_close(symbols);
}

void ts_check_recorded(struct ts_check *check, const struct ts_load_order *order, const struct ts_elf_file *shim) {
    bool instrumented = check_instrumented(check, order, shim), hooked = check_hooks(check, order);
    if (!instrumented && !hooked)
        ts_check_add(
            check, TS_CHECK_FAIL,
            "nothing of it would be recorded: compile it with -finstrument-functions, or select calls by TRACE_HOOKS");
    for (size_t i = 0; i < order->count; i++)
        if (i == 0 ||
            (!is_same(order->modules[i]->file, shim) && ts_elf_file_import(order->modules[i]->file, ENTER_NAME)))
            check_names(check, order->modules[i]);
}
