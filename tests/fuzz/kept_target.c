/*
 * Any bytes as a file of kept names: as they are, and with an end whose hash is right, so that every line is parsed.
 * What is found is what was read. Cannot find: an answer that is wrong but well formed.
 */
#include "render/kept_names.h"
#include "render/memory.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

static void check_fact(const struct ts_kept_fact *fact) {
    bool has_text = !fact->none && fact->kind != TS_KEPT_START;
    size_t digits = strlen(fact->build_id);
    if (fact->kind >= TS_KEPT_KINDS || !fact->path || !digits || digits % 2 || (fact->text != NULL) != has_text ||
        (has_text && !fact->text[0]))
        abort();
}

static void check_all(char *text, size_t bytes) {
    struct ts_kept_names *kept = ts_kept_names_new();
    ts_kept_names_add_text(kept, text, bytes);
    const struct ts_kept_facts *all = ts_kept_names_all(kept);
    if (all->count && ts_kept_names_problems(kept)->count)
        abort();
    for (size_t i = 0; i < all->count; i++) {
        const struct ts_kept_fact *fact = &all->facts[i];
        check_fact(fact);
        if (!ts_kept_names_knows(kept, fact->build_id, fact->kind, fact->address))
            abort();
    }
    ts_kept_names_free(kept);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    check_all(ts_memory_copy((const char *)data, size), size);
    char *lines = ts_memory_copy((const char *)data, size);
    size_t length = strlen(lines);
    char *whole = ts_memory_text("%send %llx\n", lines, (unsigned long long)ts_kept_names_hash(lines, length));
    check_all(whole, strlen(whole));
    free(lines);
    return 0;
}
