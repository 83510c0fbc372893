#include "preload/hook_steps.h"

static uint8_t step_of(const struct ts_hook_signature *signature, uint32_t kind) {
    switch (kind) {
    case TS_HOOK_fd:
    case TS_HOOK_dirfd:
        return signature->options & TS_HOOK_CHANGES ? TS_HOOK_STEP_CHANGED : TS_HOOK_STEP_DESCRIPTOR;
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

/* TS_HOOK_DESCRIPTOR_NONE also where it does what no step says. A stream made of a descriptor (fdopen) is no new one.
 */
static uint8_t descriptor_of(const struct ts_hook_signature *signature) {
    uint32_t numbers = 0, streams = 0;
    for (uint32_t i = 0; i < signature->argument_count; i++) {
        uint32_t kind = signature->arguments[i].kind;
        numbers += kind == TS_HOOK_fd;
        streams += kind == TS_HOOK_file || kind == TS_HOOK_dir;
    }
    int makes_stream = signature->result == TS_HOOK_file || signature->result == TS_HOOK_dir;
    if (signature->result == TS_HOOK_fd || (makes_stream && !numbers))
        return TS_HOOK_DESCRIPTOR_MADE;
    int first_alone = numbers == 1 && !streams && signature->arguments[0].kind == TS_HOOK_fd;
    return signature->options & TS_HOOK_CHANGES && first_alone ? TS_HOOK_DESCRIPTOR_CHANGED : TS_HOOK_DESCRIPTOR_NONE;
}

static uint8_t result_of(const struct ts_hook_signature *signature) {
    if (signature->failure != TS_FAILS_MINUS_ONE || signature->records_results ||
        signature->options & TS_HOOK_NO_ERRNO ||
        (signature->options & TS_HOOK_CHANGES && descriptor_of(signature) != TS_HOOK_DESCRIPTOR_CHANGED))
        return TS_HOOK_RESULT_OTHER;
    switch (signature->result) {
    case TS_HOOK_int:
        return TS_HOOK_RESULT_INT;
    case TS_HOOK_count:
    case TS_HOOK_fd:
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

static uint8_t path_of(const struct ts_hook_signature *signature) {
    uint32_t at = 0;
    for (uint32_t i = 0; i < signature->argument_count; i++) {
        enum ts_argument_store store = ts_hook_kind_store(signature->arguments[i].kind);
        if (signature->arguments[i].kind == TS_HOOK_path)
            return (uint8_t)at;
        if (store != TS_ARGUMENT_NONE && store != TS_ARGUMENT_WORD && store != TS_ARGUMENT_LONG)
            break; /* of any length */
        at += store == TS_ARGUMENT_LONG ? 2 : store == TS_ARGUMENT_WORD;
    }
    return TS_HOOK_NO_PATH;
}

void ts_hook_steps_fill(struct ts_hook_steps *steps, const struct ts_hook_signature *signature) {
    uint32_t count = signature->argument_count;
    *steps = (struct ts_hook_steps){
        .result = result_of(signature), .descriptor = descriptor_of(signature), .path_at = path_of(signature)};
    while (count && step_of(signature, signature->arguments[count - 1].kind) == TS_HOOK_STEP_NONE)
        count--;
    for (uint32_t i = 0; i < count; i++)
        steps->arguments[i] = step_of(signature, signature->arguments[i].kind);
}
