/*
 * Places in code from which calls are made: their line, and the functions they are in, the inlined ones too. Looked up
 * once each, offline, for the places that a session's traces name. Any thread may call these.
 */
#ifndef TRACESHIM_RENDER_SITES_H
#define TRACESHIM_RENDER_SITES_H

#include "render/functions.h"
#include "render/hash_index.h"

/* Functions that are inlined into each other at one place; more are left out. */
#define TS_SITE_FUNCTIONS_MOST 32

struct ts_site {
    struct ts_object *object; /* NULL: the address lies in no known module */
    uint64_t address;         /* in the object's file */
    const char *at;           /* "file.c:4"; NULL: not known */
    bool at_tried;
    struct ts_function **functions; /* the outermost first; NULL until ts_site_functions */
    size_t function_count;
    uint32_t id; /* 0, 1, 2, ... */
};

struct ts_sites;

struct ts_sites *ts_sites_new(struct ts_functions *functions);
/* NULL is allowed. */
void ts_sites_free(struct ts_sites *sites);

/* The place of the call that returns to `address` (in the object's file). Never NULL; lives as long as `sites`. */
struct ts_site *ts_sites_find(struct ts_sites *sites, struct ts_object *object, uint64_t return_address);

/* How many were found so far, and the one with this id. */
size_t ts_sites_count(const struct ts_sites *sites);
struct ts_site *ts_sites_at(const struct ts_sites *sites, size_t id);

/* Base name of the source file and line; NULL: not known. */
const char *ts_site_at(struct ts_sites *sites, struct ts_site *site);

/* The functions that the call is in, the outermost first: at least one. */
struct ts_function *const *ts_site_functions(struct ts_sites *sites, struct ts_site *site, size_t *count);
/* The innermost of them: whose source has the call. */
struct ts_function *ts_site_function(struct ts_sites *sites, struct ts_site *site);

#endif
