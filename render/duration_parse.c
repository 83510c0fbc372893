#include "render/duration_parse.h"

#include <string.h>

static const struct {
    const char *name;
    uint64_t ns;
} units[] = {{"ns", 1}, {"us", 1000}, {"µs", 1000}, {"ms", 1000000}, {"s", 1000000000}};

static uint64_t unit_named(const char *name, size_t length) {
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strlen(units[i].name) == length && !memcmp(units[i].name, name, length))
            return units[i].ns;
    return 0;
}

int ts_duration_parse(const char *text, size_t length, uint64_t unit_ns, uint64_t *ns) {
    unsigned __int128 value = 0, scale = 1;
    size_t at = 0, digits = 0;
    for (int is_fraction = 0; at < length; at++) {
        if (text[at] == '.' && !is_fraction) {
            is_fraction = 1;
            continue;
        }
        if (text[at] < '0' || text[at] > '9')
            break;
        if (++digits > 19)
            return -1;
        value = value * 10 + (unsigned)(text[at] - '0');
        scale *= is_fraction ? 10 : 1;
    }
    if (at < length)
        unit_ns = unit_named(text + at, length - at);
    if (!digits || !unit_ns)
        return -1;
    value = value * unit_ns / scale;
    if (value > UINT64_MAX)
        return -1;
    *ns = (uint64_t)value;
    return 0;
}
