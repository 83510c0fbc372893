#include "render/hook_list.h"

#include "render/json_document.h"
#include "render/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct line {
    const char *symbol;
    const char *signature;
    int signature_bytes;
};

/* One pack's part: the lines that are wanted, those of the longest name. The caller frees `lines`. */
struct part {
    const struct ts_hook_pack *pack;
    struct line *lines;
    size_t count;
};

static struct part part_of(uint32_t pack, const struct ts_hook_selection *selection) {
    struct part part = {.pack = &ts_hook_packs[pack],
                        .lines = ts_memory_new(ts_hook_definition_count, sizeof *part.lines)};
    for (uint32_t i = 0; i < ts_hook_definition_count; i++) {
        const struct ts_hook_definition *definition = &ts_hook_definitions[i];
        if (definition->pack != pack)
            continue;
        const char *symbol = ts_hook_definition_symbol(definition),
                   *signature = ts_hook_definition_signature(definition);
        struct line line = {symbol, signature, (int)strlen(signature)};
        if (selection) {
            struct ts_hook_choice choice = ts_hook_selection_choose(selection, symbol, NULL, NULL, 1);
            if (!choice.selected || choice.definition != definition)
                continue;
            line.signature = choice.signature;
            line.signature_bytes = (int)choice.signature_bytes;
        }
        part.lines[part.count++] = line;
    }
    return part;
}

void ts_hook_list_text(const struct ts_hook_selection *selection, FILE *out) {
    int pack_width = 0, symbol_width = 0;
    for (uint32_t i = 0; i < ts_hook_pack_count; i++)
        if ((int)strlen(ts_hook_packs[i].name) > pack_width)
            pack_width = (int)strlen(ts_hook_packs[i].name);
    for (uint32_t i = 0; i < ts_hook_definition_count; i++)
        if ((int)strlen(ts_hook_definition_symbol(&ts_hook_definitions[i])) > symbol_width)
            symbol_width = (int)strlen(ts_hook_definition_symbol(&ts_hook_definitions[i]));
    for (uint32_t i = 0; i < ts_hook_pack_count; i++) {
        struct part part = part_of(i, selection);
        if (part.count)
            fprintf(out, "# %s: %s%s\n", part.pack->name, part.pack->meaning,
                    part.pack->is_default ? "; selected by default" : "");
        for (size_t k = 0; k < part.count; k++)
            fprintf(out, "%-*s  %-*s  %.*s\n", pack_width, part.pack->name, symbol_width, part.lines[k].symbol,
                    part.lines[k].signature_bytes, part.lines[k].signature);
        free(part.lines);
    }
}

static void add_pack(cJSON *packs, const struct part *part) {
    cJSON *pack = ts_json_add_object(packs, NULL);
    ts_json_add_text(pack, "name", part->pack->name);
    ts_json_add_text(pack, "meaning", part->pack->meaning);
    ts_json_add_truth(pack, "default", part->pack->is_default);
    cJSON *functions = ts_json_add_array(pack, "functions");
    for (size_t i = 0; i < part->count; i++) {
        cJSON *function = ts_json_add_object(functions, NULL);
        ts_json_add_text(function, "symbol", part->lines[i].symbol);
        ts_json_add_part(function, "signature", part->lines[i].signature, (size_t)part->lines[i].signature_bytes);
    }
}

int ts_hook_list_json(const struct ts_hook_selection *selection, FILE *out, struct ts_error *error) {
    cJSON *document = ts_json_document_new();
    cJSON *packs = ts_json_add_array(document, "packs");
    for (uint32_t i = 0; i < ts_hook_pack_count; i++) {
        struct part part = part_of(i, selection);
        if (part.count)
            add_pack(packs, &part);
        free(part.lines);
    }
    return ts_json_document_write(document, out, "the list of hooks", error);
}

void ts_hook_list_kinds(FILE *out) {
    for (uint32_t i = 0; i < TS_HOOK_KINDS; i++)
        fprintf(out, "%-12s  %s\n", ts_hook_kind_name(i), ts_hook_kind_meaning(i));
}
