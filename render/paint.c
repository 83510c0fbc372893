#include "render/paint.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void ts_paint(FILE *out, bool colour, enum ts_paint paint) {
    /* SGR sequences (ECMA-48): a terminal without a colour shows the text all the same. */
    static const char *const sequences[] = {[TS_PAINT_END] = "\033[0m",
                                            [TS_PAINT_NAME] = "\033[1m",
                                            [TS_PAINT_ERROR] = "\033[1;31m",
                                            [TS_PAINT_LONG] = "\033[33m",
                                            [TS_PAINT_FAINT] = "\033[2m"};
    if (colour)
        fputs(sequences[paint], out);
}

bool ts_paint_wanted(int fd) {
    const char *off = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return isatty(fd) && !(off && *off) && terminal && *terminal && strcmp(terminal, "dumb") != 0;
}
