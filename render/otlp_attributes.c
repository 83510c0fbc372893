#include "render/otlp_attributes.h"

#include "render/duration_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static void put_integer(struct ts_json_text *json, int64_t integer) {
    char text[40];
    snprintf(text, sizeof text, "{\"intValue\":\"%" PRId64 "\"}", integer);
    ts_json_text_put(json, text);
}

static void put_string(struct ts_json_text *json, const char *text) {
    ts_json_text_put(json, "{\"stringValue\":");
    ts_json_text_string(json, text);
    ts_json_text_put(json, "}");
}

static void put_unsigned(struct ts_json_text *json, uint64_t number) {
    char text[24];
    if (number <= INT64_MAX) {
        put_integer(json, (int64_t)number);
        return;
    }
    snprintf(text, sizeof text, "%" PRIu64, number);
    put_string(json, text);
}

/* As protobuf's JSON writes what JSON has no number for. */
static void put_real(struct ts_json_text *json, double real) {
    char text[64];
    if (isfinite(real))
        snprintf(text, sizeof text, "{\"doubleValue\":%.17g}", real);
    else
        snprintf(text, sizeof text, "{\"doubleValue\":\"%s\"}",
                 isnan(real) ? "NaN"
                 : real > 0  ? "Infinity"
                             : "-Infinity");
    ts_json_text_put(json, text);
}

/* A null pointer is told as in the tree: readers drop attributes without a value. */
static void put_scalar(struct ts_json_text *json, const struct ts_value *value) {
    switch (value->kind) {
    case TS_VALUE_INTEGER:
        put_integer(json, value->integer);
        break;
    case TS_VALUE_UNSIGNED:
        put_unsigned(json, value->number);
        break;
    case TS_VALUE_REAL:
        put_real(json, value->real);
        break;
    case TS_VALUE_BOOLEAN:
        ts_json_text_put(json, value->boolean ? "{\"boolValue\":true}" : "{\"boolValue\":false}");
        break;
    case TS_VALUE_STRING:
    case TS_VALUE_WORD:
        put_string(json, value->string);
        break;
    case TS_VALUE_DURATION:
        put_string(json, ts_duration_text(value->duration_ns).text);
        break;
    case TS_VALUE_NONE:
    case TS_VALUE_LIST:
        put_string(json, "None");
        break;
    }
}

void ts_otlp_end_list(struct ts_json_text *json) {
    if (json->used && json->text[json->used - 1] == ',')
        json->used--;
}

void ts_otlp_attribute_add(struct ts_json_text *json, const struct ts_attribute *attribute) {
    ts_json_text_put(json, "{\"key\":");
    ts_json_text_string(json, attribute->key);
    ts_json_text_put(json, ",\"value\":");
    if (attribute->value.kind == TS_VALUE_LIST) {
        ts_json_text_put(json, "{\"arrayValue\":{\"values\":[");
        for (size_t i = 0; i < attribute->value.list.count; i++) {
            put_scalar(json, &attribute->value.list.items[i]);
            ts_json_text_put(json, ",");
        }
        ts_otlp_end_list(json);
        ts_json_text_put(json, "]}}");
    } else {
        put_scalar(json, &attribute->value);
    }
    ts_json_text_put(json, "},");
}

void ts_otlp_attribute_add_text(struct ts_json_text *json, const char *key, const char *text) {
    ts_otlp_attribute_add(json, &(struct ts_attribute){key, ts_value_string(text)});
}

void ts_otlp_attribute_add_number(struct ts_json_text *json, const char *key, uint64_t number) {
    ts_otlp_attribute_add(json, &(struct ts_attribute){key, {.kind = TS_VALUE_UNSIGNED, .number = number}});
}

void ts_otlp_attribute_add_truth(struct ts_json_text *json, const char *key) {
    ts_otlp_attribute_add(json, &(struct ts_attribute){key, {.kind = TS_VALUE_BOOLEAN, .boolean = true}});
}
