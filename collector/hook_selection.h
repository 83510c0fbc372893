/*
 * TRACE_HOOKS: which calls are hooked. A comma list; the last entry that matches a call decides:
 *
 *     io  net  sync ...           a pack (hook_definitions.h): its symbols, in whatever module
 *     SSL_*  read  libz.so*:deflate*     globs, [module:]symbol; the module is the one that defines it, by file name
 *     read@libcurl*               only calls made by these modules; also io@prog
 *     -close  -net  -*@libfoo*    excludes
 *     frob(path:path n:size)=null a signature (hook_signature.h) for what the entry selects; last in the entry
 *     *                           every call of every object
 *
 * Spaces around entries do not count. An entry is a pack only where it is the pack's bare name: `:time` and `time()`
 * are the function. A list that begins with an exclude begins with the default packs: `-net` is all of them but net.
 *
 * Where an entry ends: commas inside parentheses belong to it, and so does, behind `=`, a comma between two whole
 * numbers: `sqlite3_step(ptr)=int|0,100,101,read` are two entries, since no function is called 100. A parenthesis that
 * is not closed before the next one opens ends at the next comma.
 *
 * No allocation but one region from the caller; pure functions.
 */
#ifndef TRACESHIM_COLLECTOR_HOOK_SELECTION_H
#define TRACESHIM_COLLECTOR_HOOK_SELECTION_H

#include "collector/hook_definitions.h"
#include "collector/hook_signature.h"

#define TS_HOOKS_DEFAULT "io,net,proc,sync,time,dl,zlib,ssl,sqlite3,curl"

struct ts_hook_rule {
    const char *text; /* the entry, inside the option's text or TS_HOOKS_DEFAULT, not terminated */
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
    uint8_t is_implied; /* a default pack that the list did not name, since it begins with an exclude */
    uint32_t matches;   /* ts_hook_selection_count; not of packs */

    /* How ts_hook_selection_choose finds it: rules that are looked for alike are chained, later ones first. */
    uint32_t hash;   /* of a literal symbol */
    uint32_t next;   /* 1 + the index of the next one; 0: none */
    uint32_t bucket; /* 1 + the first literal rule of this place in the hash table that runs through all rules */
};

struct ts_hook_selection {
    struct ts_hook_rule *rules;
    uint32_t count;
    uint32_t capacity;
    /* 1 + the first of the chains of packs and globs, and whether there are literal symbols; set by parsing */
    uint32_t packs;
    uint32_t pack_bits; /* which packs those are */
    uint32_t globs;
    uint32_t literals;
};

/* Entries that `text` has at most, implied ones included: how many rules to make room for. */
uint32_t ts_hook_selection_entries(const char *text);

/*
 * Parses `text`, which must outlive the selection, into selection->rules (room for `capacity`, the caller's). Entries
 * that are wrong are left out; for each one `say` is called with the entry, up to and with the word that is wrong, and
 * what is wrong with it, a constant of a few words. Returns the number of wrong ones.
 */
uint32_t ts_hook_selection_parse(struct ts_hook_selection *selection, const char *text,
                                 void (*say)(void *context, const char *entry, uint32_t bytes, const char *problem),
                                 void *context);

#define TS_HOOK_NO_RULE UINT32_MAX

struct ts_hook_choice {
    int selected;
    uint32_t rule; /* that decided; TS_HOOK_NO_RULE: none */
    /* "(...)=..." of the last rule that matches and has one, or else of the definition; NULL: none */
    const char *signature;
    uint32_t signature_bytes;
    const struct ts_hook_definition *definition; /* of the deciding pack, where it was a pack; NULL: not known */
    int named; /* a literal symbol, a pack or a signature: calls through pointers are taken too */
};

/*
 * Whether calls of `symbol` are hooked. `module` and `caller` are file names (libz.so.1), NULL where they are not
 * known: a rule that asks for one then matches only when `unknown_matches`, and an exclude never. Rules before the last
 * exclude that matches add nothing; of those after it, `*` behind `read` or `frob(...)` takes neither a name nor a
 * signature away.
 */
struct ts_hook_choice ts_hook_selection_choose(const struct ts_hook_selection *selection, const char *symbol,
                                               const char *module, const char *caller, int unknown_matches);

/* Whether any rule could select this symbol for some module and caller: the quick no. */
int ts_hook_selection_may_select(const struct ts_hook_selection *selection, const char *symbol);

/*
 * Whoever binds calls tells each one here, so that rules that match nothing can be named: counts in `matches` of every
 * rule but packs that matches, also where a later one decides (`read,*`).
 */
void ts_hook_selection_count(struct ts_hook_selection *selection, const char *symbol, const char *module,
                             const char *caller);

/*
 * The known symbol or pack nearest to a name that matched nothing (edit distance; NULL: none is near). Stars at its
 * ends do not count.
 */
const char *ts_hook_nearest(const char *name, size_t bytes);

#endif
