#include "render/json_document.h"

#include "render/json_stream.h"
#include "render/memory.h"
#include "render/written.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Of memory that cJSON did not get. */
static cJSON *must_be(cJSON *item) {
    if (!item)
        abort();
    return item;
}

static cJSON *add(cJSON *in, const char *name, cJSON *item) {
    must_be(item);
    if (!(name ? cJSON_AddItemToObject(in, name, item) : cJSON_AddItemToArray(in, item)))
        abort();
    return item;
}

cJSON *ts_json_document_new(void) {
    return must_be(cJSON_CreateObject());
}

cJSON *ts_json_add_object(cJSON *in, const char *name) {
    return add(in, name, cJSON_CreateObject());
}

cJSON *ts_json_add_array(cJSON *in, const char *name) {
    return add(in, name, cJSON_CreateArray());
}

/* cJSON's own strings let through what a terminal would act on, and bytes that are no UTF-8. */
void ts_json_add_part(cJSON *in, const char *name, const char *text, size_t bytes) {
    char *copy = ts_memory_copy(text, bytes);
    char *raw = ts_memory_new(TS_JSON_ESCAPED_BYTES(bytes) + sizeof "\"\"", 1), *end = raw;
    *end++ = '"';
    end = ts_json_escape(end, copy, bytes);
    strcpy(end, "\"");
    add(in, name, cJSON_CreateRaw(raw));
    free(raw);
    free(copy);
}

void ts_json_add_text(cJSON *in, const char *name, const char *text) {
    if (text)
        ts_json_add_part(in, name, text, strlen(text));
    else
        add(in, name, cJSON_CreateNull());
}

/* cJSON's numbers are doubles. */
void ts_json_add_unsigned(cJSON *in, const char *name, uint64_t value) {
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRIu64, value);
    add(in, name, cJSON_CreateRaw(digits));
}

void ts_json_add_signed(cJSON *in, const char *name, int64_t value) {
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRId64, value);
    add(in, name, cJSON_CreateRaw(digits));
}

void ts_json_add_truth(cJSON *in, const char *name, bool value) {
    add(in, name, cJSON_CreateBool(value));
}

int ts_json_document_write(cJSON *document, FILE *out, const char *what, struct ts_error *error) {
    char *text = cJSON_Print(document);
    cJSON_Delete(document);
    if (!text)
        return ts_error_set(error, "cannot write %s: no memory for it", what);
    /* cJSON indents by tabs, which no string holds as they are: a terminal may have any width for them. */
    for (const char *at = text; *at; at++) {
        if (*at != '\t')
            putc(*at, out);
        else
            fputs(at > text && at[-1] == ':' ? " " : "  ", out);
    }
    fputc('\n', out);
    cJSON_free(text);
    return ts_written_all(out, what, error);
}
