/* What a HOOK record says of a function whose calls are hooked, made ready for decoding their arguments. */
#ifndef TRACESHIM_RENDER_HOOKED_H
#define TRACESHIM_RENDER_HOOKED_H

#include "collector/hook_signature.h"

#include <stdbool.h>

/* Keys of the attributes that come from one argument. */
struct ts_hooked_argument {
    const char *name;
    /* What a descriptor refers to, `fd.path` and so on; NULL where the argument is no descriptor. */
    const char *path;
    const char *peer;
    const char *local;
    const char *type;
};

struct ts_hooked {
    const char *symbol;    /* not demangled */
    const char *signature; /* "(...)=..."; "" when there is none */
    const char *pack;      /* "" when there is none */
    const char *label;     /* NULL: none */
    uint32_t flags;        /* enum ts_hook_flags */
    /* Without arguments and result where there is no signature, or one that this version cannot read. */
    struct ts_hook_signature parsed;
    struct ts_hooked_argument *arguments; /* parsed.argument_count of them */
    char *key_text;
    char text[]; /* symbol, signature, pack */
};

/* Never NULL. Texts are copied. */
struct ts_hooked *ts_hooked_new(const char *symbol, const char *signature, const char *pack, uint32_t flags);
void ts_hooked_free(struct ts_hooked *hooked);

bool ts_hooked_is(const struct ts_hooked *hooked, const char *symbol, const char *signature, const char *pack,
                  uint32_t flags);

#endif
