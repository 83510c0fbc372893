#include "render/frame_names.h"

#include "render/memory.h"
#include "render/text_escape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char replaced(char byte, const char *bytes) {
    for (; *bytes; bytes += 2)
        if (byte == bytes[0])
            return bytes[1];
    return byte;
}

char *ts_frame_name(const char *name, const char *bytes) {
    char *text = NULL;
    size_t count;
    FILE *out = open_memstream(&text, &count);
    if (!out)
        return ts_memory_copy("?", 1);
    ts_text_write_name(out, *name ? name : "?");
    if (fclose(out) != 0) {
        free(text);
        return ts_memory_copy("?", 1);
    }
    for (char *at = text; *at; at++)
        *at = replaced(*at, bytes);
    return text;
}

char **ts_frame_names(const struct ts_function_rows *rows, const char *bytes) {
    char **names = ts_memory_new(rows->count, sizeof *names);
    for (size_t i = 0; i < rows->count; i++)
        names[i] = ts_frame_name(rows->rows[i].name, bytes);
    return names;
}

void ts_frame_names_free(char **names, const struct ts_function_rows *rows) {
    for (size_t i = 0; i < rows->count; i++)
        free(names[i]);
    free(names);
}
