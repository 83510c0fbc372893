/*
 * What file descriptors refer to, as the records of one window tell: DESCRIPTOR records, and calls that were given a
 * path and returned a descriptor. Nothing is copied, so the window must stay where it is. All zero is an empty table.
 */
#ifndef TRACESHIM_RENDER_DESCRIPTORS_H
#define TRACESHIM_RENDER_DESCRIPTORS_H

#include <stddef.h>
#include <stdint.h>

struct ts_descriptors {
    struct ts_descriptor_slot *slots; /* open addressing; `size` is a power of two, at most half of it used */
    size_t size;
    size_t used;
    uint64_t window; /* slots of other windows count as free */
};

struct ts_descriptor {
    const char *text; /* path, "socket:[1234]", ...; not terminated */
    size_t text_bytes;
    int is_path;
    const void *local; /* struct sockaddr; 0 bytes: none */
    size_t local_bytes;
    const void *peer;
    size_t peer_bytes;
};

void ts_descriptors_free(struct ts_descriptors *table);

/* Another window begins: nothing is known. */
void ts_descriptors_forget(struct ts_descriptors *table);

/* A DESCRIPTOR record, at least as long as its struct, and where it ends. */
void ts_descriptors_add(struct ts_descriptors *table, const uint32_t *words, const uint32_t *words_end);

/* A call has returned `fd` for this path, as it was given: relative to whatever it was relative to. */
void ts_descriptors_opened(struct ts_descriptors *table, int32_t fd, const char *path, size_t bytes);

/* 1 and what is known; 0: nothing. Parts that the record does not hold are cut off. */
int ts_descriptors_find(const struct ts_descriptors *table, int32_t fd, struct ts_descriptor *descriptor);

#endif
