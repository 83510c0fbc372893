#include "render/hook_binding.h"

#include "render/memory.h"
#include "render/preload_heeded.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static void add_unseen(struct ts_hook_bindings *bindings, char *what, char *why) {
    bindings->unseen = ts_memory_grow(bindings->unseen, &bindings->unseen_capacity, bindings->unseen_count + 1,
                                      sizeof *bindings->unseen);
    bindings->unseen[bindings->unseen_count++] = (struct ts_hook_unseen){what, why};
}

/* A call that is selected and would not be seen. */
struct obstacle {
    const char *symbol;
    const char *why;
    const char *caller;
    size_t order; /* in which they were found */
};

struct obstacles {
    struct obstacle *items;
    size_t count;
    size_t capacity;
};

/* Why calls through this import would not be seen; NULL: they would. */
static const char *obstacle_to(const struct ts_load_order *order, const struct ts_elf_import *import,
                               const struct ts_hook_choice *choice) {
    const struct ts_elf_import *of_program = ts_elf_file_import(order->modules[0]->file, import->symbol);
    if (import->through == TS_ELF_CALL)
        return NULL;
    if (import->through == TS_ELF_ADDRESS)
        return "only its address is taken; calls through that are not seen";
    if (of_program && of_program->is_canonical)
        return "called through a pointer that must stay equal to the program's";
    if (import->through == TS_ELF_DATA && (!choice->named || !choice->signature))
        return "only a table holds its address; it is hooked there when it is named and has a signature";
    return NULL;
}

static void add_obstacle(struct obstacles *obstacles, const char *symbol, const char *why, const char *caller) {
    obstacles->items =
        ts_memory_grow(obstacles->items, &obstacles->capacity, obstacles->count + 1, sizeof *obstacles->items);
    obstacles->items[obstacles->count] = (struct obstacle){symbol, why, caller, obstacles->count};
    obstacles->count++;
}

static void bind_import(struct ts_hook_bindings *bindings, struct obstacles *obstacles,
                        const struct ts_load_order *order, struct ts_hook_selection *selection,
                        const struct ts_load_module *caller, const struct ts_elf_import *import) {
    const struct ts_load_module *definer = ts_load_order_definer(order, caller, import);
    const char *module = definer ? definer->name : NULL, *refusal = ts_hook_refusal(import->symbol);
    if (!definer && import->through != TS_ELF_CALL)
        return; /* data, for all we know */
    struct ts_hook_choice choice = ts_hook_selection_choose(selection, import->symbol, module, caller->name, 0);
    if (!choice.selected)
        return;
    ts_hook_selection_count(selection, import->symbol, module, caller->name);
    const char *obstacle = definer ? obstacle_to(order, import, &choice) : "no library defines it";
    if (refusal || obstacle) {
        add_obstacle(obstacles, import->symbol, refusal ? refusal : obstacle, caller->name);
        return;
    }
    bindings->bindings =
        ts_memory_grow(bindings->bindings, &bindings->capacity, bindings->count + 1, sizeof *bindings->bindings);
    bindings->bindings[bindings->count++] = (struct ts_hook_binding){
        caller->name, import->symbol, module, choice.signature, choice.signature_bytes, import->through};
}

static int compare_obstacles(const void *left, const void *right) {
    const struct obstacle *a = left, *b = right;
    int order = strcmp(a->symbol, b->symbol);
    if (!order)
        order = strcmp(a->why, b->why);
    return order ? order : (a->order > b->order) - (a->order < b->order);
}

/* One line for all modules that call the same function. */
static void keep_obstacles(struct ts_hook_bindings *bindings, struct obstacles *obstacles) {
    if (obstacles->count)
        qsort(obstacles->items, obstacles->count, sizeof *obstacles->items, compare_obstacles);
    for (size_t i = 0, next; i < obstacles->count; i = next) {
        const struct obstacle *first = &obstacles->items[i];
        for (next = i + 1; next < obstacles->count && !strcmp(obstacles->items[next].symbol, first->symbol) &&
                           !strcmp(obstacles->items[next].why, first->why);)
            next++;
        char *others = next - i > 1 ? ts_memory_text(" and %zu more", next - i - 1) : ts_memory_text("%s", "");
        add_unseen(bindings, ts_memory_text("%s", first->symbol),
                   ts_memory_text("%s (in %s%s)", first->why, first->caller, others));
        free(others);
    }
}

static bool is_imported(const struct ts_load_order *order, const char *symbol) {
    for (size_t i = 0; i < order->count; i++)
        if (ts_elf_file_import(order->modules[i]->file, symbol))
            return true;
    return false;
}

static const struct ts_load_module *definer_of(const struct ts_load_order *order, const char *symbol) {
    for (size_t i = 0; i < order->count; i++)
        if (ts_elf_file_defines(order->modules[i]->file, symbol, NULL))
            return order->modules[i];
    return NULL;
}

static void tell_pack(struct ts_hook_bindings *bindings, const struct ts_load_order *order, uint32_t pack) {
    uint32_t total = 0, called = 0;
    for (uint32_t i = 0; i < ts_hook_definition_count; i++) {
        if (ts_hook_definitions[i].pack != pack)
            continue;
        total++;
        called += is_imported(order, ts_hook_definition_symbol(&ts_hook_definitions[i]));
    }
    if (called == 0)
        add_unseen(bindings, ts_memory_text("%s", ts_hook_packs[pack].name),
                   ts_memory_text("none of its %u functions is called", total));
    else if (called < total)
        add_unseen(bindings, ts_memory_text("%s", ts_hook_packs[pack].name),
                   ts_memory_text("%u of its %u functions are not called", total - called, total));
}

static char *why_unmatched(const struct ts_load_order *order, const struct ts_hook_selection *selection,
                           const struct ts_hook_rule *rule) {
    if (!rule->is_literal)
        return ts_memory_text("selects no call");
    char *symbol = ts_memory_copy(rule->text + rule->symbol, rule->symbol_bytes), *why;
    const struct ts_load_module *definer = definer_of(order, symbol);
    const char *refusal = ts_hook_refusal(symbol), *nearest = ts_hook_nearest(symbol, rule->symbol_bytes);
    if (refusal)
        why = ts_memory_text("%s", refusal);
    else if (!ts_hook_selection_may_select(selection, symbol))
        why = ts_memory_text("a later entry excludes it");
    else if (is_imported(order, symbol))
        why = ts_memory_text("called, but not by and of the modules that the entry asks for");
    else if (definer)
        why = ts_memory_text("%s defines it, but no other module calls it", definer->name);
    else if (nearest && strcmp(nearest, symbol) != 0)
        why = ts_memory_text("no module calls or defines it; did you mean '%s'?", nearest);
    else
        why = ts_memory_text("no module calls or defines it");
    free(symbol);
    return why;
}

static void tell_program(struct ts_hook_bindings *bindings, const struct ts_load_module *program) {
    char *why;
    if (ts_preload_heeded(program->file, &why) != TS_PRELOAD_HEEDED)
        add_unseen(bindings, ts_memory_text("%s", program->name), why);
}

void ts_hook_bindings_find(struct ts_hook_bindings *bindings, const struct ts_load_order *order,
                           struct ts_hook_selection *selection) {
    struct obstacles obstacles = {.items = NULL};
    *bindings = (struct ts_hook_bindings){.count = 0};
    tell_program(bindings, order->modules[0]);
    for (size_t i = 0; i < order->missing_count; i++)
        add_unseen(bindings, ts_memory_text("%s", order->missing[i].name),
                   ts_memory_text("library not found (needed by %s)", order->missing[i].asker->name));
    if (order->modules[0]->file->is_static)
        return;
    for (size_t i = 0; i < order->count; i++) {
        const struct ts_elf_file *file = order->modules[i]->file;
        for (size_t k = 0; k < file->import_count; k++)
            if (ts_hook_selection_may_select(selection, file->imports[k].symbol))
                bind_import(bindings, &obstacles, order, selection, order->modules[i], &file->imports[k]);
    }
    keep_obstacles(bindings, &obstacles);
    free(obstacles.items);
    for (uint32_t i = 0; i < selection->count; i++) {
        const struct ts_hook_rule *rule = &selection->rules[i];
        if (rule->excludes)
            continue;
        if (rule->pack >= 0)
            tell_pack(bindings, order, (uint32_t)rule->pack);
        else if (!rule->matches)
            add_unseen(bindings, ts_memory_copy(rule->text, rule->text_bytes), why_unmatched(order, selection, rule));
    }
}

void ts_hook_bindings_free(struct ts_hook_bindings *bindings) {
    for (size_t i = 0; i < bindings->unseen_count; i++) {
        free(bindings->unseen[i].what);
        free(bindings->unseen[i].why);
    }
    free(bindings->unseen);
    free(bindings->bindings);
}
