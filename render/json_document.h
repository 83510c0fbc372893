/*
 * JSON documents as cJSON trees: for what is small and nested. What has an object for each call is a stream
 * (json_stream.h), and text is written here as there. Running out of memory ends the program (memory.h).
 */
#ifndef TRACESHIM_RENDER_JSON_DOCUMENT_H
#define TRACESHIM_RENDER_JSON_DOCUMENT_H

#include "render/error.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* The outermost object; ts_json_document_write frees it. */
cJSON *ts_json_document_new(void);

/* What they add belongs to `in`: a member of that name, or where `name` is NULL an item of the array `in`. */
cJSON *ts_json_add_object(cJSON *in, const char *name);
cJSON *ts_json_add_array(cJSON *in, const char *name);
/* `text` NULL: null. */
void ts_json_add_text(cJSON *in, const char *name, const char *text);
void ts_json_add_part(cJSON *in, const char *name, const char *text, size_t bytes);
/* All 64 bits. */
void ts_json_add_unsigned(cJSON *in, const char *name, uint64_t value);
void ts_json_add_signed(cJSON *in, const char *name, int64_t value);
void ts_json_add_truth(cJSON *in, const char *name, bool value);

/* 0, or -1 and the error when anything could not be written to `what` ("the findings"). */
int ts_json_document_write(cJSON *document, FILE *out, const char *what, struct ts_error *error);

#endif
