#include "collector/hook_definitions.h"
#include "collector/hook_places.h"
#include "collector/text.h"

#include <assert.h>

enum pack {
#define PACK(name, is_default, is_of_libc, meaning) PACK_##name,
#define HOOK(symbol, pack, arguments, result)
#include "collector/hooks.def"
#undef PACK
#undef HOOK
    PACK_COUNT
};

/* Lines of HOOK. */
enum {
#define PACK(name, is_default, is_of_libc, meaning)
#define HOOK(symbol, pack, arguments, result) HOOK_##pack##_##symbol,
#include "collector/hooks.def"
#undef PACK
#undef HOOK
    HOOK_COUNT
};

const struct ts_hook_pack ts_hook_packs[] = {
#define PACK(name, is_default, is_of_libc, meaning) {#name, meaning, is_default, is_of_libc},
#define HOOK(symbol, pack, arguments, result)
#include "collector/hooks.def"
#undef PACK
#undef HOOK
};
const uint32_t ts_hook_pack_count = PACK_COUNT;
static_assert(PACK_COUNT <= 32, "collector/hook_selection.c has a bit for each");

/* By symbol, then by the order of the packs: the Makefile makes hooks_sorted.def from the lines of hooks.def. */
struct texts {
#define HOOK(symbol, pack, arguments, result)                                                                          \
    char symbol_##pack##_##symbol[sizeof #symbol];                                                                     \
    char signature_##pack##_##symbol[sizeof "(" arguments ")=" result];
#include "collector/hooks_sorted.def"
#undef HOOK
};

static const struct texts texts = {
#define HOOK(symbol, pack, arguments, result) #symbol, "(" arguments ")=" result,
#include "collector/hooks_sorted.def"
#undef HOOK
};
const char *const ts_hook_texts = (const char *)&texts;

const struct ts_hook_definition ts_hook_definitions[] = {
#define HOOK(symbol, pack, arguments, result)                                                                          \
    {offsetof(struct texts, symbol_##pack##_##symbol), PACK_##pack,                                                    \
     offsetof(struct texts, signature_##pack##_##symbol)},
#include "collector/hooks_sorted.def"
#undef HOOK
};
const uint32_t ts_hook_definition_count = HOOK_COUNT;
static_assert(sizeof ts_hook_definitions / sizeof *ts_hook_definitions == HOOK_COUNT, "each HOOK stands on one line");

/* As in scripts/hook-places.awk. */
static uint32_t hash_of(const char *symbol) {
    uint32_t hash = 0;
    for (; *symbol; symbol++)
        hash = hash * 31 + (unsigned char)*symbol;
    return hash % HOOK_PLACES;
}

/* Asked of every symbol that any module calls, at each start: by a hash table that stands in the file. */
const struct ts_hook_definition *ts_hook_definition_of(const char *symbol) {
    for (uint32_t at = hash_of(symbol); hook_places[at]; at = (at + 1) % HOOK_PLACES) {
        const struct ts_hook_definition *found = &ts_hook_definitions[hook_places[at] - 1];
        if (ts_text_equal(ts_hook_definition_symbol(found), symbol))
            return found;
    }
    return NULL;
}

const struct ts_hook_definition *ts_hook_definition_next(const struct ts_hook_definition *definition) {
    const struct ts_hook_definition *next = definition + 1;
    int is_same = next < ts_hook_definitions + ts_hook_definition_count &&
                  ts_text_equal(ts_hook_definition_symbol(next), ts_hook_definition_symbol(definition));
    return is_same ? next : NULL;
}
