/*
 * What is known of addresses in an object: what its file tells, or, where that is gone or another, what an earlier
 * rendering kept (kept_names.h). Not for several threads at once: functions.c, whose part this is, takes the turns.
 * `object` may be NULL: nothing is known of it, and nothing missing.
 */
#ifndef TRACESHIM_RENDER_OBJECT_NAMES_H
#define TRACESHIM_RENDER_OBJECT_NAMES_H

#include "render/functions.h"
#include "render/symbols.h"

enum ts_told {
    TS_TOLD,
    TS_TOLD_NONE, /* it is known that there is none */
    TS_NOT_TOLD   /* it cannot be known without the file */
};

/* The name of the function that covers the address, as in the symbol table. */
enum ts_told ts_object_name(struct ts_object *object, uint64_t address, const char **linkage_name);
/* Where that function begins, by symbols or the unwind table. */
enum ts_told ts_object_start(struct ts_object *object, uint64_t address, uint64_t *start);
/* Its source position. */
enum ts_told ts_object_source(struct ts_object *object, uint64_t address, struct ts_source *source);
/* The source position of the instruction. */
enum ts_told ts_object_row(struct ts_object *object, uint64_t address, struct ts_source *source);
/* As ts_symbols_inlined. Whether that is known for the address is known with ts_object_start. */
size_t ts_object_inlined_at(struct ts_object *object, uint64_t address, const char **names, size_t most);

enum ts_expected { TS_EXPECTED_NAMES, TS_EXPECTED_LINES };

/* Where the answer was not told, that is the object's problem from now on; missing names outweigh missing lines. */
void ts_object_expect(struct ts_object *object, enum ts_told told, enum ts_expected expected);

#endif
