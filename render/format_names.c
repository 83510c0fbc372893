#include "render/format_names.h"

#include "render/memory.h"

#include <stdlib.h>
#include <string.h>

char *ts_format_names(void) {
    size_t count;
    const struct ts_format *formats = ts_formats_all(&count);
    char *names = ts_memory_copy("", 0);
    for (size_t i = 0; i < count; i++) {
        char *longer = ts_memory_text("%s%s%s", names, i ? ", " : "", formats[i].name);
        free(names);
        names = longer;
    }
    return names;
}

static void add_once(const struct ts_format **formats, size_t *count, const struct ts_format *format) {
    for (size_t i = 0; i < *count; i++)
        if (formats[i] == format)
            return;
    formats[(*count)++] = format;
}

const struct ts_format **ts_format_names_parse(const char *list, size_t *count, bool *unknown, struct ts_error *error) {
    size_t all;
    ts_formats_all(&all);
    const struct ts_format **formats = ts_memory_new(all, sizeof *formats);
    char *copy = ts_memory_copy(list, strlen(list)), *rest = copy;
    *count = 0;
    *unknown = false;
    for (char *name; (name = strtok_r(rest, ", \t", &rest));) {
        const struct ts_format *format = ts_formats_find(name);
        if (format) {
            add_once(formats, count, format);
        } else if (strcmp(name, "none") != 0) {
            char *names = ts_format_names();
            ts_error_set(error, "unknown format '%s'; there are %s", name, names);
            free(names);
            *unknown = true;
        }
    }
    free(copy);
    return formats;
}
