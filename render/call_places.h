/*
 * Where the calls of each node of a call tree were made. Memory: one entry for each pair of a node and a place. The
 * places of a node form a ring, so that the node needs to know one of them only: the one that was counted last, which
 * is nearly always the next one too.
 */
#ifndef TRACESHIM_RENDER_CALL_PLACES_H
#define TRACESHIM_RENDER_CALL_PLACES_H

#include "render/hash_index.h"
#include "render/sites.h"

struct ts_call_place {
    struct ts_site *site;
    uint64_t calls;
    uint32_t node;
    uint32_t next; /* of the node's ring */
};

/* All zero is none. A place's number is its index plus one; 0 stands for none. */
struct ts_call_places {
    struct ts_call_place *places;
    size_t count;
    size_t capacity;
    struct ts_hash_index index;
};

void ts_call_places_free(struct ts_call_places *places);

/* Counts `calls` of `node` at `site`. `latest` is a place of the node, 0 where it has none; returns the one counted. */
uint32_t ts_call_places_add(struct ts_call_places *places, uint32_t latest, uint32_t node, struct ts_site *site,
                            uint64_t calls);

/* What people are told of a node's places. */
struct ts_call_lines {
    const char *at;  /* "file.c:4" where all of them are on this line; else NULL */
    uint64_t number; /* of lines that are different; all that is not known counts as one; 0: no line is known */
};

/* `calls`: of the node, in all. Those that were made at no place that is known count as made elsewhere. */
struct ts_call_lines ts_call_places_lines(const struct ts_call_places *places, uint32_t latest, uint64_t calls,
                                          struct ts_sites *sites);

#endif
