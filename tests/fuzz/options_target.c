/*
 * The environment of a traced program: NUL-separated variables, whose TRACE_ options the library reads, with the globs
 * of TRACE_FUNCTIONS.
 */
#include "collector/glob.h"
#include "collector/kept_memory.h"
#include "collector/trace_format.h"
#include "preload/options.h"
#include "tests/fuzz/fuzz.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { VARIABLES_MOST = 64 };

static void count_options(void *context, const char *text) {
    if (!strchr(text, '='))
        abort();
    ++*(unsigned *)context;
}

/* What the library copies it keeps until the process ends; here until the next input, and each in a block of its own.
 */
static struct kept {
    struct kept *next;
    max_align_t memory[];
} * kept;

void *ts_kept_memory(size_t bytes) {
    struct kept *block = calloc(1, sizeof *block + bytes);
    if (!block)
        abort();
    block->next = kept;
    kept = block;
    return block->memory;
}

char *ts_kept_text(const char *text, size_t length) {
    return memcpy(ts_kept_memory(length + 1), text, length);
}

static void forget(void) {
    while (kept) {
        struct kept *next = kept->next;
        free(kept);
        kept = next;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1), *environment[VARIABLES_MOST + 1], problem_text[8192];
    struct ts_text problems = TS_TEXT_IN(problem_text);
    struct ts_options options;
    unsigned count = 0, set = 0;
    if (!text)
        abort();
    memcpy(text, data, size);
    text[size] = '\0';
    for (size_t at = 0; at <= size && count < VARIABLES_MOST; at += strlen(text + at) + 1)
        environment[count++] = text + at;
    environment[count] = NULL;
    ts_options_read(&options, environment, &problems);
    ts_options_each_set(environment, count_options, &set);
    if (options.level < 0 || options.level > 3 || problems.used >= sizeof problem_text || set > count + 64 ||
        (options.full != TS_FULL_STOP && options.full != TS_FULL_RING))
        abort();
    if (options.functions)
        for (unsigned i = 0; i < count; i++)
            ts_glob_list_selects(options.functions, environment[i]);
    if (!problems.cut)
        fuzz_check_text("problems", problem_text, problems.used);
    forget();
    free(text);
    return 0;
}
