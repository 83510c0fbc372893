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

struct words {
    uint32_t *at;
    uint32_t used;
};

static uint32_t left(const struct words *words) {
    return TS_VALUES_MOST - words->used;
}

static void put(struct words *words, uint32_t value) {
    if (left(words))
        words->at[words->used++] = value;
}

static void put_long(struct words *words, uint64_t value) {
    put(words, (uint32_t)value);
    put(words, (uint32_t)(value >> 32));
}

static uint64_t argument(const struct ts_hook_registers *registers, const struct ts_hook_frame *frame, uint32_t index) {
    return index < TS_HOOK_REGISTER_ARGUMENTS ? registers->arguments[index]
                                              : frame->stack_arguments[index - TS_HOOK_REGISTER_ARGUMENTS];
}

static void put_text(struct words *words, const char *text) {
    uint32_t *head = &words->at[words->used];
    if (left(words) < 2)
        return;
    put(words, text ? 0 : TS_ARGUMENT_TEXT_NULL);
    if (!text)
        return;
    uint8_t *to = (uint8_t *)&words->at[words->used];
    uint64_t start = (uint64_t)text, at = start, most = left(words) * 4u;
    uint8_t last = 1;
    struct ts_readable readable = {0};
    do {
        if (!ts_readable_byte(&readable, at)) {
            *head = TS_ARGUMENT_TEXT_UNREADABLE;
            return;
        }
        /* One byte more than there is room for tells whether the text goes on. */
        uint64_t end = readable.high - start <= most ? readable.high : start + most + 1;
        for (; at < end && (last = *(const uint8_t *)at); at++)
            if (at - start < most)
                to[at - start] = last;
    } while (last && at - start <= most);
    uint32_t count = at - start <= most ? (uint32_t)(at - start) : (uint32_t)most;
    *head = count | (last ? TS_ARGUMENT_TEXT_CUT : 0);
    words->used += (count + 3) / 4;
    for (; count % 4; count++)
        to[count] = 0;
}

static void put_bytes(struct words *words, uint64_t address, uint64_t bytes) {
    if (left(words) < 1 + ADDRESS_MOST / 4)
        return;
    if (!address || !bytes) {
        put(words, TS_ARGUMENT_TEXT_NULL);
        return;
    }
    uint32_t count = bytes < ADDRESS_MOST ? (uint32_t)bytes : ADDRESS_MOST;
    if (!ts_readable_range(address, count)) {
        put(words, TS_ARGUMENT_TEXT_UNREADABLE);
        return;
    }
    put(words, count);
    uint8_t *to = (uint8_t *)&words->at[words->used];
    for (uint32_t i = 0; i < ((count + 3) & ~3u); i++)
        to[i] = i < count ? ((const uint8_t *)address)[i] : 0;
    words->used += (count + 3) / 4;
}

static void put_duration(struct words *words, uint64_t address, uint64_t fraction_ns) {
    if (!address || !ts_readable_range(address, 16)) {
        put_long(words, UINT64_MAX);
        return;
    }
    const int64_t *value = (const int64_t *)address; /* struct timespec and timeval: two longs */
    put_long(words, (uint64_t)value[0] * 1000000000u + (uint64_t)value[1] * fraction_ns);
}

static void put_descriptor(struct words *words, int fd) {
    ts_descriptors_describe(fd);
    put(words, fd < 0 && fd != AT_FDCWD ? TS_ARGUMENT_ABSENT : (uint32_t)fd);
}

static void put_changed(struct words *words, const struct ts_hook_signature *signature, int fd) {
    put_descriptor(words, fd);
    if (signature->options & TS_HOOK_CHANGES)
        ts_descriptors_changed(fd);
}

/* Whether open was given a mode, by the flags that come before it. */
static int has_mode(uint64_t flags) {
    return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE;
}

static void put_argument(struct words *words, const struct ts_hook_signature *signature, uint32_t index,
                         const struct ts_hook_registers *registers, const struct ts_hook_frame *frame) {
    uint64_t value = argument(registers, frame, index);
    switch (signature->arguments[index].kind) {
    case TS_HOOK_fd:
    case TS_HOOK_dirfd:
        put_changed(words, signature, (int)value);
        return;
    case TS_HOOK_file:
        put_changed(words, signature, value ? ts_descriptors_of_file((void *)value) : -1);
        return;
    case TS_HOOK_dir:
        put_changed(words, signature, value ? ts_descriptors_of_directory((void *)value) : -1);
        return;
    case TS_HOOK_omode:
        put(words, index && has_mode(argument(registers, frame, index - 1)) ? (uint32_t)value : TS_ARGUMENT_ABSENT);
        return;
    case TS_HOOK_epollevent: /* its first word, on all machines */
        put(words, value && ts_readable_range(value, 4) ? *(const uint32_t *)value : TS_ARGUMENT_ABSENT);
        return;
    case TS_HOOK_timespec:
        put_duration(words, value, 1);
        return;
    case TS_HOOK_timeval:
        put_duration(words, value, 1000);
        return;
    default:
        break;
    }
    switch (ts_hook_kind_store(signature->arguments[index].kind)) {
    case TS_ARGUMENT_WORD:
        put(words, (uint32_t)value);
        break;
    case TS_ARGUMENT_LONG:
        put_long(words, value);
        break;
    case TS_ARGUMENT_TEXT:
        put_text(words, (const char *)value);
        break;
    case TS_ARGUMENT_BYTES:
        put_bytes(words, value, (uint32_t)argument(registers, frame, index + 1));
        break;
    default:
        break;
    }
}

TS_HOT uint32_t ts_hook_values_of_arguments(const struct ts_hook_steps *steps,
                                            const struct ts_hook_signature *signature,
                                            const struct ts_hook_registers *registers,
                                            const struct ts_hook_frame *frame, uint32_t *at, uint32_t used) {
    struct words words = {at, used};
    for (uint32_t i = 0; steps->arguments[i]; i++) {
        uint64_t value = argument(registers, frame, i);
        switch (steps->arguments[i]) {
        case TS_HOOK_STEP_NONE:
            break;
        case TS_HOOK_STEP_WORD:
            put(&words, (uint32_t)value);
            break;
        case TS_HOOK_STEP_LONG:
            put_long(&words, value);
            break;
        case TS_HOOK_STEP_TEXT:
            put_text(&words, (const char *)value);
            break;
        case TS_HOOK_STEP_DESCRIPTOR:
            put_descriptor(&words, (int)value);
            break;
        default:
            put_argument(&words, signature, i, registers, frame);
            break;
        }
    }
    return words.used;
}

static void put_filled(struct words *words, uint32_t kind, uint64_t value, uint64_t next) {
    uint32_t bytes = 0;
    switch (ts_hook_kind_store(kind)) {
    case TS_ARGUMENT_WORD_OUT:
        put(words, value && ts_readable_range(value, 4) ? *(const uint32_t *)value : TS_ARGUMENT_ABSENT);
        break;
    case TS_ARGUMENT_FDS_OUT:
        if (value && ts_readable_range(value, 8)) {
            for (int i = 0; i < 2; i++) {
                ts_descriptors_changed(((const int *)value)[i]);
                put(words, ((const uint32_t *)value)[i]);
            }
        } else {
            put_long(words, UINT64_MAX);
        }
        break;
    case TS_ARGUMENT_BYTES_OUT:
        if (next && ts_readable_range(next, sizeof bytes))
            bytes = *(const socklen_t *)next;
        put_bytes(words, value, bytes);
        break;
    default:
        break;
    }
}

static uint32_t error_of(const struct ts_hook_signature *signature, uint64_t result) {
    if (!ts_hook_has_failed(signature, result))
        return 0;
    return TS_RESULT_FAILED | (ts_hook_failure_errno(signature, result, (uint32_t)errno) & TS_RESULT_ERRNO);
}

TS_HOT uint32_t ts_hook_values_of_number(uint32_t step, uint64_t result, uint32_t *at) {
    int64_t value = step == TS_HOOK_RESULT_LONG ? (int64_t)result : (int32_t)result;
    int failed = value == -1;
    if (step == TS_HOOK_RESULT_INT && !value)
        return 0;
    at[0] = failed ? TS_RESULT_FAILED | ((uint32_t)errno & TS_RESULT_ERRNO) : 0;
    at[1] = (uint32_t)value;
    at[2] = (uint32_t)((uint64_t)value >> 32);
    return 3;
}

uint32_t ts_hook_values_of_result(const struct ts_hook_signature *signature, const struct ts_hook_registers *registers,
                                  const struct ts_hook_frame *frame, uint64_t result, uint32_t *at) {
    struct words words = {at, 0};
    uint32_t error = error_of(signature, result);
    int64_t value = ts_hook_result_value(signature, result);
    if (!error && value && signature->result == TS_HOOK_file)
        value = ts_descriptors_of_file((void *)result);
    else if (!error && value && signature->result == TS_HOOK_dir)
        value = ts_descriptors_of_directory((void *)result);
    ts_descriptors_after(signature, registers, error ? -1 : value);
    /* An int of 0 says nothing but that the call has not failed. */
    if (!error && !signature->records_results &&
        (signature->result < 0 || (signature->result == TS_HOOK_int && value == 0)))
        return 0;
    put(&words, error);
    put_long(&words, (uint64_t)value);
    for (uint32_t i = 0; !error && signature->records_results && i < signature->argument_count; i++)
        put_filled(&words, signature->arguments[i].kind, argument(registers, frame, i),
                   i + 1 < TS_HOOK_REGISTER_ARGUMENTS ? argument(registers, frame, i + 1) : 0);
    return words.used;
}
