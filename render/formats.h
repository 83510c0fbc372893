/*
 * Output formats. Each is one file render/format_<name>.c with one function of this type, and one line in formats.def.
 */
#ifndef TRACESHIM_RENDER_FORMATS_H
#define TRACESHIM_RENDER_FORMATS_H

#include "render/session.h"

#include <stdbool.h>
#include <stdio.h>

enum ts_tree_view {
    TS_TREE_AUTO = 0, /* every call up to 200 spans, merged above */
    TS_TREE_CALLS,
    TS_TREE_MERGED,
};

#define TS_VIEWER "https://ui.perfetto.dev"
#define TS_VIEWER_CALLS_MAX 2000000 /* 200 MB of JSON: what browser-based viewers still take */

/* What a format left out because of max_calls. */
struct ts_format_cut {
    uint64_t calls;              /* that there are */
    uint64_t written;            /* the longest of them */
    uint64_t dropped_short;      /* calls too short to be among those */
    uint64_t longest_dropped_ns; /* the longest of these: every call that lasts longer is written */
};

struct ts_output_parts; /* render/output_parts.h */

struct ts_format_options {
    enum ts_tree_view view;
    uint64_t max_lines; /* of a tree; 0: no limit. A cut tree ends with a line that says how many lines are left out */
    uint64_t screen_lines; /* of a tree for a first look: every call where they fit, else the longest paths; 0: no */
    uint64_t max_calls;    /* of a file with one object per call; 0: no limit. The longest are written (longest.h) */
    bool by_program;       /* merged tree: processes that run the same program are one */
    bool colour;           /* of text for a terminal (render/paint.h) */
    struct ts_output_parts *parts; /* for a format that can be split: the files that follow `out`. NULL: one file */
    struct ts_format_cut *cut;     /* is set by a format that obeys max_calls; may be NULL */
};

/* Writes the whole session to `out` (which the caller owns and closes). 0, or -1 and the error. */
typedef int ts_format_write(struct ts_session *session, const struct ts_format_options *options, FILE *out,
                            struct ts_error *error);

/* ts_format_tree, ts_format_chrome, ...: one for each line of formats.def. */
#define FORMAT(name, function, for_terminals, file_name, viewer, larger, help) ts_format_write ts_format_##function;
#include "render/formats.def"
#undef FORMAT

struct ts_format {
    const char *name;      /* as in TRACE_FORMAT and --format */
    const char *file_name; /* in the output directory */
    const char *viewer;    /* a page that opens it; NULL: none */
    const char *larger;    /* the format to write in its place above TS_VIEWER_CALLS_MAX calls; NULL: itself */
    const char *help;
    bool is_for_terminals; /* else a page for a browser, or bytes */
    ts_format_write *write;
};

/* The format of this name, NULL when there is none. */
const struct ts_format *ts_formats_find(const char *name);
/* All of them, in order of formats.def; *count is set. */
const struct ts_format *ts_formats_all(size_t *count);

#endif
