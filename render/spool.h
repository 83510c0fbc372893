/*
 * Texts that grow side by side and are wanted one after the other: kept in an unnamed file in $TMPDIR, each as a chain
 * of its parts, so that memory does not grow with them.
 */
#ifndef TRACESHIM_RENDER_SPOOL_H
#define TRACESHIM_RENDER_SPOOL_H

#include <stddef.h>
#include <stdint.h>

/* All zero is an empty one; its file is made when it is needed. */
struct ts_spool {
    int file; /* descriptor + 1; 0: none yet */
    uint64_t end;
    int failed; /* errno of the first failure; nothing is kept after it */
};

/* All zero is an empty text. */
struct ts_spool_text {
    uint64_t first; /* offsets of its first and last part in the file, + 1; 0: it has none */
    uint64_t last;
};

void ts_spool_free(struct ts_spool *spool);

void ts_spool_add(struct ts_spool *spool, struct ts_spool_text *text, const char *bytes, size_t count);

/* Hands the text to `take`, part by part, from its begin. */
void ts_spool_read(struct ts_spool *spool, const struct ts_spool_text *text,
                   void (*take)(void *context, const char *bytes, size_t count), void *context);

#endif
