/*
 * The `args` of Chrome JSON events, and the attributes of flat JSON, while their calls are open: a stack of text, the
 * innermost call's at its end. Calls nest, so that what a call learns when it ends stands behind what it had at its
 * begin once its own calls are gone.
 */
#ifndef TRACESHIM_RENDER_CHROME_ARGUMENTS_H
#define TRACESHIM_RENDER_CHROME_ARGUMENTS_H

#include "render/attribute.h"
#include "render/failure.h"
#include "render/json_text.h"

struct ts_chrome_arguments {
    struct ts_json_text json; /* members, each with a comma behind it: "key":value, */
    bool texts;               /* every value is a string, a list `a, b`: for tables whose columns have one type */
};

void ts_chrome_arguments_add(struct ts_chrome_arguments *arguments, const struct ts_attribute *attribute);

/* error, errno, error.message and otel.status_code. */
void ts_chrome_arguments_add_failure(struct ts_chrome_arguments *arguments, const struct ts_failure *failure);

void ts_chrome_arguments_free(struct ts_chrome_arguments *arguments);

#endif
