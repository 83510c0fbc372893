#include "render/call_places.h"

#include "render/memory.h"

#include <stdlib.h>
#include <string.h>

void ts_call_places_free(struct ts_call_places *places) {
    free(places->places);
    ts_hash_index_free(&places->index);
    *places = (struct ts_call_places){0};
}

static uint32_t add_place(struct ts_call_places *places, uint32_t latest, uint32_t node, struct ts_site *site,
                          uint64_t hash) {
    places->places = ts_memory_grow(places->places, &places->capacity, places->count + 1, sizeof *places->places);
    uint32_t made = (uint32_t)places->count++;
    struct ts_call_place *place = &places->places[made];
    *place = (struct ts_call_place){.site = site, .node = node, .next = made};
    if (latest) {
        place->next = places->places[latest - 1].next;
        places->places[latest - 1].next = made;
    }
    ts_hash_index_add(&places->index, hash, made);
    return made;
}

uint32_t ts_call_places_add(struct ts_call_places *places, uint32_t latest, uint32_t node, struct ts_site *site,
                            uint64_t calls) {
    if (latest && places->places[latest - 1].site == site) {
        places->places[latest - 1].calls += calls;
        return latest;
    }
    uint64_t hash = ts_hash_mix((uint64_t)node << 32 | site->id); /* both count up: no file aims at a slot */
    size_t at = hash;
    uint32_t found;
    do {
        if (!ts_hash_index_next(&places->index, hash, &at, &found)) {
            found = add_place(places, latest, node, site, hash);
            break;
        }
    } while (places->places[found].node != node || places->places[found].site != site);
    places->places[found].calls += calls;
    return found + 1;
}

/* NULL, not known, comes first. */
static int compare_lines(const void *left_pointer, const void *right_pointer) {
    const char *left = *(const char *const *)left_pointer, *right = *(const char *const *)right_pointer;
    return left && right ? strcmp(left, right) : (left != NULL) - (right != NULL);
}

struct ts_call_lines ts_call_places_lines(const struct ts_call_places *places, uint32_t latest, uint64_t calls,
                                          struct ts_sites *sites) {
    struct ts_call_lines lines = {0};
    if (!latest)
        return lines;
    const char **known = NULL;
    size_t count = 0, capacity = 0;
    uint64_t placed = 0;
    uint32_t at = latest - 1;
    do {
        known = ts_memory_grow(known, &capacity, count + 1, sizeof *known);
        known[count++] = ts_site_at(sites, places->places[at].site);
        placed += places->places[at].calls;
        at = places->places[at].next;
    } while (at != latest - 1);
    qsort(known, count, sizeof *known, compare_lines);
    if (known[count - 1]) {
        lines.number = 1 + (placed < calls && known[0]);
        for (size_t i = 1; i < count; i++)
            lines.number += compare_lines(&known[i - 1], &known[i]) != 0;
        if (lines.number == 1)
            lines.at = known[0];
    }
    free(known);
    return lines;
}
