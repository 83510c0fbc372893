#include "render/sites.h"

#include "render/memory.h"
#include "render/symbols.h"

#include <stdlib.h>
#include <string.h>

void ts_sites_begin(struct ts_sites *sites, struct ts_functions *functions) {
    *sites = (struct ts_sites){.functions = functions, .seed = ts_hash_seed()};
}

void ts_sites_free(struct ts_sites *sites) {
    for (size_t i = 0; i < sites->count; i++) {
        free((char *)sites->sites[i]->at);
        free(sites->sites[i]->functions);
        free(sites->sites[i]);
    }
    free(sites->sites);
    ts_hash_index_free(&sites->index);
}

struct ts_site *ts_sites_find(struct ts_sites *sites, struct ts_object *object, uint64_t return_address) {
    uint64_t address = return_address - 1; /* inside the call: behind it may be another line, or function */
    uint64_t hash = ts_hash_mix(ts_hash_mix(address ^ sites->seed) ^ (uintptr_t)object);
    size_t at = hash;
    for (uint32_t i; ts_hash_index_next(&sites->index, hash, &at, &i);)
        if (sites->sites[i]->object == object && sites->sites[i]->address == address)
            return sites->sites[i];
    struct ts_site *site = ts_memory_new(1, sizeof *site);
    site->object = object;
    site->address = address;
    sites->sites = ts_memory_grow(sites->sites, &sites->capacity, sites->count + 1, sizeof(struct ts_site *));
    sites->sites[sites->count] = site;
    ts_hash_index_add(&sites->index, hash, (uint32_t)sites->count++);
    return site;
}

const char *ts_site_at(struct ts_site *site) {
    struct ts_source source;
    if (site->at_tried)
        return site->at;
    site->at_tried = true;
    if (ts_object_line(site->object, site->address, &source) == 0) {
        const char *slash = strrchr(source.file, '/');
        site->at = ts_memory_text("%s:%u", slash ? slash + 1 : source.file, (unsigned)source.line);
    }
    return site->at;
}

struct ts_function *const *ts_site_functions(struct ts_sites *sites, struct ts_site *site, size_t *count) {
    const char *inlined[TS_SITE_FUNCTIONS_MOST];
    if (!site->functions) {
        size_t inlined_count = ts_object_inlined(site->object, site->address, inlined, TS_SITE_FUNCTIONS_MOST);
        site->functions = ts_memory_new(1 + inlined_count, sizeof(struct ts_function *));
        site->functions[site->function_count++] = ts_functions_around(sites->functions, site->object, site->address);
        for (size_t i = 0; i < inlined_count; i++)
            site->functions[site->function_count++] =
                ts_functions_intern_inlined(sites->functions, site->object, inlined[i]);
    }
    *count = site->function_count;
    return site->functions;
}
