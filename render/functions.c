#include "render/functions.h"

#include "collector/trace_format.h"
#include "render/demangle.h"
#include "render/hash_index.h"
#include "render/kept_names.h"
#include "render/memory.h"
#include "render/object_names.h"
#include "render/symbols.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_FUNCTIONS = 512 };

/*
 * Held while anything of a registry is added to or looked up in a file: several threads replay parts of a session, and
 * libdw, libelf and the demangler know nothing of threads.
 */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct ts_functions {
    uint64_t seed;               /* drawn at random: a trace cannot aim at one slot */
    struct ts_function **chunks; /* of CHUNK_FUNCTIONS each, by id: a function never moves */
    size_t chunk_capacity;
    struct ts_function ***old_chunks; /* smaller arrays, which another thread may still read */
    size_t old_count;
    size_t old_capacity;
    uint32_t function_count;
    struct ts_hash_index function_index;
    struct ts_object **objects;
    size_t object_capacity;
    uint32_t object_count;
    struct ts_hash_index object_index;
    struct ts_kept_names *kept;
};

struct ts_functions *ts_functions_new(void) {
    struct ts_functions *functions = ts_memory_new(1, sizeof *functions);
    functions->seed = ts_hash_seed();
    functions->kept = ts_kept_names_new();
    return functions;
}

void ts_functions_free(struct ts_functions *functions) {
    if (!functions)
        return;
    for (uint32_t id = 0; id < functions->function_count; id++) {
        free((char *)ts_functions_at(functions, id)->name);
        ts_hooked_free((struct ts_hooked *)ts_functions_at(functions, id)->hooked);
    }
    for (uint32_t id = 0; id < functions->function_count; id += CHUNK_FUNCTIONS)
        free(functions->chunks[id / CHUNK_FUNCTIONS]);
    for (uint32_t i = 0; i < functions->object_count; i++) {
        struct ts_object *object = functions->objects[i];
        ts_symbols_close(object->symbols);
        free(object->path);
        free(object->failure);
        free(object->problem);
        free(object);
    }
    for (size_t i = 0; i < functions->old_count; i++)
        free(functions->old_chunks[i]);
    free(functions->old_chunks);
    free(functions->chunks);
    free(functions->objects);
    ts_hash_index_free(&functions->function_index);
    ts_hash_index_free(&functions->object_index);
    ts_kept_names_free(functions->kept);
    free(functions);
}

struct ts_kept_names *ts_functions_kept(const struct ts_functions *functions) {
    return functions->kept;
}

struct ts_object *ts_functions_object(struct ts_functions *functions, const char *path, const uint8_t *build_id,
                                      uint32_t build_id_bytes) {
    struct ts_object *object;
    if (build_id_bytes > sizeof object->build_id)
        build_id_bytes = sizeof object->build_id;
    uint64_t hash = ts_hash_mix_bytes(ts_hash_mix_bytes(functions->seed, path, strlen(path)), build_id, build_id_bytes);
    size_t at = hash;
    for (uint32_t i; ts_hash_index_next(&functions->object_index, hash, &at, &i);) {
        object = functions->objects[i];
        if (!strcmp(object->path, path) && object->build_id_bytes == build_id_bytes &&
            (!build_id_bytes || !memcmp(object->build_id, build_id, build_id_bytes)))
            return object;
    }

    object = ts_memory_new(1, sizeof *object);
    object->kept = functions->kept;
    object->path = ts_memory_copy(path, strlen(path));
    const char *slash = strrchr(object->path, '/');
    object->scope = slash ? slash + 1 : object->path;
    if (!object->scope[0])
        object->scope = "?";
    object->is_recorder = !strncmp(object->scope, "libtraceshim.so", strlen("libtraceshim.so"));
    object->build_id_bytes = build_id_bytes;
    if (build_id_bytes)
        memcpy(object->build_id, build_id, build_id_bytes);

    functions->objects = ts_memory_grow(functions->objects, &functions->object_capacity,
                                        (size_t)functions->object_count + 1, sizeof(struct ts_object *));
    functions->objects[functions->object_count] = object;
    ts_hash_index_add(&functions->object_index, hash, functions->object_count++);
    return object;
}

static void add_chunk(struct ts_functions *functions, size_t chunk) {
    if (chunk == functions->chunk_capacity) {
        size_t capacity = chunk ? 2 * chunk : 16;
        struct ts_function **grown = ts_memory_new(capacity, sizeof(struct ts_function *));
        if (chunk) {
            memcpy(grown, functions->chunks, chunk * sizeof(struct ts_function *));
            functions->old_chunks = ts_memory_grow(functions->old_chunks, &functions->old_capacity,
                                                   functions->old_count + 1, sizeof(struct ts_function **));
            functions->old_chunks[functions->old_count++] = functions->chunks;
        }
        __atomic_store_n(&functions->chunks, grown, __ATOMIC_RELEASE);
        functions->chunk_capacity = capacity;
    }
    functions->chunks[chunk] = ts_memory_new(CHUNK_FUNCTIONS, sizeof(struct ts_function));
}

static struct ts_function *add_function(struct ts_functions *functions, uint64_t hash) {
    uint32_t id = functions->function_count++;
    if (id % CHUNK_FUNCTIONS == 0)
        add_chunk(functions, id / CHUNK_FUNCTIONS);
    struct ts_function *function = ts_functions_at(functions, id);
    function->id = id;
    ts_hash_index_add(&functions->function_index, hash, id);
    return function;
}

static struct ts_function *intern(struct ts_functions *functions, struct ts_object *object, uint64_t address) {
    uint64_t hash = ts_hash_mix(ts_hash_mix(address ^ functions->seed) ^ (uintptr_t)object);
    size_t at = hash;
    for (uint32_t id; ts_hash_index_next(&functions->function_index, hash, &at, &id);) {
        struct ts_function *known = ts_functions_at(functions, id);
        if (known->object == object && known->address == address && !known->hooked && !known->is_moment)
            return known;
    }
    struct ts_function *function = add_function(functions, hash);
    function->object = object;
    function->address = address;
    return function;
}

struct ts_function *ts_functions_intern(struct ts_functions *functions, struct ts_object *object, uint64_t address) {
    pthread_mutex_lock(&lock);
    struct ts_function *function = intern(functions, object, address);
    pthread_mutex_unlock(&lock);
    return function;
}

static struct ts_function *intern_hooked(struct ts_functions *functions, struct ts_object *object, uint64_t address,
                                         const char *symbol, const char *signature, const char *pack, uint32_t flags) {
    uint64_t hash = ts_hash_mix_bytes(functions->seed ^ (uintptr_t)object, symbol, strlen(symbol));
    hash = ts_hash_mix_bytes(hash ^ address, signature, strlen(signature));
    size_t at = hash;
    for (uint32_t id; ts_hash_index_next(&functions->function_index, hash, &at, &id);) {
        struct ts_function *known = ts_functions_at(functions, id);
        if (known->object == object && known->address == address && known->hooked &&
            ts_hooked_is(known->hooked, symbol, signature, pack, flags))
            return known;
    }
    struct ts_function *function = add_function(functions, hash);
    function->object = object;
    function->address = address;
    function->hooked = ts_hooked_new(symbol, signature, pack, flags);
    return function;
}

struct ts_function *ts_functions_intern_hooked(struct ts_functions *functions, struct ts_object *object,
                                               uint64_t address, const char *symbol, const char *signature,
                                               const char *pack, uint32_t flags) {
    pthread_mutex_lock(&lock);
    struct ts_function *function = intern_hooked(functions, object, address, symbol, signature, pack, flags);
    pthread_mutex_unlock(&lock);
    return function;
}

static struct ts_function *intern_inlined(struct ts_functions *functions, struct ts_object *object,
                                          const char *linkage_name) {
    uint64_t hash = ts_hash_mix_bytes(~functions->seed ^ (uintptr_t)object, linkage_name, strlen(linkage_name));
    char *name = ts_demangle(linkage_name);
    size_t at = hash;
    for (uint32_t id; ts_hash_index_next(&functions->function_index, hash, &at, &id);) {
        struct ts_function *known = ts_functions_at(functions, id);
        if (known->object == object && known->address == TS_FUNCTION_NO_ADDRESS && !strcmp(known->name, name)) {
            free(name);
            return known;
        }
    }
    struct ts_function *function = add_function(functions, hash);
    function->object = object;
    function->address = TS_FUNCTION_NO_ADDRESS;
    function->name = name;
    return function;
}

struct ts_function *ts_functions_intern_inlined(struct ts_functions *functions, struct ts_object *object,
                                                const char *linkage_name) {
    pthread_mutex_lock(&lock);
    struct ts_function *function = intern_inlined(functions, object, linkage_name);
    pthread_mutex_unlock(&lock);
    return function;
}

static struct ts_function *intern_moment(struct ts_functions *functions, struct ts_object *object, const char *name) {
    uint64_t hash = ts_hash_mix_bytes(functions->seed ^ (uintptr_t)object, name, strlen(name));
    size_t at = hash;
    for (uint32_t id; ts_hash_index_next(&functions->function_index, hash, &at, &id);) {
        struct ts_function *known = ts_functions_at(functions, id);
        if (known->object == object && known->is_moment && !strcmp(known->name, name))
            return known;
    }
    struct ts_function *function = add_function(functions, hash);
    function->object = object;
    function->is_moment = true;
    function->name = ts_memory_copy(name, strlen(name));
    return function;
}

struct ts_function *ts_functions_intern_moment(struct ts_functions *functions, struct ts_object *object,
                                               const char *name) {
    pthread_mutex_lock(&lock);
    struct ts_function *function = intern_moment(functions, object, name);
    pthread_mutex_unlock(&lock);
    return function;
}

uint32_t ts_functions_count(const struct ts_functions *functions) {
    return functions->function_count;
}

struct ts_function *ts_functions_at(const struct ts_functions *functions, uint32_t id) {
    struct ts_function **chunks = __atomic_load_n(&functions->chunks, __ATOMIC_ACQUIRE);
    return &chunks[id / CHUNK_FUNCTIONS][id % CHUNK_FUNCTIONS];
}

uint32_t ts_functions_object_count(const struct ts_functions *functions) {
    return functions->object_count;
}

struct ts_object *ts_functions_object_at(const struct ts_functions *functions, uint32_t index) {
    return functions->objects[index];
}

struct ts_function *ts_functions_around(struct ts_functions *functions, struct ts_object *object, uint64_t address) {
    uint64_t start;
    pthread_mutex_lock(&lock);
    enum ts_told told = ts_object_start(object, address, &start);
    if (told == TS_TOLD)
        address = start;
    ts_object_expect(object, told, TS_EXPECTED_NAMES);
    pthread_mutex_unlock(&lock);
    return ts_functions_intern(functions, object, address);
}

static char *find_name(struct ts_function *function) {
    const char *linkage_name;
    if (function->hooked)
        return ts_demangle(function->hooked->symbol);
    enum ts_told told = ts_object_name(function->object, function->address, &linkage_name);
    if (told == TS_TOLD)
        return ts_demangle(linkage_name);
    ts_object_expect(function->object, told, TS_EXPECTED_NAMES);
    if (function->object)
        return ts_memory_text("%s+0x%" PRIx64, function->object->scope, function->address);
    return ts_memory_text("0x%" PRIx64, function->address);
}

const char *ts_function_name(struct ts_function *function) {
    const char *name = __atomic_load_n(&function->name, __ATOMIC_ACQUIRE);
    if (name)
        return name;
    pthread_mutex_lock(&lock);
    if (!function->name)
        __atomic_store_n(&function->name, find_name(function), __ATOMIC_RELEASE);
    name = function->name;
    pthread_mutex_unlock(&lock);
    return name;
}

int ts_function_source(struct ts_function *function) {
    struct ts_source source;
    if (function->source_tried)
        return function->file ? 0 : -1;
    function->source_tried = true;
    pthread_mutex_lock(&lock);
    enum ts_told told = ts_object_source(function->object, function->address, &source);
    ts_object_expect(function->object, told, TS_EXPECTED_LINES);
    pthread_mutex_unlock(&lock);
    if (told != TS_TOLD)
        return -1;
    function->file = source.file;
    function->line = source.line;
    return 0;
}

int ts_object_line(struct ts_object *object, uint64_t address, struct ts_source *source) {
    pthread_mutex_lock(&lock);
    enum ts_told told = ts_object_row(object, address, source);
    ts_object_expect(object, told, TS_EXPECTED_LINES);
    pthread_mutex_unlock(&lock);
    return told == TS_TOLD ? 0 : -1;
}

int ts_function_line(struct ts_function *function, struct ts_source *source) {
    function->line_tried = true;
    return ts_object_line(function->object, function->address, source);
}

size_t ts_object_inlined(struct ts_object *object, uint64_t address, const char **names, size_t most) {
    pthread_mutex_lock(&lock);
    size_t count = ts_object_inlined_at(object, address, names, most);
    pthread_mutex_unlock(&lock);
    return count;
}

const char *ts_function_label(const struct ts_function *function) {
    return function->hooked ? function->hooked->label : NULL;
}

bool ts_function_is_instant(const struct ts_function *function) {
    return function->is_moment || (function->hooked && function->hooked->flags & TS_HOOK_ENTRY_ONLY);
}

const char *ts_function_scope(const struct ts_function *function) {
    return function->object ? function->object->scope : "?";
}
