/*
 * Lines of the text tree. Programs read them too: this grammar, version 1, does not change.
 *
 *     line   = prefix marker [ "[depth " number "] " ] name " (" time ")" [ " {" scope "}" ] [ " [ERROR]" ]
 *              [ " [" key "=" value { ", " key "=" value } "]" ]
 *            | prefix marker "… " number " more"        siblings left out
 *     prefix = { "│   " | "    " }     for each ancestor: whether a sibling follows it; at most TS_TREE_PREFIX_DEPTH
 *     marker = "├── " | "└── "         the second for the last of siblings; roots are siblings
 *     time   = duration | "unfinished, >= " duration | "from stack"
 *
 * A duration is as render/duration_text.h says it, a value as render/attribute.h does. Knows nothing of calls: who has
 * lines to say hands them over in the order in which they appear, each with its depth.
 */
#ifndef TRACESHIM_RENDER_TREE_TEXT_H
#define TRACESHIM_RENDER_TREE_TEXT_H

#include "render/attribute.h"

#define TS_TREE_PREFIX_DEPTH 64 /* deeper lines have the prefix of this depth and say their own */

struct ts_tree_text {
    FILE *out;                                     /* the caller's */
    bool colour;                                   /* of lines (render/paint.h); a caller's, as long_ns */
    uint64_t long_ns;                              /* durations from here on stand out; 0: none do */
    uint64_t max_lines;                            /* 0: no limit */
    uint64_t least_ns;                             /* rows of merged calls, threads and processes below it fold */
    uint64_t lines;                                /* written */
    uint64_t hidden;                               /* left out because of max_lines */
    size_t prefix_bytes[TS_TREE_PREFIX_DEPTH + 1]; /* of a line at this depth */
    char prefix[TS_TREE_PREFIX_DEPTH * sizeof "│   "];
};

struct ts_tree_line {
    const char *name;
    const char *scope; /* NULL or "?", not known: no braces */
    uint64_t duration_ns;
    bool unfinished; /* the duration is a lower bound */
    bool from_stack; /* there is none: the call is known from a stack alone */
    bool error;
    const struct ts_attribute *attributes;
    size_t attribute_count;
};

void ts_tree_text_init(struct ts_tree_text *text, FILE *out, uint64_t max_lines);

/* Whether lines that follow are only counted. */
bool ts_tree_text_is_full(const struct ts_tree_text *text);

/* One line. `depth` 0 is a root; `last`: no sibling follows. Ancestors come before, nothing else between. */
void ts_tree_text_write(struct ts_tree_text *text, uint64_t depth, bool last, const struct ts_tree_line *line);

/* `… n more`: the last sibling, standing for n. */
void ts_tree_text_write_more(struct ts_tree_text *text, uint64_t depth, uint64_t count);

/* `count` lines that the caller knows to be beyond max_lines. */
void ts_tree_text_hide(struct ts_tree_text *text, uint64_t count);

/* The tree's end: `(no spans)` when there was no line, `… n more lines` when some were left out. */
void ts_tree_text_end(struct ts_tree_text *text);

#endif
