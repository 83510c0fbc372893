/*
 * Memory for the renderer's own tables. It is a program of its own and its tables grow with what a trace really holds,
 * so running out of memory ends it with one line instead of an error path in every caller. Sizes that a file merely
 * claims must be checked against the file before they come here.
 */
#ifndef TRACESHIM_RENDER_MEMORY_H
#define TRACESHIM_RENDER_MEMORY_H

#include <stddef.h>

/* `count` zeroed elements. Never NULL; free() it. */
void *ts_memory_new(size_t count, size_t bytes);

/* ts_grow (render/grow.h) that never returns NULL. */
void *ts_memory_grow(void *array, size_t *capacity, size_t need, size_t item_bytes);

/* A formatted text. Never NULL; free() it. */
char *ts_memory_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The first `bytes` bytes of `text` with a NUL behind them. Never NULL; free() it. */
char *ts_memory_copy(const char *text, size_t bytes);

#endif
