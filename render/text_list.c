#include "render/text_list.h"

#include "render/memory.h"

#include <stdlib.h>

void ts_text_list_add(struct ts_text_list *list, char *text) {
    list->texts = ts_memory_grow(list->texts, &list->capacity, list->count + 1, sizeof *list->texts);
    list->texts[list->count++] = text;
}

void ts_text_list_free(struct ts_text_list *list) {
    for (size_t i = 0; i < list->count; i++)
        free(list->texts[i]);
    free(list->texts);
    *list = (struct ts_text_list){0};
}
