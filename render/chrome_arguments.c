#include "render/chrome_arguments.h"

#include "render/duration_text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Integers beyond it change when a viewer makes doubles of them. */
#define EXACT_MOST (INT64_C(1) << 53)

static void put(struct ts_chrome_arguments *arguments, const char *text) {
    ts_json_text_put(&arguments->json, text);
}

static void put_string(struct ts_chrome_arguments *arguments, const char *text) {
    ts_json_text_string(&arguments->json, text);
}

/* A number, or a string where viewers would not keep all of it. */
static void put_integer(struct ts_chrome_arguments *arguments, int64_t integer) {
    char text[32];
    int exact = !arguments->texts && integer >= -EXACT_MOST && integer <= EXACT_MOST;
    snprintf(text, sizeof text, exact ? "%" PRId64 : "\"%" PRId64 "\"", integer);
    put(arguments, text);
}

static void put_unsigned(struct ts_chrome_arguments *arguments, uint64_t number) {
    char text[32];
    snprintf(text, sizeof text, !arguments->texts && number <= EXACT_MOST ? "%" PRIu64 : "\"%" PRIu64 "\"", number);
    put(arguments, text);
}

/* JSON has no NaN and no infinity. */
static void put_real(struct ts_chrome_arguments *arguments, double real) {
    char text[40];
    const char *format = !arguments->texts && isfinite(real) ? "%.17g" : isfinite(real) ? "\"%.17g\"" : "\"%g\"";
    snprintf(text, sizeof text, format, real);
    put(arguments, text);
}

/* Never null: viewers drop it. */
static void put_scalar(struct ts_chrome_arguments *arguments, const struct ts_value *value) {
    switch (value->kind) {
    case TS_VALUE_INTEGER:
        put_integer(arguments, value->integer);
        break;
    case TS_VALUE_UNSIGNED:
        put_unsigned(arguments, value->number);
        break;
    case TS_VALUE_REAL:
        put_real(arguments, value->real);
        break;
    case TS_VALUE_BOOLEAN:
        if (arguments->texts)
            put_string(arguments, value->boolean ? "true" : "false");
        else
            put(arguments, value->boolean ? "true" : "false");
        break;
    case TS_VALUE_STRING:
    case TS_VALUE_WORD:
        put_string(arguments, value->string);
        break;
    case TS_VALUE_DURATION:
        put_string(arguments, ts_duration_text(value->duration_ns).text);
        break;
    case TS_VALUE_NONE:
    case TS_VALUE_LIST:
        put(arguments, "\"None\"");
        break;
    }
}

/* Each item without its quotes. */
static void put_list_text(struct ts_chrome_arguments *arguments, const struct ts_value *items, size_t count) {
    put(arguments, "\"");
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            put(arguments, ", ");
        struct ts_json_text *json = &arguments->json;
        size_t begin = json->used;
        put_scalar(arguments, &items[i]);
        size_t inside = json->used - begin - 2;
        memmove(json->text + begin, json->text + begin + 1, inside);
        json->used = begin + inside;
    }
    put(arguments, "\"");
}

static void put_list(struct ts_chrome_arguments *arguments, const struct ts_value *items, size_t count) {
    put(arguments, "[");
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            put(arguments, ",");
        put_scalar(arguments, &items[i]);
    }
    put(arguments, "]");
}

void ts_chrome_arguments_add(struct ts_chrome_arguments *arguments, const struct ts_attribute *attribute) {
    put_string(arguments, attribute->key);
    put(arguments, ":");
    if (attribute->value.kind == TS_VALUE_LIST && arguments->texts)
        put_list_text(arguments, attribute->value.list.items, attribute->value.list.count);
    else if (attribute->value.kind == TS_VALUE_LIST)
        put_list(arguments, attribute->value.list.items, attribute->value.list.count);
    else
        put_scalar(arguments, &attribute->value);
    put(arguments, ",");
}

void ts_chrome_arguments_add_failure(struct ts_chrome_arguments *arguments, const struct ts_failure *failure) {
    struct ts_attribute error = ts_failure_attribute(failure);
    ts_chrome_arguments_add(arguments, &error);
    if (failure->error_number) {
        put(arguments, "\"errno\":");
        put_unsigned(arguments, failure->error_number);
        put(arguments, ",");
    }
    if (failure->message) {
        put(arguments, "\"error.message\":");
        put_string(arguments, failure->message);
        put(arguments, ",");
    }
    put(arguments, "\"otel.status_code\":\"ERROR\",");
}

void ts_chrome_arguments_free(struct ts_chrome_arguments *arguments) {
    ts_json_text_free(&arguments->json);
}
