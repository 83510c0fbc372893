/*
 * Attributes that outlive the call of the sink that told them: a stack of them, since those of a call go when it ends.
 */
#ifndef TRACESHIM_RENDER_KEPT_ATTRIBUTES_H
#define TRACESHIM_RENDER_KEPT_ATTRIBUTES_H

#include "render/attribute.h"

/* All zero is empty. */
struct ts_kept_attributes {
    struct ts_kept_attribute *kept;
    size_t count;
    size_t capacity;
    char *bytes; /* of texts and lists; they move when it grows, so the kept ones hold offsets */
    size_t bytes_used;
    size_t bytes_capacity;
};

/* The key is not copied. */
void ts_kept_attributes_push(struct ts_kept_attributes *attributes, const struct ts_attribute *attribute);
/* What it holds lives until the next push or cut. */
struct ts_attribute ts_kept_attributes_at(const struct ts_kept_attributes *attributes, size_t index);
/* Forgets all but the first `count`. */
void ts_kept_attributes_cut(struct ts_kept_attributes *attributes, size_t count);
void ts_kept_attributes_free(struct ts_kept_attributes *attributes);

#endif
