#include "render/functions.h"

#include "render/demangle.h"
#include "render/memory.h"
#include "render/symbols.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { CHUNK_FUNCTIONS = 512 };

/* A hash table of numbers, with linear probing; `size` is a power of two, at most half of it used. */
struct slot {
    uint64_t hash;
    uint32_t number; /* plus one; 0: free */
};

struct index {
    struct slot *slots;
    size_t size;
    size_t used;
};

struct ts_functions {
    uint64_t seed;               /* drawn at random: a trace cannot aim at one slot */
    struct ts_function **chunks; /* of CHUNK_FUNCTIONS each, by id: a function never moves */
    size_t chunk_capacity;
    uint32_t function_count;
    struct index function_index;
    struct ts_object **objects;
    size_t object_capacity;
    uint32_t object_count;
    struct index object_index;
};

/* The finaliser of SplitMix64 (Steele, Lea, Flood 2014). */
static uint64_t mix(uint64_t value) {
    value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
    return value ^ value >> 31;
}

static uint64_t mix_bytes(uint64_t hash, const void *bytes, size_t count) {
    const uint8_t *byte = bytes;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    return mix(hash ^ count);
}

static void index_place(struct index *index, struct slot slot) {
    size_t at = slot.hash & (index->size - 1);
    while (index->slots[at].number)
        at = (at + 1) & (index->size - 1);
    index->slots[at] = slot;
}

static void index_add(struct index *index, uint64_t hash, uint32_t number) {
    if (2 * (index->used + 1) > index->size) {
        struct index larger = {.size = index->size ? 2 * index->size : 64, .used = index->used};
        larger.slots = ts_memory_new(larger.size, sizeof *larger.slots);
        for (size_t i = 0; i < index->size; i++)
            if (index->slots[i].number)
                index_place(&larger, index->slots[i]);
        free(index->slots);
        *index = larger;
    }
    index_place(index, (struct slot){.hash = hash, .number = number + 1});
    index->used++;
}

/* Goes through the numbers stored under `hash`: *at starts as the hash; false when there are no more. */
static bool index_next(const struct index *index, uint64_t hash, size_t *at, uint32_t *number) {
    if (!index->size)
        return false;
    for (;; ++*at) {
        const struct slot *slot = &index->slots[*at & (index->size - 1)];
        if (!slot->number)
            return false;
        if (slot->hash == hash) {
            *number = slot->number - 1;
            ++*at;
            return true;
        }
    }
}

struct ts_functions *ts_functions_new(void) {
    struct ts_functions *functions = ts_memory_new(1, sizeof *functions);
    if (getrandom(&functions->seed, sizeof functions->seed, GRND_NONBLOCK) != sizeof functions->seed)
        functions->seed = (uintptr_t)functions;
    return functions;
}

void ts_functions_free(struct ts_functions *functions) {
    if (!functions)
        return;
    for (uint32_t id = 0; id < functions->function_count; id++)
        free((char *)ts_functions_at(functions, id)->name);
    for (uint32_t id = 0; id < functions->function_count; id += CHUNK_FUNCTIONS)
        free(functions->chunks[id / CHUNK_FUNCTIONS]);
    for (uint32_t i = 0; i < functions->object_count; i++) {
        struct ts_object *object = functions->objects[i];
        ts_symbols_close(object->symbols);
        free(object->path);
        free(object->problem);
        free(object);
    }
    free(functions->chunks);
    free(functions->objects);
    free(functions->function_index.slots);
    free(functions->object_index.slots);
    free(functions);
}

struct ts_object *ts_functions_object(struct ts_functions *functions, const char *path, const uint8_t *build_id,
                                      uint32_t build_id_bytes) {
    struct ts_object *object;
    if (build_id_bytes > sizeof object->build_id)
        build_id_bytes = sizeof object->build_id;
    uint64_t hash = mix_bytes(mix_bytes(functions->seed, path, strlen(path)), build_id, build_id_bytes);
    size_t at = hash;
    for (uint32_t i; index_next(&functions->object_index, hash, &at, &i);) {
        object = functions->objects[i];
        if (!strcmp(object->path, path) && object->build_id_bytes == build_id_bytes &&
            (!build_id_bytes || !memcmp(object->build_id, build_id, build_id_bytes)))
            return object;
    }

    object = ts_memory_new(1, sizeof *object);
    object->path = ts_memory_copy(path, strlen(path));
    const char *slash = strrchr(object->path, '/');
    object->scope = slash ? slash + 1 : object->path;
    if (!object->scope[0])
        object->scope = "?";
    object->build_id_bytes = build_id_bytes;
    if (build_id_bytes)
        memcpy(object->build_id, build_id, build_id_bytes);

    functions->objects = ts_memory_grow(functions->objects, &functions->object_capacity,
                                        (size_t)functions->object_count + 1, sizeof(struct ts_object *));
    functions->objects[functions->object_count] = object;
    index_add(&functions->object_index, hash, functions->object_count++);
    return object;
}

struct ts_function *ts_functions_intern(struct ts_functions *functions, struct ts_object *object, uint64_t address) {
    uint64_t hash = mix(mix(address ^ functions->seed) ^ (uintptr_t)object);
    size_t at = hash;
    for (uint32_t id; index_next(&functions->function_index, hash, &at, &id);) {
        struct ts_function *known = ts_functions_at(functions, id);
        if (known->object == object && known->address == address)
            return known;
    }

    uint32_t id = functions->function_count++;
    if (id % CHUNK_FUNCTIONS == 0) {
        size_t chunk = id / CHUNK_FUNCTIONS;
        functions->chunks =
            ts_memory_grow(functions->chunks, &functions->chunk_capacity, chunk + 1, sizeof(struct ts_function *));
        functions->chunks[chunk] = ts_memory_new(CHUNK_FUNCTIONS, sizeof(struct ts_function));
    }
    struct ts_function *function = ts_functions_at(functions, id);
    *function = (struct ts_function){.object = object, .address = address, .id = id};
    index_add(&functions->function_index, hash, id);
    return function;
}

uint32_t ts_functions_count(const struct ts_functions *functions) {
    return functions->function_count;
}

struct ts_function *ts_functions_at(const struct ts_functions *functions, uint32_t id) {
    return &functions->chunks[id / CHUNK_FUNCTIONS][id % CHUNK_FUNCTIONS];
}

uint32_t ts_functions_object_count(const struct ts_functions *functions) {
    return functions->object_count;
}

struct ts_object *ts_functions_object_at(const struct ts_functions *functions, uint32_t index) {
    return functions->objects[index];
}

/* A module without a file, "[vdso]" or of unknown path, has no symbols, and that is no problem. */
static struct ts_symbols *symbols_of(struct ts_object *object) {
    struct ts_error error;
    if (!object || object->symbols_tried)
        return object ? object->symbols : NULL;
    object->symbols_tried = 1;
    if (!object->path[0] || object->path[0] == '[')
        return NULL;
    object->symbols = ts_symbols_open(object->path, object->build_id, object->build_id_bytes, &error);
    if (!object->symbols)
        object->problem = ts_memory_copy(error.text, strlen(error.text));
    return object->symbols;
}

const char *ts_function_name(struct ts_function *function) {
    struct ts_symbol symbol;
    if (function->name)
        return function->name;
    struct ts_symbols *symbols = symbols_of(function->object);
    if (symbols && ts_symbols_find(symbols, function->address, &symbol) == 0)
        function->name = ts_demangle(symbol.linkage_name);
    else if (function->object)
        function->name = ts_memory_text("%s+0x%" PRIx64, function->object->scope, function->address);
    else
        function->name = ts_memory_text("0x%" PRIx64, function->address);
    return function->name;
}

int ts_function_source(struct ts_function *function) {
    struct ts_source source;
    struct ts_symbols *symbols = symbols_of(function->object);
    if (function->file)
        return 0;
    if (!symbols || ts_symbols_source(symbols, function->address, &source) != 0)
        return -1;
    function->file = source.file;
    function->line = source.line;
    return 0;
}

const char *ts_function_scope(const struct ts_function *function) {
    return function->object ? function->object->scope : "?";
}
