#include "render/output_parts.h"

#include "render/memory.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* The number goes before all endings: x-2.json.gz. */
static char *path_of(const char *path, unsigned number) {
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    size_t stem = *name ? (size_t)(name - path) + 1 + strcspn(name + 1, ".") : strlen(path);
    return ts_memory_text("%.*s-%u%s", (int)stem, path, number, path + stem);
}

FILE *ts_output_parts_next(struct ts_output_parts *parts, struct ts_error *error) {
    if (ts_output_parts_close(parts, true, error) != 0)
        return NULL;
    parts->number = parts->number ? parts->number + 1 : 2;
    char *path = path_of(parts->path, parts->number);
    int result = ts_output_open(&parts->output, path, error);
    free(path);
    if (result == 0)
        return parts->output.stream;
    parts->number = 0;
    return NULL;
}

int ts_output_parts_close(struct ts_output_parts *parts, bool keep, struct ts_error *error) {
    return parts->number ? ts_output_close(&parts->output, keep, error) : 0;
}

uint64_t ts_output_parts_size(const char *text, struct ts_error *error) {
    static const char units[] = "KMGT";
    char *end = NULL;
    uint64_t size = isdigit((unsigned char)*text) ? strtoull(text, &end, 10) : 0;
    const char *unit = end && *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
    unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
    if (!end || (*end && (!unit || end[1])) || size == 0 || size > UINT64_MAX >> shift) {
        ts_error_set(error, "'%s' is no size: 100M, 2G", text);
        return 0;
    }
    return size << shift;
}
