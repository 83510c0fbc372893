#include "render/check.h"

#include "render/check_parts.h"
#include "render/json_document.h"
#include "render/memory.h"
#include "render/text_escape.h"

#include <stdarg.h>
#include <stdlib.h>

static const char *const grades[] = {[TS_CHECK_OK] = "ok", [TS_CHECK_NOTE] = "note", [TS_CHECK_FAIL] = "FAIL"};

void ts_check_add(struct ts_check *check, enum ts_check_grade grade, const char *format, ...) {
    va_list arguments;
    char *text;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        text = ts_memory_text("%s", format);
    va_end(arguments);
    check->findings = ts_memory_grow(check->findings, &check->capacity, check->count + 1, sizeof *check->findings);
    check->findings[check->count++] = (struct ts_check_finding){grade, text};
}

void ts_check_run(struct ts_check *check, const char *program, const char *shim, const struct ts_error *missing) {
    *check = (struct ts_check){.count = 0};
    char *path = ts_check_start(check, program);
    if (!path)
        return;
    if (!shim)
        ts_check_add(check, TS_CHECK_FAIL, "%s", missing->text);
    ts_check_program(check, path, shim);
    ts_check_surroundings(check, path);
    free(path);
}

void ts_check_free(struct ts_check *check) {
    for (size_t i = 0; i < check->count; i++)
        free(check->findings[i].text);
    free(check->findings);
}

bool ts_check_passes(const struct ts_check *check) {
    for (size_t i = 0; i < check->count; i++)
        if (check->findings[i].grade == TS_CHECK_FAIL)
            return false;
    return true;
}

void ts_check_text(const struct ts_check *check, FILE *out) {
    for (size_t i = 0; i < check->count; i++) {
        fprintf(out, "%-4s  ", grades[check->findings[i].grade]);
        ts_text_write_name(out, check->findings[i].text);
        fputc('\n', out);
    }
}

int ts_check_json(const struct ts_check *check, const char *program, FILE *out, struct ts_error *error) {
    cJSON *document = ts_json_document_new();
    ts_json_add_text(document, "program", program);
    ts_json_add_truth(document, "passes", ts_check_passes(check));
    cJSON *findings = ts_json_add_array(document, "findings");
    for (size_t i = 0; i < check->count; i++) {
        cJSON *finding = ts_json_add_object(findings, NULL);
        ts_json_add_text(finding, "grade", grades[check->findings[i].grade]);
        ts_json_add_text(finding, "text", check->findings[i].text);
    }
    return ts_json_document_write(document, out, "the findings", error);
}
