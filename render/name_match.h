/* Whether functions have a wanted name, each name looked at once. */
#ifndef TRACESHIM_RENDER_NAME_MATCH_H
#define TRACESHIM_RENDER_NAME_MATCH_H

#include "render/functions.h"

struct ts_name_match {
    const char *pattern; /* a name, or a glob; NULL matches nothing */
    uint8_t *known;      /* by ts_function.id */
    size_t count;
    size_t capacity;
};

bool ts_name_match_function(struct ts_name_match *match, struct ts_function *function);
void ts_name_match_free(struct ts_name_match *match);

/* Whether the pattern, which may be a number, means the thing of this name and number. */
bool ts_name_match_thing(const char *pattern, const char *name, uint32_t number);

#endif
