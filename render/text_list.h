/* Texts, in order. All zero is an empty list. */
#ifndef TRACESHIM_RENDER_TEXT_LIST_H
#define TRACESHIM_RENDER_TEXT_LIST_H

#include <stddef.h>

struct ts_text_list {
    char **texts;
    size_t count;
    size_t capacity;
};

/* Takes ownership of the text. */
void ts_text_list_add(struct ts_text_list *list, char *text);
void ts_text_list_free(struct ts_text_list *list);

#endif
