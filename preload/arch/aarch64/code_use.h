/* What A64 code does with a value in a register. Pure: looks at words, whatever they are. */
#ifndef TRACESHIM_PRELOAD_CODE_USE_H
#define TRACESHIM_PRELOAD_CODE_USE_H

#include <stdint.h>

enum ts_code_use {
    TS_CODE_CALLS = 1, /* blr or br */
    TS_CODE_READS = 2, /* anything else but a comparison with zero; or there is more code than is looked at */
};

/*
 * Bits of enum ts_code_use for the value that `number`, a general register, holds before the instruction at `at`, and
 * for what copies of it are used for. The code lies from `start` up to `end`; its branches are followed, both ways,
 * until the value is gone.
 */
unsigned ts_code_use(const uint32_t *start, const uint32_t *end, const uint32_t *at, uint32_t number);

#endif
