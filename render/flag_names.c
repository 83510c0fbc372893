#include "render/flag_names.h"

#include "collector/hook_signature.h"
#include "render/flag_lists.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct flag {
    const char *name;
    uint32_t mask;
    uint32_t value;
};

#define FLAG(name, mask, value) {#name, (uint32_t)(mask), (uint32_t)(value)},
#define END                                                                                                            \
    { NULL, 0, 0 }

static const struct flag open_x86_64[] = {TS_OPEN_FLAGS(FLAG) TS_OPEN_FLAGS_X86_64(FLAG) END};
static const struct flag open_aarch64[] = {TS_OPEN_FLAGS(FLAG) TS_OPEN_FLAGS_AARCH64(FLAG) END};
static const struct flag whence[] = {TS_WHENCE(FLAG) END};
static const struct flag protections[] = {TS_PROTECTIONS(FLAG) END};
static const struct flag map_flags[] = {TS_MAP_FLAGS(FLAG) END};
static const struct flag at_flags[] = {TS_AT_FLAGS(FLAG) END};
static const struct flag access_modes[] = {TS_ACCESS_MODES(FLAG) END};
static const struct flag fcntl_commands[] = {TS_FCNTL_COMMANDS(FLAG) END};
static const struct flag flock_operations[] = {TS_FLOCK_OPERATIONS(FLAG) END};
static const struct flag families[] = {TS_FAMILIES(FLAG) END};
static const struct flag socket_types[] = {TS_SOCKET_TYPES(FLAG) END};
static const struct flag message_flags[] = {TS_MESSAGE_FLAGS(FLAG) END};
static const struct flag socket_options[] = {TS_SOCKET_OPTIONS(FLAG) END};
static const struct flag wait_flags[] = {TS_WAIT_FLAGS(FLAG) END};
static const struct flag load_flags[] = {TS_LOAD_FLAGS(FLAG) END};
static const struct flag epoll_operations[] = {TS_EPOLL_OPERATIONS(FLAG) END};
static const struct flag epoll_flags[] = {TS_EPOLL_FLAGS(FLAG) END};
static const struct flag epoll_events[] = {TS_EPOLL_EVENTS(FLAG) END};
static const struct flag memory_advice[] = {TS_MEMORY_ADVICE(FLAG) END};
static const struct flag file_advice[] = {TS_FILE_ADVICE(FLAG) END};
static const struct flag shutdown_how[] = {TS_SHUTDOWN_HOW(FLAG) END};
static const struct flag signals[] = {TS_SIGNALS(FLAG) END};

/* The kernel's own two, of which glibc keeps the first for itself, come before what programs call SIGRTMIN. */
enum { SIGNAL_RT_MIN = 34, SIGNAL_RT_MAX = 64 };

static const struct flag *flags_of(uint32_t kind, uint16_t machine) {
    switch (kind) {
    case TS_HOOK_oflags:
        return machine == EM_AARCH64 ? open_aarch64 : open_x86_64;
    case TS_HOOK_whence:
        return whence;
    case TS_HOOK_prot:
        return protections;
    case TS_HOOK_mapflags:
        return map_flags;
    case TS_HOOK_atflags:
        return at_flags;
    case TS_HOOK_access:
        return access_modes;
    case TS_HOOK_fcntlcmd:
        return fcntl_commands;
    case TS_HOOK_flockop:
        return flock_operations;
    case TS_HOOK_family:
        return families;
    case TS_HOOK_socktype:
        return socket_types;
    case TS_HOOK_msgflags:
        return message_flags;
    case TS_HOOK_sockopt:
        return socket_options;
    case TS_HOOK_waitflags:
        return wait_flags;
    case TS_HOOK_dlflags:
        return load_flags;
    case TS_HOOK_epollop:
        return epoll_operations;
    case TS_HOOK_epollflags:
        return epoll_flags;
    case TS_HOOK_epollevent:
        return epoll_events;
    case TS_HOOK_advice:
        return memory_advice;
    case TS_HOOK_fadvice:
        return file_advice;
    case TS_HOOK_shutdown:
        return shutdown_how;
    case TS_HOOK_signal:
        return signals;
    default:
        return NULL;
    }
}

/* Appends at text[used]; cuts at the end. Returns the new length. */
static size_t append(char *text, size_t used, const char *separator, const char *name) {
    int bytes = snprintf(text + used, TS_FLAG_NAMES_BYTES - used, "%s%s", separator, name);
    used += bytes > 0 ? (size_t)bytes : 0;
    return used < TS_FLAG_NAMES_BYTES ? used : TS_FLAG_NAMES_BYTES - 1;
}

static void write_flags(char *text, const struct flag *flag, uint32_t value) {
    uint32_t rest = value;
    size_t used = 0;
    for (; flag->name; flag++) {
        if ((rest & flag->mask) != flag->value || (used && flag->value == 0))
            continue;
        used = append(text, used, used ? "|" : "", flag->name);
        rest &= ~flag->value;
        if (flag->mask == UINT32_MAX)
            return;
    }
    /* In a list of alternatives a number says more in decimal. */
    const char *format = flag[-1].mask == UINT32_MAX || rest == 0 ? "%" PRId32 : "0x%" PRIx32;
    char number[24];
    snprintf(number, sizeof number, format, rest);
    if (used == 0 || rest)
        append(text, used, used ? "|" : "", number);
}

void ts_flag_signal(char *text, uint32_t signal) {
    if (signal == SIGNAL_RT_MIN)
        strcpy(text, "SIGRTMIN");
    else if (signal > SIGNAL_RT_MIN && signal <= SIGNAL_RT_MAX)
        snprintf(text, TS_FLAG_NAMES_BYTES, "SIGRTMIN+%" PRIu32, signal - SIGNAL_RT_MIN);
    else
        write_flags(text, signals, signal);
}

int ts_flag_names(char *text, uint32_t kind, uint32_t value, uint16_t machine) {
    const struct flag *flags = flags_of(kind, machine);
    if (!flags)
        return -1;
    if (flags == signals)
        ts_flag_signal(text, value);
    else
        write_flags(text, flags, value);
    return 0;
}
