/*
 * Standard output as a person looks at it: on a terminal it goes through a pager, has colours, and rows are cut at the
 * terminal's width. Anywhere else nothing of that happens.
 */
#ifndef TRACESHIM_RENDER_SCREEN_H
#define TRACESHIM_RENDER_SCREEN_H

#include "render/options_parse.h"

#include <stdbool.h>
#include <sys/types.h>

struct ts_screen {
    int no_pager; /* set by the options */
    int wide;     /* rows are not cut */
    bool colour;
    unsigned width; /* columns; 0: no limit */
    pid_t pager;    /* 0: none */
    int terminal;   /* what standard error was, before the pager took it */
};

/* Elements of a table of struct ts_option. */
#define TS_SCREEN_OPTIONS(screen)                                                                                      \
    {.name = "--no-pager",                                                                                             \
     .help = "On a terminal: write to it, not to TRACESHIM_PAGER, PAGER or less",                                      \
     .number = 1,                                                                                                      \
     .target = &(screen).no_pager},                                                                                    \
    {                                                                                                                  \
        .name = "--wide", .help = "On a terminal: do not cut rows at its width", .number = 1, .target = &(screen).wide \
    }

/*
 * Looks at standard output and starts the pager, to which standard output and, where it is that terminal, standard
 * error then go. ts_screen_end waits for it.
 */
void ts_screen_begin(struct ts_screen *screen);
void ts_screen_end(struct ts_screen *screen);

/* Columns of the terminal at `fd`; 0 where it is none or does not say. */
unsigned ts_screen_width(int fd);

/*
 * A stream to `out` that cuts each line at `width` columns, with `…` at its end; escape sequences take no column. NULL
 * when there is no memory. Closing it leaves `out` open.
 */
FILE *ts_screen_cut(FILE *out, unsigned width);

#endif
