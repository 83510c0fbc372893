/*
 * TRACE_HOOKS: which calls are hooked. A comma list; the last entry that matches a call decides:
 *
 *     io  net  sync ...           a pack (hook_definitions.h): its symbols, in whatever module
 *     SSL_*  read  libz.so*:deflate*     globs, [module:]symbol; the module is the one that defines it, by file name
 *     read@libcurl*               only calls made by these modules; also io@prog
 *     -close  -net  -*@libfoo*    excludes
 *     frob(path:path n:size)=null a signature (hook_signature.h) for what the entry selects; commas inside parentheses
 *                                 or after `=` up to a comma that begins the next entry belong to it
 *     *                           every call of every object
 *
 * Spaces around entries do not count. No allocation but one region from the caller; pure functions.
 */
#ifndef TRACESHIM_COLLECTOR_HOOK_SELECTION_H
#define TRACESHIM_COLLECTOR_HOOK_SELECTION_H

#include "collector/hook_definitions.h"
#include "collector/hook_signature.h"

#define TS_HOOKS_DEFAULT "io,net,proc,sync,time,dl,zlib,ssl,sqlite3,curl"

struct ts_hook_rule {
    const char *text; /* the entry, inside the option's text, not terminated */
    uint32_t text_bytes;
    uint32_t symbol; /* offsets into `text` and lengths; 0 bytes: any */
    uint32_t symbol_bytes;
    uint32_t module;
    uint32_t module_bytes;
    uint32_t caller;
    uint32_t caller_bytes;
    uint32_t signature; /* from its parenthesis or `=` on; 0 bytes: none */
    uint32_t signature_bytes;
    int32_t pack; /* index; -1: by symbol glob */
    uint8_t excludes;
    uint8_t is_literal; /* no pattern characters in the symbol: the function was named */
    uint32_t matches;   /* counted by whoever binds calls */
};

struct ts_hook_selection {
    struct ts_hook_rule *rules;
    uint32_t count;
    uint32_t capacity;
};

/* Entries that `text` has at most: how many rules to make room for. */
uint32_t ts_hook_selection_entries(const char *text);

/*
 * Parses `text`, which must outlive the selection, into selection->rules (room for `capacity`, the caller's). Entries
 * that are wrong are left out; for each one `say` is called with the entry and what is wrong with it. Returns the
 * number of wrong ones.
 */
uint32_t ts_hook_selection_parse(struct ts_hook_selection *selection, const char *text,
                                 void (*say)(void *context, const char *entry, uint32_t bytes, const char *problem),
                                 void *context);

struct ts_hook_choice {
    int selected;
    uint32_t rule; /* that decided, when one did */
    /* "(...)=..." of the rule or else of the definition; NULL: none */
    const char *signature;
    uint32_t signature_bytes;
    const struct ts_hook_definition *definition; /* NULL: not known */
    int named; /* a literal symbol, a pack or a signature: calls through pointers are taken too */
};

/*
 * Whether calls of `symbol` are hooked. `module` and `caller` are file names (libz.so.1), NULL where they are not
 * known: a rule that asks for one then matches only when `unknown_matches`.
 */
struct ts_hook_choice ts_hook_selection_choose(const struct ts_hook_selection *selection, const char *symbol,
                                               const char *module, const char *caller, int unknown_matches);

/* Whether any rule could select this symbol for some module and caller: the quick no. */
int ts_hook_selection_may_select(const struct ts_hook_selection *selection, const char *symbol);

/* The known symbol or pack nearest to a name that matched nothing (edit distance; NULL: none is near). */
const char *ts_hook_nearest(const char *name, size_t bytes);

#endif
