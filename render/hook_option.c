#include "render/hook_option.h"

#include "render/memory.h"

#include <stdlib.h>

static void add_problem(void *context, const char *entry, uint32_t bytes, const char *problem) {
    char **wrong = context, *before = *wrong;
    *wrong = ts_memory_text("%s%s'%.*s': %s", before ? before : "", before ? "; " : "", (int)bytes, entry, problem);
    free(before);
}

void ts_hook_option_parse(struct ts_hook_selection *selection, const char *text, char **wrong) {
    *wrong = NULL;
    *selection = (struct ts_hook_selection){.capacity = ts_hook_selection_entries(text)};
    selection->rules = ts_memory_new(selection->capacity, sizeof *selection->rules);
    ts_hook_selection_parse(selection, text, add_problem, wrong);
}
