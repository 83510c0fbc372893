/* Attributes as OTLP has them in JSON: a list of keys with typed values, integers as decimal strings. */
#ifndef TRACESHIM_RENDER_OTLP_ATTRIBUTES_H
#define TRACESHIM_RENDER_OTLP_ATTRIBUTES_H

#include "render/attribute.h"
#include "render/json_text.h"

/* `{"key":"n","value":{"intValue":"42"}},`, with the comma. What int64 cannot hold becomes text. */
void ts_otlp_attribute_add(struct ts_json_text *json, const struct ts_attribute *attribute);

void ts_otlp_attribute_add_text(struct ts_json_text *json, const char *key, const char *text);
void ts_otlp_attribute_add_number(struct ts_json_text *json, const char *key, uint64_t number);
void ts_otlp_attribute_add_truth(struct ts_json_text *json, const char *key);

/* Takes the comma behind the last element of a list off, if there is one: before the list's end. */
void ts_otlp_end_list(struct ts_json_text *json);

#endif
