#include "render/sites.h"

#include "render/memory.h"
#include "render/symbols.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct ts_sites {
    struct ts_functions *functions;
    pthread_mutex_t lock; /* held while anything of a site is looked up or added */
    uint64_t seed;
    struct ts_hash_index index;
    struct ts_site **sites;
    size_t count;
    size_t capacity;
};

struct ts_sites *ts_sites_new(struct ts_functions *functions) {
    struct ts_sites *sites = ts_memory_new(1, sizeof *sites);
    *sites = (struct ts_sites){.functions = functions, .seed = ts_hash_seed()};
    pthread_mutex_init(&sites->lock, NULL);
    return sites;
}

void ts_sites_free(struct ts_sites *sites) {
    if (!sites)
        return;
    for (size_t i = 0; i < sites->count; i++) {
        free((char *)sites->sites[i]->at);
        free(sites->sites[i]->functions);
        free(sites->sites[i]);
    }
    free(sites->sites);
    ts_hash_index_free(&sites->index);
    pthread_mutex_destroy(&sites->lock);
    free(sites);
}

static struct ts_site *find(struct ts_sites *sites, struct ts_object *object, uint64_t address) {
    uint64_t hash = ts_hash_mix(ts_hash_mix(address ^ sites->seed) ^ (uintptr_t)object);
    size_t at = hash;
    for (uint32_t i; ts_hash_index_next(&sites->index, hash, &at, &i);)
        if (sites->sites[i]->object == object && sites->sites[i]->address == address)
            return sites->sites[i];
    struct ts_site *site = ts_memory_new(1, sizeof *site);
    *site = (struct ts_site){.object = object, .address = address, .id = (uint32_t)sites->count};
    sites->sites = ts_memory_grow(sites->sites, &sites->capacity, sites->count + 1, sizeof(struct ts_site *));
    sites->sites[sites->count] = site;
    ts_hash_index_add(&sites->index, hash, (uint32_t)sites->count++);
    return site;
}

struct ts_site *ts_sites_find(struct ts_sites *sites, struct ts_object *object, uint64_t return_address) {
    pthread_mutex_lock(&sites->lock);
    /* Inside the call: behind it may be another line, or function. */
    struct ts_site *site = find(sites, object, return_address - 1);
    pthread_mutex_unlock(&sites->lock);
    return site;
}

size_t ts_sites_count(const struct ts_sites *sites) {
    return sites->count;
}

struct ts_site *ts_sites_at(const struct ts_sites *sites, size_t id) {
    return sites->sites[id];
}

static void find_at(struct ts_site *site) {
    struct ts_source source;
    if (ts_object_line(site->object, site->address, &source) == 0) {
        const char *slash = strrchr(source.file, '/');
        site->at = ts_memory_text("%s:%u", slash ? slash + 1 : source.file, (unsigned)source.line);
    }
    __atomic_store_n(&site->at_tried, true, __ATOMIC_RELEASE);
}

const char *ts_site_at(struct ts_sites *sites, struct ts_site *site) {
    if (!__atomic_load_n(&site->at_tried, __ATOMIC_ACQUIRE)) {
        pthread_mutex_lock(&sites->lock);
        if (!site->at_tried)
            find_at(site);
        pthread_mutex_unlock(&sites->lock);
    }
    return site->at;
}

static void find_functions(struct ts_sites *sites, struct ts_site *site) {
    const char *inlined[TS_SITE_FUNCTIONS_MOST];
    size_t inlined_count = ts_object_inlined(site->object, site->address, inlined, TS_SITE_FUNCTIONS_MOST);
    struct ts_function **functions = ts_memory_new(1 + inlined_count, sizeof(struct ts_function *));
    functions[0] = ts_functions_around(sites->functions, site->object, site->address);
    for (size_t i = 0; i < inlined_count; i++)
        functions[1 + i] = ts_functions_intern_inlined(sites->functions, site->object, inlined[i]);
    site->function_count = 1 + inlined_count;
    __atomic_store_n(&site->functions, functions, __ATOMIC_RELEASE);
}

struct ts_function *const *ts_site_functions(struct ts_sites *sites, struct ts_site *site, size_t *count) {
    struct ts_function **functions = __atomic_load_n(&site->functions, __ATOMIC_ACQUIRE);
    if (!functions) {
        pthread_mutex_lock(&sites->lock);
        if (!site->functions)
            find_functions(sites, site);
        functions = site->functions;
        pthread_mutex_unlock(&sites->lock);
    }
    *count = site->function_count;
    return functions;
}

struct ts_function *ts_site_function(struct ts_sites *sites, struct ts_site *site) {
    size_t count;
    struct ts_function *const *functions = ts_site_functions(sites, site, &count);
    return functions[count - 1];
}
