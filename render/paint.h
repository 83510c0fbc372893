/* Colours, where a terminal shows them. */
#ifndef TRACESHIM_RENDER_PAINT_H
#define TRACESHIM_RENDER_PAINT_H

#include <stdbool.h>
#include <stdio.h>

enum ts_paint {
    TS_PAINT_END = 0, /* as before */
    TS_PAINT_NAME,
    TS_PAINT_ERROR,
    TS_PAINT_LONG,  /* a duration that matters */
    TS_PAINT_FAINT, /* what frames the rest */
};

/* Writes nothing unless `colour`. */
void ts_paint(FILE *out, bool colour, enum ts_paint paint);

/* Whether what is written to this descriptor may have colours: a terminal, no NO_COLOR (no-color.org), no dumb TERM. */
bool ts_paint_wanted(int fd);

#endif
