/*
 * What a rendering found out about addresses, kept beside the traces in the file `trace.names`: names outlive the
 * programs, which are rebuilt, upgraded, or not there where a trace is copied to. Facts are found again by build-id.
 *
 * The file is lines of ASCII, numbers are hexadecimal but LINE, what is no printable ASCII in a text is `\xHH`:
 *
 *     traceshim names 1
 *     module BUILD-ID PATH        what follows is of this module
 *     name ADDRESS [NAME]         of the function at the address, as in the symbol table
 *     start ADDRESS [ADDRESS]     of the function that covers the address
 *     source ADDRESS [LINE FILE]  of the function at the address
 *     line ADDRESS [LINE FILE]    of the instruction at the address
 *     inlined ADDRESS NAME        into that function there; several are in order, the outermost first
 *     end HASH                    of all bytes before this line: FNV-1a, 64 bits
 *
 * Where the part in brackets is not there, it was asked for and there is none.
 */
#ifndef TRACESHIM_RENDER_KEPT_NAMES_H
#define TRACESHIM_RENDER_KEPT_NAMES_H

#include "render/error.h"
#include "render/text_list.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TS_KEPT_FILE "trace.names"
#define TS_KEPT_FIRST "traceshim names "
#define TS_KEPT_VERSION "1"
/* A larger file is neither written nor read. */
#define TS_KEPT_BYTES_MOST ((size_t)128 << 20)

enum ts_kept_kind { TS_KEPT_NAME, TS_KEPT_START, TS_KEPT_SOURCE, TS_KEPT_LINE, TS_KEPT_INLINED, TS_KEPT_KINDS };
extern const char *const ts_kept_words[TS_KEPT_KINDS];

struct ts_kept_fact {
    const char *build_id; /* lower-case hexadecimal; the same pointer for all that follow one `module` */
    const char *path;     /* of the module */
    uint64_t address;
    uint64_t number; /* a line, or where a function begins */
    const char *text;
    uint32_t order; /* in the files */
    uint8_t kind;   /* enum ts_kept_kind */
    uint8_t none;   /* there is no answer: number is 0, text NULL */
};

struct ts_kept_facts {
    struct ts_kept_fact *facts;
    size_t count;
    size_t capacity;
};

/* The facts of one session. They are read at the first question. */
struct ts_kept_names;

struct ts_kept_names *ts_kept_names_new(void);
/* NULL is allowed. */
void ts_kept_names_free(struct ts_kept_names *kept);

/* A file to read, where there is one; before the first question. The same path twice is one file. */
void ts_kept_names_add_file(struct ts_kept_names *kept, const char *path);

/* Facts to find beside those of the files, in a file's form; it becomes the property of `kept`. */
void ts_kept_names_add_text(struct ts_kept_names *kept, char *text, size_t bytes);

/* All of them, by build-id, kind, address and order; they live as long as `kept`. */
const struct ts_kept_facts *ts_kept_names_all(struct ts_kept_names *kept);

/* Whether something is known of this build-id, kind and address. */
bool ts_kept_names_knows(struct ts_kept_names *kept, const char *build_id, enum ts_kept_kind kind, uint64_t address);

/*
 * What is known of this kind: the first of *count facts, which live as long as `kept`. NULL: nothing. `build_id_bytes`
 * is at most 64; nothing is known of a module without a build-id.
 */
const struct ts_kept_fact *ts_kept_names_find(struct ts_kept_names *kept, const uint8_t *build_id,
                                              uint32_t build_id_bytes, enum ts_kept_kind kind, uint64_t address,
                                              size_t *count);

/* One line for each file that could not be used. */
const struct ts_text_list *ts_kept_names_problems(const struct ts_kept_names *kept);

/*
 * Adds the facts of a file's content, which is changed: the facts point into it. `text[bytes]` must be there to write.
 * 0, or -1, the error and no fact added.
 */
int ts_kept_names_parse(struct ts_kept_facts *facts, char *text, size_t bytes, struct ts_error *error);

uint64_t ts_kept_names_hash(const char *text, size_t bytes);

#endif
