#include "collector/edit_distance.h"
#include "collector/hook_selection.h"
#include "collector/text.h"

struct nearest {
    const char *name;
    size_t bytes;
    const char *found;
    size_t distance;
};

static void consider(struct nearest *nearest, const char *candidate) {
    size_t bytes = ts_text_length(candidate);
    size_t gap = bytes < nearest->bytes ? nearest->bytes - bytes : bytes - nearest->bytes;
    if (gap >= nearest->distance)
        return;
    size_t distance = ts_edit_distance(nearest->name, nearest->bytes, candidate, bytes);
    if (distance < nearest->distance) {
        nearest->distance = distance;
        nearest->found = candidate;
    }
}

const char *ts_hook_nearest(const char *name, size_t bytes) {
    for (; bytes && name[0] == '*'; bytes--)
        name++;
    while (bytes && name[bytes - 1] == '*')
        bytes--;
    /* A third of the name may be wrong: "raed" is near to "read", "pol" to "poll", "xy" to nothing. */
    struct nearest nearest = {name, bytes, NULL, bytes / 3 + 1};
    for (uint32_t i = 0; i < ts_hook_pack_count; i++)
        consider(&nearest, ts_hook_packs[i].name);
    for (uint32_t i = 0; i < ts_hook_definition_count; i++)
        consider(&nearest, ts_hook_definition_symbol(&ts_hook_definitions[i]));
    return nearest.found;
}
