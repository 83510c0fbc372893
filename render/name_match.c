#include "render/name_match.h"

#include "collector/glob.h"
#include "render/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOT_KNOWN = 0, MATCHES, DIFFERS };

/* A name may hold what globs use: `operator[]`, `operator*`. */
static bool matches(const char *pattern, const char *name) {
    return !strcmp(pattern, name) || ts_glob_matches(pattern, strlen(pattern), name);
}

bool ts_name_match_function(struct ts_name_match *match, struct ts_function *function) {
    if (!match->pattern)
        return false;
    size_t need = (size_t)function->id + 1;
    if (need > match->count) {
        match->known = ts_memory_grow(match->known, &match->capacity, need, 1);
        memset(match->known + match->count, NOT_KNOWN, need - match->count);
        match->count = need;
    }
    uint8_t *known = &match->known[function->id];
    if (*known == NOT_KNOWN)
        *known = matches(match->pattern, ts_function_name(function)) ? MATCHES : DIFFERS;
    return *known == MATCHES;
}

void ts_name_match_free(struct ts_name_match *match) {
    free(match->known);
    *match = (struct ts_name_match){0};
}

bool ts_name_match_thing(const char *pattern, const char *name, uint32_t number) {
    char digits[16];
    snprintf(digits, sizeof digits, "%" PRIu32, number);
    return !strcmp(pattern, digits) || matches(pattern, name);
}
