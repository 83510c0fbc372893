#include "preload/hook_steps.h"

static uint8_t step_of(const struct ts_hook_signature *signature, uint32_t kind) {
    switch (kind) {
    case TS_HOOK_fd:
    case TS_HOOK_dirfd:
        return signature->options & TS_HOOK_CHANGES ? TS_HOOK_STEP_OTHER : TS_HOOK_STEP_DESCRIPTOR;
    case TS_HOOK_file:
    case TS_HOOK_dir:
    case TS_HOOK_omode:
    case TS_HOOK_epollevent:
        return TS_HOOK_STEP_OTHER;
    default:
        break;
    }
    switch (ts_hook_kind_store(kind)) {
    case TS_ARGUMENT_WORD:
        return TS_HOOK_STEP_WORD;
    case TS_ARGUMENT_LONG:
        return TS_HOOK_STEP_LONG;
    case TS_ARGUMENT_TEXT:
        return TS_HOOK_STEP_TEXT;
    case TS_ARGUMENT_BYTES:
    case TS_ARGUMENT_TIMESPEC:
        return TS_HOOK_STEP_OTHER;
    default: /* what the call fills is in its result */
        return TS_HOOK_STEP_NONE;
    }
}

static uint8_t result_of(const struct ts_hook_signature *signature) {
    if (signature->failure != TS_FAILS_MINUS_ONE || signature->records_results ||
        signature->options & (TS_HOOK_CHANGES | TS_HOOK_NO_ERRNO))
        return TS_HOOK_RESULT_OTHER;
    switch (signature->result) {
    case TS_HOOK_int:
        return TS_HOOK_RESULT_INT;
    case TS_HOOK_count:
    case TS_HOOK_pid:
        return TS_HOOK_RESULT_WORD;
    case TS_HOOK_size:
    case TS_HOOK_long:
    case TS_HOOK_offset:
        return TS_HOOK_RESULT_LONG;
    default:
        return TS_HOOK_RESULT_OTHER;
    }
}

void ts_hook_steps_fill(struct ts_hook_steps *steps, const struct ts_hook_signature *signature) {
    uint32_t count = signature->argument_count;
    *steps = (struct ts_hook_steps){.result = result_of(signature)};
    while (count && step_of(signature, signature->arguments[count - 1].kind) == TS_HOOK_STEP_NONE)
        count--;
    for (uint32_t i = 0; i < count; i++)
        steps->arguments[i] = step_of(signature, signature->arguments[i].kind);
}
