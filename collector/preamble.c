#include "collector/preamble.h"
#include "collector/system.h"
#include "collector/trace_format.h"

#include <sys/mman.h>

static int reserve(struct ts_preamble *preamble, uint64_t more) {
    if (preamble->used + more <= preamble->size)
        return 0;
    uint64_t size = preamble->size ? preamble->size : 65536;
    while (size < preamble->used + more)
        size *= 2;
    int64_t bytes = ts_system_mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (ts_system_failed(bytes))
        return -1;
    for (uint64_t i = 0; i < preamble->used; i++)
        ((uint8_t *)bytes)[i] = preamble->bytes[i];
    if (preamble->bytes)
        ts_system_munmap(preamble->bytes, preamble->size);
    preamble->bytes = (uint8_t *)bytes;
    preamble->size = size;
    return 0;
}

/* Two words at any address. */
typedef uint64_t any_words __attribute__((aligned(1), may_alias));

static void append(struct ts_preamble *preamble, const void *bytes, uint32_t count) {
    const uint8_t *from = bytes;
    uint8_t *to = preamble->bytes + preamble->used;
    uint32_t i = 0;
    for (; i + sizeof(any_words) <= count; i += sizeof(any_words))
        *(any_words *)(to + i) = *(const any_words *)(from + i);
    for (; i < count; i++)
        to[i] = from[i];
    for (; i % 4; i++)
        to[i] = 0;
    preamble->used += (count + 3) & ~3u;
}

void ts_preamble_add(struct ts_preamble *preamble, uint32_t type, const void *record, uint32_t record_bytes,
                     const void *first, uint32_t first_bytes, const void *second, uint32_t second_bytes) {
    uint32_t words = record_bytes / 4 + (first_bytes + 3) / 4 + (second_bytes + 3) / 4;
    if (words > TS_HEAD_MAX_WORDS || reserve(preamble, (uint64_t)words * 4))
        return;
    uint64_t at = preamble->used;
    append(preamble, record, record_bytes);
    append(preamble, first, first_bytes);
    append(preamble, second, second_bytes);
    *(uint32_t *)(preamble->bytes + at) = TS_HEAD(type, words);
}

void ts_preamble_add_metadata(struct ts_preamble *preamble, uint32_t key, const void *value, uint32_t bytes) {
    struct ts_record_metadata record = {.key = key, .value_bytes = bytes};
    ts_preamble_add(preamble, TS_RECORD_METADATA, &record, sizeof record, value, bytes, NULL, 0);
}

void ts_preamble_free(struct ts_preamble *preamble) {
    if (preamble->bytes)
        ts_system_munmap(preamble->bytes, preamble->size);
    *preamble = (struct ts_preamble){0};
}
