/*
 * Errors are values: a function that can fail fills a ts_error and returns -1; only the command line prints it.
 * One line: what failed, on what, what to do. No newline at the end.
 */
#ifndef TRACESHIM_RENDER_ERROR_H
#define TRACESHIM_RENDER_ERROR_H

struct ts_error {
    char text[1024];
};

/* Sets the text, cut at the buffer's end. Returns -1, so that a caller can `return ts_error_set(...)`. */
int ts_error_set(struct ts_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
