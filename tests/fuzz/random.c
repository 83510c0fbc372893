#include "tests/fuzz/fuzz.h"

#include <string.h>

static uint32_t next(struct fuzz_random *random) {
    random->state = random->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(random->state >> 32);
}

uint32_t fuzz_random_below(struct fuzz_random *random, uint32_t limit) {
    return next(random) % limit;
}

uint64_t fuzz_random_number(struct fuzz_random *random) {
    uint64_t power = UINT64_C(1) << next(random) % 64;
    switch (next(random) % 8) {
    case 0:
        return UINT64_MAX - next(random) % 4;
    case 1:
    case 2:
        return power + next(random) % 3 - 1;
    case 3:
        return (uint64_t)next(random) << 32 | next(random);
    default:
        return next(random) % 64;
    }
}

void fuzz_mutate_word(struct fuzz_random *random, uint8_t *data, size_t size) {
    size_t bytes = (size_t)1 << next(random) % 4;
    if (size < bytes)
        return;
    size_t at = next(random) % (uint32_t)(size / bytes) * bytes;
    uint64_t number = fuzz_random_number(random);
    if (next(random) % 4 == 0) { /* a little more or less than it was */
        memcpy(&number, data + at, bytes);
        number += next(random) % 33 - 16u;
    }
    memcpy(data + at, &number, bytes);
}
