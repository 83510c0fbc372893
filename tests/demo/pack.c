#include "demo.h"

#include <stdlib.h>
#include <string.h>

/*
 * Packed text: the length (4 bytes), then items. Item 0..127: that many plus one bytes follow as they are.
 * Item 128..255: copy (item - 128 + MATCH_MINIMUM) bytes from the distance in the next two bytes back.
 */
enum { MATCH_MINIMUM = 4, MATCH_MAXIMUM = 127 + MATCH_MINIMUM, PLAIN_MAXIMUM = 128, DISTANCE_MAXIMUM = 65535 };
enum { TABLE_BITS = 13 };

struct packer {
    const unsigned char *in;
    size_t length;
    unsigned char *out;
    size_t used;
    size_t plain_start;             /* bytes from here to the current place are not written yet */
    uint32_t last[1 << TABLE_BITS]; /* position + 1 */
};

static uint32_t hash_four(const unsigned char *bytes) {
    uint32_t four;
    memcpy(&four, bytes, 4);
    return four * 2654435761u >> (32 - TABLE_BITS);
}

static size_t match_length(const struct packer *packer, size_t from, size_t at) {
    size_t length = 0;
    while (length < MATCH_MAXIMUM && at + length < packer->length &&
           packer->in[from + length] == packer->in[at + length])
        length++;
    return length;
}

/* Where the longest known earlier occurrence begins; *length is 0 when there is none worth a copy. */
static size_t find_match(struct packer *packer, size_t at, size_t *length) {
    uint32_t slot = hash_four(packer->in + at);
    uint32_t candidate = packer->last[slot];
    packer->last[slot] = (uint32_t)at + 1;
    *length = 0;
    if (candidate == 0 || at - (candidate - 1) > DISTANCE_MAXIMUM)
        return 0;
    size_t found = match_length(packer, candidate - 1, at);
    if (found >= MATCH_MINIMUM)
        *length = found;
    return candidate - 1;
}

static void write_plain(struct packer *packer, size_t end) {
    while (packer->plain_start < end) {
        size_t count = end - packer->plain_start;
        if (count > PLAIN_MAXIMUM)
            count = PLAIN_MAXIMUM;
        packer->out[packer->used++] = (unsigned char)(count - 1);
        memcpy(packer->out + packer->used, packer->in + packer->plain_start, count);
        packer->used += count;
        packer->plain_start += count;
    }
}

static void write_copy(struct packer *packer, size_t distance, size_t length) {
    packer->out[packer->used++] = (unsigned char)(128 + length - MATCH_MINIMUM);
    packer->out[packer->used++] = (unsigned char)(distance & 255);
    packer->out[packer->used++] = (unsigned char)(distance >> 8);
}

struct text pack(const struct text *text) {
    struct packer *packer = calloc(1, sizeof *packer);
    unsigned char *out = malloc(text->length + text->length / PLAIN_MAXIMUM + 8);
    if (packer == NULL || out == NULL)
        abort();
    packer->in = (const unsigned char *)text->bytes;
    packer->length = text->length;
    packer->out = out;
    uint32_t length = (uint32_t)text->length;
    memcpy(out, &length, 4);
    packer->used = 4;
    size_t at = 0;
    while (at + MATCH_MINIMUM <= text->length) {
        size_t copied;
        size_t from = find_match(packer, at, &copied);
        if (copied == 0) {
            at++;
            continue;
        }
        write_plain(packer, at);
        write_copy(packer, at - from, copied);
        at += copied;
        packer->plain_start = at;
    }
    write_plain(packer, text->length);
    struct text packed = {(char *)out, packer->used};
    free(packer);
    return packed;
}

struct text unpack(const struct text *packed) {
    const unsigned char *in = (const unsigned char *)packed->bytes;
    uint32_t length;
    memcpy(&length, in, 4);
    char *out = malloc(length + 1);
    size_t used = 0;
    if (out == NULL)
        abort();
    for (size_t at = 4; at < packed->length && used < length;) {
        size_t item = in[at++];
        if (item < 128) {
            memcpy(out + used, in + at, item + 1);
            used += item + 1;
            at += item + 1;
        } else {
            size_t distance = in[at] | (size_t)in[at + 1] << 8;
            at += 2;
            for (size_t i = 0; i < item - 128 + MATCH_MINIMUM; i++, used++)
                out[used] = out[used - distance];
        }
    }
    return (struct text){out, used};
}

uint32_t checksum(uint32_t sum, const void *bytes, size_t length) {
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < length; i++)
        sum = (sum ^ byte[i]) * 16777619u;
    return sum;
}
