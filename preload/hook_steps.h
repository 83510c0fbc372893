/*
 * What is recorded of each call of a hook, worked out once from its signature: one byte for an argument, so that a call
 * reads the hook and no other table. After each system call a processor may have forgotten every page's address.
 */
#ifndef TRACESHIM_PRELOAD_HOOK_STEPS_H
#define TRACESHIM_PRELOAD_HOOK_STEPS_H

#include "collector/hook_signature.h"

enum ts_hook_step {
    TS_HOOK_STEP_END, /* no more arguments */
    TS_HOOK_STEP_NONE,
    TS_HOOK_STEP_WORD,
    TS_HOOK_STEP_LONG,
    TS_HOOK_STEP_TEXT,
    TS_HOOK_STEP_DESCRIPTOR, /* which the call does not change */
    TS_HOOK_STEP_CHANGED,    /* a descriptor which it does */
    TS_HOOK_STEP_OTHER,      /* as the signature says */
};

/* The result, where the call fails by returning -1. */
enum ts_hook_result_step {
    TS_HOOK_RESULT_OTHER, /* as the signature says */
    TS_HOOK_RESULT_INT,   /* 0 is not recorded */
    TS_HOOK_RESULT_WORD,  /* 4 bytes with a sign */
    TS_HOOK_RESULT_LONG,
};

/* What it does to descriptors. */
enum ts_hook_descriptor_step {
    TS_HOOK_DESCRIPTOR_NONE,
    TS_HOOK_DESCRIPTOR_MADE,    /* the result is one, or a stream of one */
    TS_HOOK_DESCRIPTOR_CHANGED, /* its first argument, the only one */
};

struct ts_hook_steps {
    uint8_t arguments[TS_HOOK_ARGUMENTS_MOST + 1]; /* enum ts_hook_step */
    uint8_t result;                                /* enum ts_hook_result_step */
    uint8_t descriptor;                            /* enum ts_hook_descriptor_step */
    uint8_t path_at; /* which word of its arguments in the record begins its first path; TS_HOOK_NO_PATH */
};

#define TS_HOOK_NO_PATH UINT8_MAX

void ts_hook_steps_fill(struct ts_hook_steps *steps, const struct ts_hook_signature *signature);

#endif
