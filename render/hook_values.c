#include "render/hook_values.h"

#include "render/flag_names.h"
#include "render/memory.h"
#include "render/socket_address.h"
#include "render/utf8.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

static_assert(TS_ARGUMENT_TEXT_BYTES == 0xffff, "TS_HOOK_VALUES_TEXT_BYTES");
static_assert(TS_HOOK_VALUES_TEXT_BYTES >= TS_FLAG_NAMES_BYTES, "names are written there too");
static_assert(TS_HOOK_VALUES_TEXT_BYTES >= TS_SOCKET_ADDRESS_BYTES, "addresses are written there too");

enum { AT_FDCWD_OF_LINUX = -100, SOL_SOCKET_OF_LINUX = 1 };

/* A value as it stands in a record. */
struct raw {
    uint64_t number;   /* of every store but TEXT and BYTES; of those the word before the bytes */
    const char *bytes; /* not terminated */
    size_t byte_count;
};

static uint64_t two_words(const uint32_t *at) {
    return (uint64_t)at[1] << 32 | at[0];
}

/* Takes the next value. Returns -1 when the record does not hold it. */
static int take(const uint32_t **at, const uint32_t *end, enum ts_argument_store store, struct raw *raw) {
    size_t left = (size_t)(end - *at);
    size_t words = 1;
    if (left < 1)
        return -1;
    raw->number = **at;
    switch (store) {
    case TS_ARGUMENT_WORD:
    case TS_ARGUMENT_WORD_OUT:
        break;
    case TS_ARGUMENT_LONG:
    case TS_ARGUMENT_TIMESPEC:
    case TS_ARGUMENT_FDS_OUT:
        words = 2;
        if (left < words)
            return -1;
        raw->number = two_words(*at);
        break;
    case TS_ARGUMENT_TEXT:
    case TS_ARGUMENT_BYTES:
    case TS_ARGUMENT_BYTES_OUT:
        raw->bytes = (const char *)(*at + 1);
        raw->byte_count = raw->number & TS_ARGUMENT_TEXT_BYTES;
        words = 1 + (raw->byte_count + 3) / 4;
        if (left < words)
            return -1;
        break;
    case TS_ARGUMENT_NONE:
        return -1;
    }
    *at += words;
    return 0;
}

static void tell(struct ts_hook_values *values, const char *key, struct ts_value value) {
    struct ts_attribute attribute = {.key = key, .value = value};
    values->tell(values->context, &attribute);
}

static void tell_integer(struct ts_hook_values *values, const char *key, int64_t integer) {
    tell(values, key, (struct ts_value){.kind = TS_VALUE_INTEGER, .integer = integer});
}

static void tell_unsigned(struct ts_hook_values *values, const char *key, uint64_t number) {
    tell(values, key, (struct ts_value){.kind = TS_VALUE_UNSIGNED, .number = number});
}

static void tell_true(struct ts_hook_values *values, const char *key) {
    tell(values, key, (struct ts_value){.kind = TS_VALUE_BOOLEAN, .boolean = true});
}

static void tell_none(struct ts_hook_values *values, const char *key) {
    tell(values, key, (struct ts_value){.kind = TS_VALUE_NONE});
}

static void tell_word(struct ts_hook_values *values, const char *key, const char *word) {
    tell(values, key, (struct ts_value){.kind = TS_VALUE_WORD, .string = word});
}

static void tell_string(struct ts_hook_values *values, const char *key, const char *string) {
    tell(values, key, (struct ts_value){.kind = TS_VALUE_STRING, .string = string});
}

static void tell_hexadecimal(struct ts_hook_values *values, const char *key, uint64_t number) {
    snprintf(values->text, TS_HOOK_VALUES_TEXT_BYTES, "0x%" PRIx64, number);
    tell_word(values, key, values->text);
}

static void tell_pointer(struct ts_hook_values *values, const char *key, uint64_t number) {
    if (number)
        tell_hexadecimal(values, key, number);
    else
        tell_none(values, key);
}

static void tell_duration(struct ts_hook_values *values, const char *key, uint64_t count, uint64_t unit_ns) {
    struct ts_value value = {.kind = TS_VALUE_DURATION};
    if (__builtin_mul_overflow(count, unit_ns, &value.duration_ns))
        value.duration_ns = UINT64_MAX;
    tell(values, key, value);
}

/* How many of the bytes are whole characters, where the last one may have been cut through. */
static size_t whole_characters(const char *bytes, size_t count) {
    uint32_t character;
    for (size_t back = 1; back <= 3 && back < count; back++) {
        unsigned char byte = (unsigned char)bytes[count - back];
        if (byte >= 0xc0) /* the first of several */
            return ts_utf8_decode(bytes + count - back, back, &character) == back ? count : count - back;
        if (byte < 0x80)
            break;
    }
    return count;
}

/* The bytes as a string in values->text; they end at a NUL, which no text of the recorder holds. */
static void copy_text(struct ts_hook_values *values, const char *bytes, size_t count, int is_cut) {
    count = strnlen(bytes, count);
    if (is_cut)
        count = whole_characters(bytes, count);
    memcpy(values->text, bytes, count);
    strcpy(values->text + count, is_cut ? "…" : "");
}

/* Of TEXT and BYTES: a pointer that led to nothing. Returns 1 when that is told. */
static int tell_missing(struct ts_hook_values *values, const char *key, const struct raw *raw) {
    if (raw->number & TS_ARGUMENT_TEXT_NULL)
        tell_none(values, key);
    else if (raw->number & TS_ARGUMENT_TEXT_UNREADABLE)
        tell_word(values, key, "unreadable");
    else
        return 0;
    return 1;
}

static void tell_text(struct ts_hook_values *values, const char *key, const struct raw *raw) {
    if (tell_missing(values, key, raw))
        return;
    copy_text(values, raw->bytes, raw->byte_count, (raw->number & TS_ARGUMENT_TEXT_CUT) != 0);
    tell_string(values, key, values->text);
}

static void tell_address(struct ts_hook_values *values, const char *key, const struct raw *raw) {
    if (tell_missing(values, key, raw) || raw->byte_count == 0)
        return;
    if (ts_socket_address(values->text, raw->bytes, raw->byte_count) == 0)
        tell_string(values, key, values->text);
    else if (*values->text)
        tell_word(values, key, values->text);
}

/* "pipe:[123]": pipe, "anon_inode:[eventfd]": eventfd, "anon_inode:inotify": inotify. */
static void tell_descriptor_type(struct ts_hook_values *values, const char *key, const struct ts_descriptor *known) {
    static const char anonymous[] = "anon_inode:";
    const char *text = known->text;
    size_t count = known->text_bytes;
    if (count > sizeof anonymous - 1 && memcmp(text, anonymous, sizeof anonymous - 1) == 0) {
        text += sizeof anonymous - 1;
        count -= sizeof anonymous - 1;
        if (count > 2 && text[0] == '[' && text[count - 1] == ']')
            text++, count -= 2;
    } else {
        const char *colon = memchr(text, ':', count);
        count = colon ? (size_t)(colon - text) : count;
    }
    copy_text(values, text, count, 0);
    if (*values->text)
        tell_string(values, key, values->text);
}

static void tell_descriptor(struct ts_hook_values *values, const struct ts_hooked_argument *keys, int32_t fd) {
    struct ts_descriptor known;
    if (fd == AT_FDCWD_OF_LINUX)
        tell_word(values, keys->name, "AT_FDCWD");
    else
        tell_integer(values, keys->name, fd);
    if (!ts_descriptors_find(values->descriptors, fd, &known))
        return;
    if (known.text_bytes > TS_ARGUMENT_TEXT_BYTES)
        known.text_bytes = TS_ARGUMENT_TEXT_BYTES;
    if (ts_socket_address(values->text, known.peer, known.peer_bytes) == 0) {
        tell_string(values, keys->peer, values->text);
    } else if (ts_socket_address(values->text, known.local, known.local_bytes) == 0) {
        tell_string(values, keys->local, values->text);
    } else if (known.is_path) {
        copy_text(values, known.text, known.text_bytes, 0);
        tell_string(values, keys->path, values->text);
    } else {
        tell_descriptor_type(values, keys->type, &known);
    }
}

/* enum ts_hook_kind whose value is a number, but for descriptors. */
static void tell_number(struct ts_hook_values *values, const char *key, uint32_t kind, uint64_t number) {
    switch (kind) {
    case TS_HOOK_uint:
        tell_unsigned(values, key, (uint32_t)number);
        break;
    case TS_HOOK_long:
    case TS_HOOK_offset:
        tell_integer(values, key, (int64_t)number);
        break;
    case TS_HOOK_ulong:
    case TS_HOOK_size:
        tell_unsigned(values, key, number);
        break;
    case TS_HOOK_hex:
        tell_hexadecimal(values, key, number);
        break;
    case TS_HOOK_ptr:
        tell_pointer(values, key, number);
        break;
    case TS_HOOK_bool:
        tell(values, key, (struct ts_value){.kind = TS_VALUE_BOOLEAN, .boolean = (uint32_t)number != 0});
        break;
    case TS_HOOK_mode:
    case TS_HOOK_omode:
        snprintf(values->text, TS_HOOK_VALUES_TEXT_BYTES, (uint32_t)number ? "0%" PRIo32 : "%" PRIo32,
                 (uint32_t)number);
        tell_word(values, key, values->text);
        break;
    case TS_HOOK_ms:
        if ((int32_t)number < 0)
            tell_none(values, key);
        else
            tell_duration(values, key, (uint32_t)number, 1000000);
        break;
    case TS_HOOK_seconds:
        tell_duration(values, key, (uint32_t)number, 1000000000);
        break;
    case TS_HOOK_us:
        tell_duration(values, key, number, 1000);
        break;
    case TS_HOOK_timespec:
    case TS_HOOK_timeval:
        if (number == UINT64_MAX)
            tell_none(values, key);
        else
            tell_duration(values, key, number, 1);
        break;
    default:
        if (ts_flag_names(values->text, kind, (uint32_t)number, values->machine) == 0)
            tell_word(values, key, values->text);
        else
            tell_integer(values, key, (int32_t)number);
    }
}

/* What the flags of one kind mean may hang on the function or on the argument before. */
static void tell_argument(struct ts_hook_values *values, const struct ts_hooked *hooked, uint32_t index,
                          const struct raw *raw, uint64_t before) {
    const struct ts_hooked_argument *keys = &hooked->arguments[index];
    uint32_t kind = hooked->parsed.arguments[index].kind;
    switch (kind) {
    case TS_HOOK_fd:
    case TS_HOOK_dirfd:
        tell_descriptor(values, keys, (int32_t)raw->number);
        break;
    case TS_HOOK_file:
    case TS_HOOK_dir:
        if (raw->number != TS_ARGUMENT_ABSENT)
            tell_descriptor(values, keys, (int32_t)raw->number);
        break;
    case TS_HOOK_omode:
    case TS_HOOK_epollevent:
        if (raw->number != TS_ARGUMENT_ABSENT)
            tell_number(values, keys->name, kind, raw->number);
        break;
    case TS_HOOK_sockopt:
        tell_number(values, keys->name, before == SOL_SOCKET_OF_LINUX ? kind : TS_HOOK_int, raw->number);
        break;
    case TS_HOOK_atflags:
        if (raw->number == 0x200 && strstr(hooked->symbol, "access"))
            tell_word(values, keys->name, "AT_EACCESS");
        else
            tell_number(values, keys->name, kind, raw->number);
        break;
    case TS_HOOK_address:
        tell_address(values, keys->name, raw);
        break;
    default:
        if (ts_hook_kind_store(kind) == TS_ARGUMENT_TEXT)
            tell_text(values, keys->name, raw);
        else
            tell_number(values, keys->name, kind, raw->number);
    }
}

void ts_hook_values_tell_arguments(struct ts_hook_values *values, const struct ts_hooked *hooked, const uint32_t *at,
                                   const uint32_t *end) {
    uint64_t before = 0;
    for (uint32_t i = 0; i < hooked->parsed.argument_count; i++) {
        enum ts_argument_store store = ts_hook_kind_store(hooked->parsed.arguments[i].kind);
        struct raw raw = {0};
        if (store == TS_ARGUMENT_NONE || store >= TS_ARGUMENT_WORD_OUT)
            continue;
        if (take(&at, end, store, &raw) < 0)
            return;
        tell_argument(values, hooked, i, &raw, before);
        before = raw.number;
    }
}

const char *ts_hook_values_opened_path(const struct ts_hooked *hooked, const uint32_t *at, const uint32_t *end,
                                       size_t *bytes) {
    int32_t result = hooked->parsed.result;
    if (result != TS_HOOK_fd && result != TS_HOOK_file && result != TS_HOOK_dir)
        return NULL;
    for (uint32_t i = 0; i < hooked->parsed.argument_count; i++) {
        uint32_t kind = hooked->parsed.arguments[i].kind;
        enum ts_argument_store store = ts_hook_kind_store(kind);
        struct raw raw = {0};
        if (store == TS_ARGUMENT_NONE || store >= TS_ARGUMENT_WORD_OUT)
            continue;
        if (take(&at, end, store, &raw) < 0)
            return NULL;
        *bytes = raw.byte_count;
        if (kind == TS_HOOK_path)
            return raw.number & ~(uint64_t)TS_ARGUMENT_TEXT_BYTES ? NULL : raw.bytes;
    }
    return NULL;
}

/* As wait(2) describes it: <sys/wait.h> would be this machine's, but it is the same on all. */
static void tell_status(struct ts_hook_values *values, uint32_t status) {
    uint32_t signal = status & 0x7f;
    if (status == 0xffff) {
        tell_true(values, "continued");
    } else if ((status & 0xff) == 0x7f) {
        ts_flag_signal(values->text, status >> 8 & 0xff);
        tell_word(values, "stopped", values->text);
    } else if (signal == 0) {
        tell_integer(values, "exit", status >> 8 & 0xff);
    } else {
        ts_flag_signal(values->text, signal);
        tell_word(values, "signal", values->text);
        if (status & 0x80)
            tell_true(values, "core");
    }
}

static void tell_filled(struct ts_hook_values *values, const struct ts_hooked *hooked, uint32_t index,
                        const struct raw *raw, int64_t result) {
    const char *key = hooked->arguments[index].name;
    switch (hooked->parsed.arguments[index].kind) {
    case TS_HOOK_status_out:
        /* wait returned without a child (WNOHANG): nothing was filled. */
        if (raw->number != TS_ARGUMENT_ABSENT && (hooked->parsed.result != TS_HOOK_pid || result > 0))
            tell_status(values, (uint32_t)raw->number);
        break;
    case TS_HOOK_fds_out: {
        const struct ts_value fds[2] = {{.kind = TS_VALUE_INTEGER, .integer = (int32_t)raw->number},
                                        {.kind = TS_VALUE_INTEGER, .integer = (int32_t)(raw->number >> 32)}};
        tell(values, key, (struct ts_value){.kind = TS_VALUE_LIST, .list = {fds, 2}});
        break;
    }
    case TS_HOOK_address_out:
        /* A null pointer is no answer here: the caller did not want to know. */
        if (!(raw->number & TS_ARGUMENT_TEXT_NULL))
            tell_address(values, key, raw);
        break;
    default:
        break;
    }
}

/* See the header: whether the value says something that the absence of an error does not. */
static int is_of_interest(const struct ts_hook_signature *parsed, int64_t value) {
    switch (parsed->result) {
    case TS_HOOK_skip:
    case TS_HOOK_length:
    case TS_HOOK_file: /* the address of a FILE is of no use to anyone */
    case TS_HOOK_dir:
        return 0;
    case TS_HOOK_ms:
    case TS_HOOK_seconds:
    case TS_HOOK_us:
        return value != 0;
    case TS_HOOK_int:
    case TS_HOOK_bool:
        return value != 0 || parsed->failure == TS_FAILS_NEVER;
    default:
        return 1;
    }
}

static void tell_result(struct ts_hook_values *values, const struct ts_hook_signature *parsed, int64_t value) {
    if (parsed->result < 0 || !is_of_interest(parsed, value))
        return;
    enum ts_argument_store store = ts_hook_kind_store((uint32_t)parsed->result);
    if (store == TS_ARGUMENT_WORD || store == TS_ARGUMENT_LONG)
        tell_number(values, "result", (uint32_t)parsed->result, (uint64_t)value);
    else /* the pointer to what an argument of this kind would be */
        tell_pointer(values, "result", (uint64_t)value);
}

void ts_hook_values_tell_results(struct ts_hook_values *values, const struct ts_hooked *hooked, uint64_t value,
                                 const uint32_t *at, const uint32_t *end) {
    int64_t result = ts_hook_result_value(&hooked->parsed, value);
    for (uint32_t i = 0; i < hooked->parsed.argument_count; i++) {
        enum ts_argument_store store = ts_hook_kind_store(hooked->parsed.arguments[i].kind);
        struct raw raw = {0};
        if (store < TS_ARGUMENT_WORD_OUT)
            continue;
        if (take(&at, end, store, &raw) < 0)
            break;
        tell_filled(values, hooked, i, &raw, result);
    }
    tell_result(values, &hooked->parsed, result);
}
