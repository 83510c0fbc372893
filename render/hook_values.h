/*
 * The values that a hooked call's records carry (collector/hook_signature.h, enum ts_argument_store), as attributes for
 * people. How each kind looks:
 *
 *     path='/etc/passwd' name='…cut text…'   what goes on ends with `…`; a null pointer is None; `unreadable` without
 *                                            quotes: the pointer led nowhere
 *     flags=O_RDONLY|O_CLOEXEC whence=SEEK_SET signal=SIGTERM dirfd=AT_FDCWD mode=0644 address=0x7f001000
 *     fd=3 fd.path='/etc/passwd'             what the descriptor refers to, where the trace tells: fd.path (as the
 *                                            kernel names it, or as the call that opened it did), fd.peer
 *                                            ('127.0.0.1:80': a connected socket), fd.local (one that is bound), or
 *                                            fd.type ('pipe', 'socket', 'eventfd')
 *     addr='127.0.0.1:80'                    socket_address.h
 *     timeout=100.00 ms                      times of any unit are durations; no limit (a null pointer, or negative
 *                                            milliseconds) is None
 *     exit=3  signal=SIGKILL core=True  stopped=SIGSTOP  continued=True       a wait status
 *     result=42                              what the call returned, where its signature says that this is of interest;
 *                                            not where it failed, nor a 0 that only says that it did not (kinds int and
 *                                            bool where there is a failure rule, and times), nor a FILE
 *
 * Nothing in a record is trusted: at a value that does not fit into it, decoding ends.
 */
#ifndef TRACESHIM_RENDER_HOOK_VALUES_H
#define TRACESHIM_RENDER_HOOK_VALUES_H

#include "render/attribute.h"
#include "render/descriptors.h"
#include "render/hooked.h"

struct ts_hook_values {
    /* Takes each attribute. Its key lives as long as the function, its value until this returns. */
    void (*tell)(void *context, const struct ts_attribute *attribute);
    void *context;
    const struct ts_descriptors *descriptors;
    uint16_t machine; /* ELF e_machine of the program */
    char *text;       /* TS_HOOK_VALUES_TEXT_BYTES of room */
};

/* The longest text that a record's value can be, `…` and a NUL. */
#define TS_HOOK_VALUES_TEXT_BYTES (0xffff + sizeof "…")

/* Tells the arguments of a call from the words [at, end) behind the struct of its ENTER_WIDE. */
void ts_hook_values_tell_arguments(struct ts_hook_values *values, const struct ts_hooked *hooked, const uint32_t *at,
                                   const uint32_t *end);

/*
 * The path that a call was given, whole, when it is one of those that return a descriptor for it; NULL: none. It lies
 * in the record's words.
 */
const char *ts_hook_values_opened_path(const struct ts_hooked *hooked, const uint32_t *at, const uint32_t *end,
                                       size_t *bytes);

/*
 * Tells what a call that did not fail has filled, from the words [at, end) behind the struct of its RESULT, and what
 * it returned: `value`, the whole register.
 */
void ts_hook_values_tell_results(struct ts_hook_values *values, const struct ts_hooked *hooked, uint64_t value,
                                 const uint32_t *at, const uint32_t *end);

#endif
