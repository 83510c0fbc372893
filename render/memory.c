#include "render/memory.h"

#include "render/grow.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void out_of_memory(void) {
    fputs("traceshim: out of memory\n", stderr);
    _Exit(1);
}

void *ts_memory_new(size_t count, size_t bytes) {
    void *memory = calloc(count ? count : 1, bytes ? bytes : 1);
    if (!memory)
        out_of_memory();
    return memory;
}

void *ts_memory_grow(void *array, size_t *capacity, size_t need, size_t item_bytes) {
    void *grown = ts_grow(array, capacity, need, item_bytes);
    if (!grown)
        out_of_memory();
    return grown;
}

char *ts_memory_text(const char *format, ...) {
    char *text;
    va_list arguments;
    va_start(arguments, format);
    int bytes = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (bytes < 0)
        out_of_memory();
    return text;
}

char *ts_memory_copy(const char *text, size_t bytes) {
    char *copy = ts_memory_new(bytes + 1, 1);
    memcpy(copy, text, bytes);
    return copy;
}
