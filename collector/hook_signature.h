/*
 * The signature of a hooked function: what of its arguments is recorded, and when it has failed. Written as
 *
 *     path:path flags:oflags mode:omode          arguments in order, name:kind (hook_kinds.def); trailing ones that
 *                                                are of no interest may be left out, `...` says that variadic ones
 *     fd|-1                                      result kind, `|`, failure rule; either may be left out (`fd`, `-1`);
 *                                                nothing: no result is recorded, and no call fails
 *
 * and in TRACE_HOOKS and HOOK records as one text: open(path:path flags:oflags mode:omode)=fd|-1
 *
 * Names are letters, digits, `_` and `.`, and differ (those that are not recorded need not). An address is followed by
 * its `length`; an omode needs oflags before it. A result is a number or a pointer.
 *
 * Failure rules:      -1       the call returns -1 and sets errno
 *                     null     it returns a null pointer and sets errno
 *                     <0       it returns a negative number and sets errno
 *                     errno    it returns an errno, 0 when it has not failed (pthread_*)
 *                     !=0      it returns a code of its own, 0 when it has not failed
 *                     nonzero  it returns non-zero and sets errno
 *                     eof      it returns EOF (-1) and sets errno
 *                     a,b,c    it returns one of its own codes that is not among these (sqlite3: 0,100,101)
 *                     <=0      it returns 0 or a negative number, errno says nothing (SSL_*)
 * A rule without a kind takes the result for a pointer (null) or an int (all others).
 *
 * Options after the rule, separated by spaces:
 *     stack=N     the call has N bytes of arguments on the stack (x86-64; with more argument registers it is the most
 *                 that it has); not given: not known, a window is copied
 *     noreturn    it does not come back: only its entry is recorded
 *     cancel      it is a cancellation point
 *     changes     what its descriptors refer to is another thing afterwards: it closes, replaces or connects them
 *     noerrno     a failed call leaves nothing in errno, whatever the rule says of it
 *     try=SYMBOL  what does the same without waiting, to be called first: when it returns 0, or with rule `errno` also
 *                 EOWNERDEAD, that was the call; else errno is put back and the call itself decides (EBUSY, EDEADLK,
 *                 EINVAL, ... of a try are reasons, not results). Where `cancel` stands too, pthread_testcancel comes
 *                 before the try, which is no cancellation point
 *     label=TEXT  what the call is about: an attribute
 *
 * Pure functions: no memory but the caller's, no system call; used inside the traced program and by the renderer.
 */
#ifndef TRACESHIM_COLLECTOR_HOOK_SIGNATURE_H
#define TRACESHIM_COLLECTOR_HOOK_SIGNATURE_H

#include <stddef.h>
#include <stdint.h>

enum ts_hook_kind {
#define KIND(name, store, type, meaning) TS_HOOK_##name,
#include "collector/hook_kinds.def"
#undef KIND
    TS_HOOK_KINDS
};

/*
 * How a value stands in an ENTER_WIDE record (arguments) or a RESULT record (those that the call fills: *_OUT), one
 * after the other, in words of 4 bytes.
 */
enum ts_argument_store {
    TS_ARGUMENT_NONE,
    TS_ARGUMENT_WORD,      /* 1 word */
    TS_ARGUMENT_LONG,      /* 2 words, low first */
    TS_ARGUMENT_TEXT,      /* 1 word: enum ts_argument_text and bytes; then the bytes without NUL, padded with zeros */
    TS_ARGUMENT_BYTES,     /* as TEXT; any bytes */
    TS_ARGUMENT_TIMESPEC,  /* 2 words: nanoseconds, low first; UINT64_MAX: null or unreadable */
    TS_ARGUMENT_WORD_OUT,  /* 1 word */
    TS_ARGUMENT_BYTES_OUT, /* as BYTES */
    TS_ARGUMENT_FDS_OUT,   /* 2 words */
};

/* The word before a text's bytes: their number, and */
enum ts_argument_text {
    TS_ARGUMENT_TEXT_BYTES = 0xffff,       /* (mask of the number) */
    TS_ARGUMENT_TEXT_CUT = 0x10000,        /* the text goes on */
    TS_ARGUMENT_TEXT_NULL = 0x20000,       /* the pointer was null */
    TS_ARGUMENT_TEXT_UNREADABLE = 0x40000, /* it pointed to what cannot be read */
};
/* An omode that was not passed, a FILE or DIR without a descriptor, an epoll_event that is not there. */
#define TS_ARGUMENT_ABSENT UINT32_MAX

enum ts_hook_failure {
    TS_FAILS_NEVER,
    TS_FAILS_MINUS_ONE, /* 32 or 64 bits, by the result's kind; errno */
    TS_FAILS_NULL,      /* errno */
    TS_FAILS_NEGATIVE,  /* errno */
    TS_FAILS_ERRNO,     /* the result is the errno */
    TS_FAILS_NONZERO_ERRNO,
    TS_FAILS_EOF,
    TS_FAILS_NONZERO, /* the result is a code of its own */
    TS_FAILS_NOT_POSITIVE,
    TS_FAILS_NOT_AMONG, /* `codes` */
};

enum ts_hook_options {
    TS_HOOK_NORETURN = 1, /* only its entry is recorded */
    TS_HOOK_CANCEL = 2,   /* a cancellation point */
    TS_HOOK_VARIADIC = 4, /* `...`, or an omode */
    TS_HOOK_STACK = 8,    /* stack_bytes holds */
    TS_HOOK_NO_ERRNO = 16,
    TS_HOOK_CHANGES = 32, /* what its descriptors refer to */
};

#define TS_HOOK_ARGUMENTS_MOST 16
#define TS_HOOK_CODES_MOST 8
#define TS_HOOK_STACK_MOST 16384

struct ts_hook_argument {
    uint16_t name; /* offset into the text */
    uint16_t name_bytes;
    uint8_t kind; /* enum ts_hook_kind */
};

struct ts_hook_signature {
    struct ts_hook_argument arguments[TS_HOOK_ARGUMENTS_MOST];
    uint32_t argument_count;
    int32_t result; /* enum ts_hook_kind; -1: not recorded */
    uint32_t failure;
    uint32_t options;
    uint32_t stack_bytes;
    uint32_t code_count;
    int32_t codes[TS_HOOK_CODES_MOST];
    uint16_t label; /* offset into the text; 0 bytes: none */
    uint16_t label_bytes;
    uint16_t try_symbol; /* offset into the text; 0 bytes: none */
    uint16_t try_symbol_bytes;
    uint8_t records_arguments; /* some argument has a store that is written at entry */
    uint8_t records_results;   /* some argument is filled by the call */
};

/*
 * Parses `text` (`(...)=...`, from the parenthesis on, or from the `=`; `length` bytes, a NUL is a byte like any
 * other). Returns 0, or -1 and in *problem what is wrong, a constant of a few words ("unknown kind"), and in *at where
 * in the text (at most `length`); *signature then holds no promise. Async-signal-safe.
 */
int ts_hook_signature_parse(struct ts_hook_signature *signature, const char *text, size_t length, const char **problem,
                            size_t *at);

/* What the C type of a kind's values is. */
enum ts_hook_type {
    TS_HOOK_TYPE_ANY,
    TS_HOOK_TYPE_INT,      /* 4 bytes */
    TS_HOOK_TYPE_LONG,     /* 8 bytes */
    TS_HOOK_TYPE_POINTER,  /* 8 bytes */
    TS_HOOK_TYPE_VARIADIC, /* 4 bytes, behind the `...` of the prototype */
};

/* Of a number that is no kind: TS_ARGUMENT_NONE, TS_HOOK_TYPE_ANY, "?", "". */
enum ts_argument_store ts_hook_kind_store(uint32_t kind);
enum ts_hook_type ts_hook_kind_type(uint32_t kind);
const char *ts_hook_kind_name(uint32_t kind);
const char *ts_hook_kind_meaning(uint32_t kind);

/* Whether a call that returned `value` (the whole register) has failed; the rule alone, errno does not count. */
int ts_hook_has_failed(const struct ts_hook_signature *signature, uint64_t value);

/* The errno that says why a call that returned `value` has failed, `now` being errno then; 0: there is none. */
uint32_t ts_hook_failure_errno(const struct ts_hook_signature *signature, uint64_t value, uint32_t now);

/* The result as its C type has it: of 32-bit kinds the upper half, which a call leaves undefined, is the sign's. */
int64_t ts_hook_result_value(const struct ts_hook_signature *signature, uint64_t value);

#endif
