#include "collector/hook_definitions.h"
#include "collector/text.h"

#include <assert.h>

enum pack {
#define PACK(name, is_default, meaning) PACK_##name,
#define HOOK(symbol, pack, arguments, result)
#include "collector/hooks.def"
#undef PACK
#undef HOOK
    PACK_COUNT
};

/* Lines of HOOK. */
enum {
#define PACK(name, is_default, meaning)
#define HOOK(symbol, pack, arguments, result) HOOK_##pack##_##symbol,
#include "collector/hooks.def"
#undef PACK
#undef HOOK
    HOOK_COUNT
};

const struct ts_hook_pack ts_hook_packs[] = {
#define PACK(name, is_default, meaning) {#name, meaning, is_default},
#define HOOK(symbol, pack, arguments, result)
#include "collector/hooks.def"
#undef PACK
#undef HOOK
};
const uint32_t ts_hook_pack_count = PACK_COUNT;

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

/* As strcmp. */
static int compare(const char *a, const char *b) {
    while (*a && *a == *b)
        a++, b++;
    return (unsigned char)*a - (unsigned char)*b;
}

const struct ts_hook_definition *ts_hook_definition_of(const char *symbol) {
    /* before `low` all are less, from `high` on none is */
    uint32_t low = 0, high = ts_hook_definition_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (compare(ts_hook_definition_symbol(&ts_hook_definitions[middle]), symbol) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    const struct ts_hook_definition *found = &ts_hook_definitions[low];
    return low < ts_hook_definition_count && ts_text_equal(ts_hook_definition_symbol(found), symbol) ? found : NULL;
}

const struct ts_hook_definition *ts_hook_definition_next(const struct ts_hook_definition *definition) {
    const struct ts_hook_definition *next = definition + 1;
    int is_same = next < ts_hook_definitions + ts_hook_definition_count &&
                  ts_text_equal(ts_hook_definition_symbol(next), ts_hook_definition_symbol(definition));
    return is_same ? next : NULL;
}
