#include "collector/hook_selection.h"
#include "collector/glob.h"
#include "collector/hook_selection_private.h"
#include "collector/text.h"

/*
 * The rules that may match one symbol, last first: literal ones are found by hash, so that thousands of them cost what
 * one costs; of packs and globs every one is looked at.
 */
struct candidates {
    const struct ts_hook_selection *selection;
    const char *symbol;
    uint32_t hash;    /* of the symbol, where there are literal rules */
    uint32_t literal; /* where the three chains are: 1 + index, 0 at the end */
    uint32_t pack;
    uint32_t glob;
    const struct ts_hook_definition *definition; /* of the symbol, when it has been looked for */
    int definition_known;
    uint32_t packs; /* that have one: bits */
};

static struct candidates candidates_of(const struct ts_hook_selection *selection, const char *symbol) {
    struct candidates candidates = {
        .selection = selection, .symbol = symbol, .pack = selection->packs, .glob = selection->globs};
    if (selection->literals) {
        candidates.hash = ts_hook_hash(symbol, ts_text_length(symbol));
        candidates.literal = selection->rules[ts_hook_bucket(selection, candidates.hash)].bucket;
    }
    return candidates;
}

/* The next one, NULL at the end. */
static struct ts_hook_rule *next(struct candidates *candidates) {
    uint32_t *chain = &candidates->literal;
    if (candidates->pack > *chain)
        chain = &candidates->pack;
    if (candidates->glob > *chain)
        chain = &candidates->glob;
    if (!*chain)
        return NULL;
    struct ts_hook_rule *rule = &candidates->selection->rules[*chain - 1];
    *chain = rule->next;
    return rule;
}

static const struct ts_hook_definition *definition_of(struct candidates *candidates) {
    if (!candidates->definition_known) {
        const struct ts_hook_definition *one = candidates->definition = ts_hook_definition_of(candidates->symbol);
        candidates->definition_known = 1;
        for (; one; one = ts_hook_definition_next(one))
            candidates->packs |= UINT32_C(1) << one->pack;
    }
    return candidates->definition;
}

static int is_in_pack(struct candidates *candidates, uint32_t pack) {
    if (!definition_of(candidates) || !(candidates->packs & candidates->selection->pack_bits))
        candidates->pack = 0; /* no other pack has it either */
    return candidates->packs >> pack & 1;
}

/* The symbol is in the pack. */
static const struct ts_hook_definition *definition_in_pack(const struct candidates *candidates, uint32_t pack) {
    const struct ts_hook_definition *definition = candidates->definition;
    while (definition->pack != pack)
        definition = ts_hook_definition_next(definition);
    return definition;
}

static int is_name(const struct ts_hook_rule *rule, const char *symbol) {
    const char *name = rule->text + rule->symbol;
    uint32_t i = 0;
    while (i < rule->symbol_bytes && symbol[i] == name[i]) /* the name holds no NUL: this ends at the symbol's */
        i++;
    return i == rule->symbol_bytes && !symbol[i];
}

static int is_symbol_matched(const struct ts_hook_rule *rule, struct candidates *candidates) {
    if (rule->pack >= 0)
        return is_in_pack(candidates, (uint32_t)rule->pack);
    if (rule->is_literal)
        return rule->hash == candidates->hash && is_name(rule, candidates->symbol);
    return !rule->symbol_bytes || ts_glob_matches(rule->text + rule->symbol, rule->symbol_bytes, candidates->symbol);
}

static int is_module_matched(const struct ts_hook_rule *rule, uint32_t pattern, uint32_t bytes, const char *module,
                             int unknown_matches) {
    if (!bytes)
        return 1;
    return module ? ts_glob_matches(rule->text + pattern, bytes, module) : unknown_matches && !rule->excludes;
}

static int is_matched(const struct ts_hook_rule *rule, struct candidates *candidates, const char *module,
                      const char *caller, int unknown_matches) {
    return is_symbol_matched(rule, candidates) &&
           is_module_matched(rule, rule->module, rule->module_bytes, module, unknown_matches) &&
           is_module_matched(rule, rule->caller, rule->caller_bytes, caller, unknown_matches);
}

struct ts_hook_choice ts_hook_selection_choose(const struct ts_hook_selection *selection, const char *symbol,
                                               const char *module, const char *caller, int unknown_matches) {
    struct candidates candidates = candidates_of(selection, symbol);
    struct ts_hook_choice choice = {.rule = TS_HOOK_NO_RULE};
    const struct ts_hook_rule *rule;
    while ((rule = next(&candidates))) {
        if (!is_matched(rule, &candidates, module, caller, unknown_matches))
            continue;
        if (!choice.selected)
            choice.rule = (uint32_t)(rule - selection->rules);
        if (rule->excludes)
            break;
        choice.selected = 1;
        choice.named |= rule->is_literal || rule->pack >= 0 || rule->signature_bytes;
        if (rule->pack >= 0 && !choice.definition)
            choice.definition = definition_in_pack(&candidates, (uint32_t)rule->pack);
        if (rule->signature_bytes && !choice.signature) {
            choice.signature = rule->text + rule->signature;
            choice.signature_bytes = rule->signature_bytes;
        }
    }
    if (!choice.selected)
        return choice;
    if (!choice.definition)
        choice.definition = definition_of(&candidates);
    if (!choice.signature && choice.definition) {
        choice.signature = ts_hook_definition_signature(choice.definition);
        choice.signature_bytes = (uint32_t)ts_text_length(choice.signature);
    }
    return choice;
}

int ts_hook_selection_may_select(const struct ts_hook_selection *selection, const char *symbol) {
    struct candidates candidates = candidates_of(selection, symbol);
    const struct ts_hook_rule *rule;
    while ((rule = next(&candidates))) {
        if (!is_symbol_matched(rule, &candidates))
            continue;
        if (!rule->excludes)
            return 1;
        if (!rule->module_bytes && !rule->caller_bytes)
            return 0;
    }
    return 0;
}

void ts_hook_selection_count(struct ts_hook_selection *selection, const char *symbol, const char *module,
                             const char *caller) {
    struct candidates candidates = candidates_of(selection, symbol);
    struct ts_hook_rule *rule;
    candidates.pack = 0;
    while ((rule = next(&candidates)))
        rule->matches += (uint32_t)is_matched(rule, &candidates, module, caller, 0);
}
