/* How a call failed. */
#ifndef TRACESHIM_RENDER_FAILURE_H
#define TRACESHIM_RENDER_FAILURE_H

#include "render/attribute.h"
#include "render/hooked.h"

struct ts_failure {
    const char *name;      /* `ENOENT`, `exception`; NULL: there is only a code. Lives for ever, as the message */
    const char *message;   /* for people; NULL: none */
    uint32_t error_number; /* errno; 0: it says nothing */
    int64_t code;          /* where there is no name: what the call returned, or an errno that has none */
    /*
     * Of an exception that the recorder knew more of; else NULL. The call's attributes say it too. Only until the sink
     * returns.
     */
    const char *exception_type;
    const char *exception_message;
};

/* The call was left by an exception. */
extern const struct ts_failure ts_failure_exception;
static inline bool ts_failure_is_exception(const struct ts_failure *failure) {
    return failure->name == ts_failure_exception.name;
}

/* From a RESULT record of a failed call: its `error` and `value`. `hooked` NULL: nothing is known of the function. */
struct ts_failure ts_failure_of_result(const struct ts_hooked *hooked, uint32_t error, uint64_t value);

/* `error='ENOENT'`, or `error=5`, a code of the function's own. */
struct ts_attribute ts_failure_attribute(const struct ts_failure *failure);

#endif
