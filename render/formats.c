#include "render/formats.h"

#include <string.h>

static const struct ts_format formats[] = {
#define FORMAT(format_name, function, for_terminals, file, opened_in, larger_format, text)                             \
    {.name = format_name,                                                                                              \
     .is_for_terminals = for_terminals,                                                                                \
     .file_name = file,                                                                                                \
     .viewer = opened_in,                                                                                              \
     .larger = larger_format,                                                                                          \
     .help = text,                                                                                                     \
     .write = ts_format_##function},
#include "render/formats.def"
#undef FORMAT
};

const struct ts_format *ts_formats_find(const char *name) {
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (strcmp(formats[i].name, name) == 0)
            return &formats[i];
    }
    return NULL;
}

const struct ts_format *ts_formats_all(size_t *count) {
    *count = sizeof formats / sizeof *formats;
    return formats;
}
