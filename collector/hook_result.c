#include "collector/hook_signature.h"

int64_t ts_hook_result_value(const struct ts_hook_signature *signature, uint64_t value) {
    if (signature->result < 0)
        return signature->failure == TS_FAILS_NULL ? (int64_t)value : (int32_t)value;
    if (ts_hook_kind_type((uint32_t)signature->result) != TS_HOOK_TYPE_INT)
        return (int64_t)value;
    switch (signature->result) {
    case TS_HOOK_uint:
    case TS_HOOK_mode:
    case TS_HOOK_seconds:
    case TS_HOOK_us:
        return (uint32_t)value;
    default:
        return (int32_t)value;
    }
}

int ts_hook_has_failed(const struct ts_hook_signature *signature, uint64_t value) {
    int64_t result = ts_hook_result_value(signature, value);
    switch (signature->failure) {
    case TS_FAILS_MINUS_ONE:
        return result == -1 ||
               (result == UINT32_MAX && ts_hook_kind_type((uint32_t)signature->result) == TS_HOOK_TYPE_INT);
    case TS_FAILS_EOF:
        return (int32_t)result == -1;
    case TS_FAILS_NULL:
        return result == 0;
    case TS_FAILS_NEGATIVE:
        return result < 0;
    case TS_FAILS_ERRNO:
    case TS_FAILS_NONZERO_ERRNO:
    case TS_FAILS_NONZERO:
        return result != 0;
    case TS_FAILS_NOT_POSITIVE:
        return result <= 0;
    case TS_FAILS_NOT_AMONG:
        for (uint32_t i = 0; i < signature->code_count; i++)
            if (signature->codes[i] == result)
                return 0;
        return 1;
    default:
        return 0;
    }
}

uint32_t ts_hook_failure_errno(const struct ts_hook_signature *signature, uint64_t value, uint32_t now) {
    switch (signature->failure) {
    case TS_FAILS_ERRNO:
        return (uint32_t)value;
    case TS_FAILS_MINUS_ONE:
    case TS_FAILS_NULL:
    case TS_FAILS_NEGATIVE:
    case TS_FAILS_NONZERO_ERRNO:
    case TS_FAILS_EOF:
        return signature->options & TS_HOOK_NO_ERRNO ? 0 : now;
    default:
        return 0;
    }
}
