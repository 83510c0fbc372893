#include "render/failure.h"

#include "collector/trace_format.h"

#include <string.h>

const struct ts_failure ts_failure_exception = {.name = "exception", .message = "left by a C++ exception"};

/* Linux numbers its errors alike on x86-64 and aarch64 (asm-generic), so the names of this machine's libc hold. */
struct ts_failure ts_failure_of_result(const struct ts_hooked *hooked, uint32_t error, uint64_t value) {
    uint32_t number = error & TS_RESULT_ERRNO;
    if (number)
        return (struct ts_failure){.name = strerrorname_np((int)number),
                                   .message = strerrordesc_np((int)number),
                                   .error_number = number,
                                   .code = number};
    if (hooked && hooked->parsed.failure == TS_FAILS_NULL)
        return (struct ts_failure){.name = "null", .message = "returned a null pointer"};
    return (struct ts_failure){.code = hooked ? ts_hook_result_value(&hooked->parsed, value) : (int64_t)value};
}

struct ts_attribute ts_failure_attribute(const struct ts_failure *failure) {
    struct ts_attribute attribute = {.key = "error", .value = {.kind = TS_VALUE_INTEGER, .integer = failure->code}};
    if (failure->name)
        attribute.value = (struct ts_value){.kind = TS_VALUE_STRING, .string = failure->name};
    return attribute;
}
