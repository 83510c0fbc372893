#include "preload/hook_values.h"
#include "collector/recorder_hook.h"
#include "collector/system.h"
#include "preload/descriptors.h"
#include "preload/readable.h"
#include "preload/real.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>

#define ADDRESS_MOST 128u

/* Where the next word goes, and where there is no more room. By value: so the compiler keeps them in registers. */
struct words {
    uint32_t *at;
    uint32_t *end;
};

static struct words put(struct words words, uint32_t value) {
    if (words.at < words.end)
        *words.at++ = value;
    return words;
}

static struct words put_long(struct words words, uint64_t value) {
    return put(put(words, (uint32_t)value), (uint32_t)(value >> 32));
}

static uint64_t argument(const struct ts_hook_registers *registers, const struct ts_hook_frame *frame, uint32_t index) {
    return index < TS_HOOK_REGISTER_ARGUMENTS ? registers->arguments[index]
                                              : frame->stack_arguments[index - TS_HOOK_REGISTER_ARGUMENTS];
}

TS_WARM static struct words put_text(struct words words, const char *text) {
    uint32_t *head = words.at;
    if (words.end - words.at < 2)
        return words;
    words = put(words, text ? TS_ARGUMENT_TEXT_UNREADABLE : TS_ARGUMENT_TEXT_NULL);
    if (!text)
        return words;
    uint8_t *to = (uint8_t *)words.at, byte = 1;
    uint64_t start = (uint64_t)text, most = (uint64_t)(words.end - words.at) * 4u, count = 0;
    struct ts_readable readable = {0};
    while (byte && count < most) {
        if (!ts_readable_byte(&readable, start + count))
            return words;
        uint64_t end = readable.high - start < most ? readable.high - start : most;
        for (; count < end && (byte = (uint8_t)text[count]); count++)
            to[count] = byte;
    }
    if (byte) { /* the one behind what there is room for tells whether the text goes on */
        if (!ts_readable_byte(&readable, start + count))
            return words;
        byte = (uint8_t)text[count];
    }
    *head = (uint32_t)count | (byte ? TS_ARGUMENT_TEXT_CUT : 0);
    words.at += (count + 3) / 4;
    for (; count % 4; count++)
        to[count] = 0;
    return words;
}

static struct words put_bytes(struct words words, uint64_t address, uint64_t bytes) {
    uint32_t count = bytes < ADDRESS_MOST ? (uint32_t)bytes : ADDRESS_MOST;
    if ((uint64_t)(words.end - words.at) < 1 + ADDRESS_MOST / 4)
        return words;
    if (!address || !bytes)
        return put(words, TS_ARGUMENT_TEXT_NULL);
    if (!ts_readable_range(address, count))
        return put(words, TS_ARGUMENT_TEXT_UNREADABLE);
    words = put(words, count);
    uint8_t *to = (uint8_t *)words.at;
    for (uint32_t i = 0; i < ((count + 3) & ~3u); i++)
        to[i] = i < count ? ((const uint8_t *)address)[i] : 0;
    words.at += (count + 3) / 4;
    return words;
}

static struct words put_duration(struct words words, uint64_t address, uint64_t fraction_ns) {
    const int64_t *value = (const int64_t *)address; /* struct timespec and timeval: two longs */
    if (!address || !ts_readable_range(address, 16))
        return put_long(words, UINT64_MAX);
    return put_long(words, (uint64_t)value[0] * 1000000000u + (uint64_t)value[1] * fraction_ns);
}

static struct words put_descriptor(struct words words, int fd) {
    ts_descriptors_describe(fd);
    return put(words, fd < 0 && fd != AT_FDCWD ? TS_ARGUMENT_ABSENT : (uint32_t)fd);
}

static struct words put_changed(struct words words, const struct ts_hook_signature *signature, int fd) {
    words = put_descriptor(words, fd);
    if (signature->options & TS_HOOK_CHANGES)
        ts_descriptors_changed(fd);
    return words;
}

/* Whether open was given a mode, by the flags that come before it. */
static int has_mode(uint64_t flags) {
    return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE;
}

__attribute__((noinline)) static struct words put_argument(struct words words,
                                                           const struct ts_hook_signature *signature, uint32_t index,
                                                           const struct ts_hook_registers *registers,
                                                           const struct ts_hook_frame *frame) {
    uint64_t value = argument(registers, frame, index);
    switch (signature->arguments[index].kind) {
    case TS_HOOK_file:
        return put_changed(words, signature, value ? ts_descriptors_of_file((void *)value) : -1);
    case TS_HOOK_dir:
        return put_changed(words, signature, value ? ts_descriptors_of_directory((void *)value) : -1);
    case TS_HOOK_omode:
        return put(words,
                   index && has_mode(argument(registers, frame, index - 1)) ? (uint32_t)value : TS_ARGUMENT_ABSENT);
    case TS_HOOK_epollevent: /* its first word, on all machines */
        return put(words, value && ts_readable_range(value, 4) ? *(const uint32_t *)value : TS_ARGUMENT_ABSENT);
    case TS_HOOK_timespec:
        return put_duration(words, value, 1);
    case TS_HOOK_timeval:
        return put_duration(words, value, 1000);
    default:
        break;
    }
    switch (ts_hook_kind_store(signature->arguments[index].kind)) {
    case TS_ARGUMENT_WORD:
        return put(words, (uint32_t)value);
    case TS_ARGUMENT_LONG:
        return put_long(words, value);
    case TS_ARGUMENT_TEXT:
        return put_text(words, (const char *)value);
    case TS_ARGUMENT_BYTES:
        return put_bytes(words, value, (uint32_t)argument(registers, frame, index + 1));
    default:
        return words;
    }
}

TS_HOT uint32_t ts_hook_values_of_arguments(const struct ts_hook_steps *steps,
                                            const struct ts_hook_signature *signature,
                                            const struct ts_hook_registers *registers,
                                            const struct ts_hook_frame *frame, uint32_t *at, uint32_t used) {
    struct words words = {at + used, at + TS_VALUES_MOST};
    for (uint32_t i = 0; steps->arguments[i]; i++) {
        uint64_t value = argument(registers, frame, i);
        switch (steps->arguments[i]) {
        case TS_HOOK_STEP_NONE:
            break;
        case TS_HOOK_STEP_WORD:
            words = put(words, (uint32_t)value);
            break;
        case TS_HOOK_STEP_LONG:
            words = put_long(words, value);
            break;
        case TS_HOOK_STEP_TEXT:
            words = put_text(words, (const char *)value);
            break;
        case TS_HOOK_STEP_DESCRIPTOR:
        case TS_HOOK_STEP_CHANGED:
            words = put_descriptor(words, (int)value);
            if (steps->arguments[i] == TS_HOOK_STEP_CHANGED)
                ts_descriptors_changed((int)value);
            break;
        default:
            words = put_argument(words, signature, i, registers, frame);
            break;
        }
    }
    return (uint32_t)(words.at - at);
}

static struct words put_filled(struct words words, uint32_t kind, uint64_t value, uint64_t next) {
    uint32_t bytes = 0;
    switch (ts_hook_kind_store(kind)) {
    case TS_ARGUMENT_WORD_OUT:
        return put(words, value && ts_readable_range(value, 4) ? *(const uint32_t *)value : TS_ARGUMENT_ABSENT);
    case TS_ARGUMENT_FDS_OUT:
        if (!value || !ts_readable_range(value, 8))
            return put_long(words, UINT64_MAX);
        for (int i = 0; i < 2; i++) {
            ts_descriptors_changed(((const int *)value)[i]);
            words = put(words, ((const uint32_t *)value)[i]);
        }
        return words;
    case TS_ARGUMENT_BYTES_OUT:
        if (next && ts_readable_range(next, sizeof bytes))
            bytes = *(const socklen_t *)next;
        return put_bytes(words, value, bytes);
    default:
        return words;
    }
}

static uint32_t error_of(const struct ts_hook_signature *signature, uint64_t result) {
    if (!ts_hook_has_failed(signature, result))
        return 0;
    return TS_RESULT_FAILED | (ts_hook_failure_errno(signature, result, (uint32_t)errno) & TS_RESULT_ERRNO);
}

TS_HOT uint32_t ts_hook_values_of_number(const struct ts_hook_steps *steps, const struct ts_hook_registers *registers,
                                         uint64_t result, uint32_t *at) {
    int64_t value = steps->result == TS_HOOK_RESULT_LONG ? (int64_t)result : (int32_t)result;
    int failed = value == -1;
    if (steps->descriptor == TS_HOOK_DESCRIPTOR_MADE && !failed)
        ts_descriptors_made((int)value, steps->path_at);
    else if (steps->descriptor == TS_HOOK_DESCRIPTOR_CHANGED)
        ts_descriptors_changed((int)registers->arguments[0]);
    if (steps->result == TS_HOOK_RESULT_INT && !value)
        return 0;
    at[0] = failed ? TS_RESULT_FAILED | ((uint32_t)errno & TS_RESULT_ERRNO) : 0;
    at[1] = (uint32_t)value;
    at[2] = (uint32_t)((uint64_t)value >> 32);
    return 3;
}

uint32_t ts_hook_values_of_result(const struct ts_hook_steps *steps, const struct ts_hook_signature *signature,
                                  const struct ts_hook_registers *registers, const struct ts_hook_frame *frame,
                                  uint64_t result, uint32_t *at) {
    struct words words = {at, at + TS_VALUES_MOST};
    uint32_t error = error_of(signature, result);
    int64_t value = ts_hook_result_value(signature, result);
    if (!error && value && signature->result == TS_HOOK_file)
        value = ts_descriptors_of_file((void *)result);
    else if (!error && value && signature->result == TS_HOOK_dir)
        value = ts_descriptors_of_directory((void *)result);
    if (!error && value >= 0 && steps->descriptor == TS_HOOK_DESCRIPTOR_MADE)
        ts_descriptors_made((int)value, steps->path_at);
    ts_descriptors_after(signature, registers);
    /* An int of 0 says nothing but that the call has not failed. */
    if (!error && !signature->records_results &&
        (signature->result < 0 || (signature->result == TS_HOOK_int && value == 0)))
        return 0;
    words = put_long(put(words, error), (uint64_t)value);
    for (uint32_t i = 0; !error && signature->records_results && i < signature->argument_count; i++)
        words = put_filled(words, signature->arguments[i].kind, argument(registers, frame, i),
                           i + 1 < TS_HOOK_REGISTER_ARGUMENTS ? argument(registers, frame, i + 1) : 0);
    return (uint32_t)(words.at - at);
}
