#include "render/object_names.h"

#include "render/kept_names.h"
#include "render/memory.h"

#include <stdlib.h>

/* A module without a file, "[vdso]" or of unknown path, has no symbols, and that is no failure. */
static struct ts_symbols *symbols_of(struct ts_object *object) {
    struct ts_error error;
    if (!object || object->symbols_tried)
        return object ? object->symbols : NULL;
    object->symbols_tried = 1;
    if (!object->path[0] || object->path[0] == '[')
        return NULL;
    object->symbols = ts_symbols_open(object->path, object->build_id, object->build_id_bytes, &error);
    if (!object->symbols)
        object->failure = ts_memory_text("%s", error.text);
    return object->symbols;
}

/* Of an object without symbols. *told where the fact is NULL, or says that there is none. */
static const struct ts_kept_fact *find_kept(struct ts_object *object, enum ts_kept_kind kind, uint64_t address,
                                            enum ts_told *told, size_t *count) {
    *told = TS_TOLD_NONE;
    if (!object || !object->failure)
        return NULL;
    const struct ts_kept_fact *fact =
        ts_kept_names_find(object->kept, object->build_id, object->build_id_bytes, kind, address, count);
    if (!fact)
        *told = TS_NOT_TOLD;
    else if (!fact->none)
        *told = TS_TOLD;
    return fact;
}

enum ts_told ts_object_name(struct ts_object *object, uint64_t address, const char **linkage_name) {
    struct ts_symbol symbol;
    struct ts_symbols *symbols = symbols_of(object);
    enum ts_told told = TS_TOLD_NONE;
    size_t count;
    if (symbols && ts_symbols_find(symbols, address, &symbol) == 0) {
        *linkage_name = symbol.linkage_name;
        return TS_TOLD;
    }
    const struct ts_kept_fact *fact = symbols ? NULL : find_kept(object, TS_KEPT_NAME, address, &told, &count);
    if (told == TS_TOLD)
        *linkage_name = fact->text;
    return told;
}

enum ts_told ts_object_start(struct ts_object *object, uint64_t address, uint64_t *start) {
    struct ts_symbol symbol;
    struct ts_symbols *symbols = symbols_of(object);
    enum ts_told told = TS_TOLD_NONE;
    size_t count;
    if (symbols && ts_symbols_find(symbols, address, &symbol) == 0) {
        *start = symbol.address;
        return TS_TOLD;
    }
    if (symbols)
        return ts_symbols_function_start(symbols, address, start) == 0 ? TS_TOLD : TS_TOLD_NONE;
    const struct ts_kept_fact *fact = find_kept(object, TS_KEPT_START, address, &told, &count);
    if (told == TS_TOLD)
        *start = fact->number;
    return told;
}

static enum ts_told find_kept_place(struct ts_object *object, enum ts_kept_kind kind, uint64_t address,
                                    struct ts_source *source) {
    enum ts_told told;
    size_t count;
    const struct ts_kept_fact *fact = find_kept(object, kind, address, &told, &count);
    if (told == TS_TOLD)
        *source = (struct ts_source){.file = fact->text, .line = (uint32_t)fact->number};
    return told;
}

enum ts_told ts_object_source(struct ts_object *object, uint64_t address, struct ts_source *source) {
    struct ts_symbols *symbols = symbols_of(object);
    if (symbols)
        return ts_symbols_source(symbols, address, source) == 0 ? TS_TOLD : TS_TOLD_NONE;
    return find_kept_place(object, TS_KEPT_SOURCE, address, source);
}

enum ts_told ts_object_row(struct ts_object *object, uint64_t address, struct ts_source *source) {
    struct ts_symbols *symbols = symbols_of(object);
    if (symbols)
        return ts_symbols_line(symbols, address, source) == 0 ? TS_TOLD : TS_TOLD_NONE;
    return find_kept_place(object, TS_KEPT_LINE, address, source);
}

size_t ts_object_inlined_at(struct ts_object *object, uint64_t address, const char **names, size_t most) {
    struct ts_symbols *symbols = symbols_of(object);
    enum ts_told told;
    size_t count = 0;
    if (symbols)
        return ts_symbols_inlined(symbols, address, names, most);
    const struct ts_kept_fact *facts = find_kept(object, TS_KEPT_INLINED, address, &told, &count);
    if (!facts)
        return 0;
    count = count < most ? count : most;
    for (size_t i = 0; i < count; i++)
        names[i] = facts[i].text;
    return count;
}

void ts_object_expect(struct ts_object *object, enum ts_told told, enum ts_expected expected) {
    bool names = expected == TS_EXPECTED_NAMES;
    if (told != TS_NOT_TOLD || (object->problem && (!names || object->names_missing)))
        return;
    free(object->problem);
    object->problem =
        ts_memory_text("%s: %s", object->failure, names ? "names are module+offset" : "source lines are missing");
    object->names_missing = names;
}
