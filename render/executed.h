/* How often code was executed, as the traces of a session tell: counts by address in each object, all processes added.
 */
#ifndef TRACESHIM_RENDER_EXECUTED_H
#define TRACESHIM_RENDER_EXECUTED_H

#include "render/session.h"

#include <stdbool.h>

/* Of the one callback that returns to an address in [address, address + bytes) of the object's file. */
struct ts_executed_place {
    struct ts_object *object;
    uint64_t address;
    uint64_t count;
    uint32_t bytes;
};

/* Of a switch: a value of a case, or the default. */
struct ts_executed_case {
    struct ts_object *object;
    uint64_t address;
    uint64_t value;
    bool is_default;
    uint64_t count;
};

/* Operands of a comparison as their bits; `bytes` each. */
struct ts_executed_pair {
    struct ts_object *object;
    uint64_t address;
    uint64_t left;
    uint64_t right;
    uint32_t bytes;
    bool is_float;
    bool is_others; /* all pairs that were not kept */
    uint64_t count;
};

struct ts_executed { /* each sorted by object and address, each thing once; counts above 0 but for cases */
    struct ts_executed_place *places;
    size_t place_count;
    size_t place_capacity;
    struct ts_executed_case *cases;
    size_t case_count;
    size_t case_capacity;
    struct ts_executed_pair *pairs;
    size_t pair_count;
    size_t pair_capacity;
};

/* 0, or -1 and the error when a trace cannot be read. */
int ts_executed_read(struct ts_executed *executed, const struct ts_session *session, struct ts_error *error);
void ts_executed_free(struct ts_executed *executed);

/* Number of the first place of the object at or behind `address`; place_count, or one of another object, for none. */
size_t ts_executed_first(const struct ts_executed *executed, const struct ts_object *object, uint64_t address);

/* How often the callback that returns to `address` was called. */
uint64_t ts_executed_at(const struct ts_executed *executed, const struct ts_object *object, uint64_t address);

#endif
