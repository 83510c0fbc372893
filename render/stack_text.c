#include "render/stack_text.h"

#include <stdio.h>
#include <string.h>

/* Names that are shown, and the bytes that are left for how often the last one is there, and the end. */
#define NAMES_MOST 24
#define RESERVE 64

static void append(struct ts_stack_text *stack, const char *text) {
    size_t bytes = strlen(text);
    memcpy(stack->text + stack->used, text, bytes + 1);
    stack->used += bytes;
}

static void end_name(struct ts_stack_text *stack) {
    char times[RESERVE];
    if (stack->times > 1) {
        snprintf(times, sizeof times, " (%zu times)", stack->times);
        append(stack, times);
    }
    stack->times = 0;
}

bool ts_stack_text_add(struct ts_stack_text *stack, struct ts_function *function, const char *at) {
    const char *name = ts_function_name(function);
    if (stack->full)
        return false;
    if (stack->times && !strcmp(stack->name, name)) {
        stack->times++;
        return true;
    }
    end_name(stack);
    if (stack->placed)
        at = NULL;
    size_t bytes = strlen(" < ") + strlen(name) + (at ? strlen(" at ") + strlen(at) : 0);
    if (stack->names == NAMES_MOST || bytes + RESERVE > sizeof stack->text - stack->used) {
        stack->full = true;
        return false;
    }
    append(stack, stack->names++ ? " < " : "");
    append(stack, name);
    if (at) {
        append(stack, " at ");
        append(stack, at);
        stack->placed = true;
    }
    stack->name = name;
    stack->times = 1;
    return true;
}

void ts_stack_text_end(struct ts_stack_text *stack, bool cut) {
    end_name(stack);
    if (cut || stack->full)
        append(stack, stack->names ? " < …" : "…");
}
