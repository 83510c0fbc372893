/* A stack in one line, the innermost function first: `crash_here at file.c:12 < recursive (3 times) < main`. */
#ifndef TRACESHIM_RENDER_STACK_TEXT_H
#define TRACESHIM_RENDER_STACK_TEXT_H

#include "render/functions.h"

#define TS_STACK_TEXT_BYTES 4096

/* All zero is an empty one. */
struct ts_stack_text {
    char text[TS_STACK_TEXT_BYTES];
    size_t used;
    const char *name; /* of the function that was added last */
    size_t times;     /* it was, one after another */
    size_t names;
    bool placed; /* a line stands in it */
    bool full;
};

/*
 * The next function outwards. `at`: file and line, NULL: not known; the first that is known is shown, since below it
 * names are enough. False when there is no room for more: what lies further out says less.
 */
bool ts_stack_text_add(struct ts_stack_text *stack, struct ts_function *function, const char *at);

/* Ends it. `cut`: there are more functions than were added. */
void ts_stack_text_end(struct ts_stack_text *stack, bool cut);

#endif
