/*
 * Any bytes as a symbol's name: demangled, and written to all that people and viewers read. Cannot find: a name that is
 * demangled wrongly.
 */
#include "render/attribute.h"
#include "render/demangle.h"
#include "render/json_stream.h"
#include "render/text_escape.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

typedef void write_text(FILE *out, const char *text);

static void check(const char *what, write_text *write, const char *text) {
    struct fuzz_output output;
    fuzz_output_open(&output);
    write(output.stream, text);
    char *written = fuzz_output_text(&output);
    fuzz_check_text(what, written, output.count);
    if (memchr(written, '\n', output.count))
        abort(); /* one line stays one */
    free(written);
}

static void write_attribute(FILE *out, const char *text) {
    const struct ts_attribute attribute = {"key", {.kind = TS_VALUE_STRING, .string = text}};
    ts_attribute_write_text(&attribute, out);
}

static void check_json(const char *text) {
    struct fuzz_output output;
    struct ts_json_stream stream;
    struct ts_error error;
    fuzz_output_open(&output);
    ts_json_stream_open(&stream, output.stream);
    ts_json_stream_string(&stream, text);
    if (ts_json_stream_close(&stream, "memory", &error) != 0)
        abort();
    char *written = fuzz_output_text(&output);
    fuzz_check_json("JSON", written, output.count);
    free(written);
}

/* The other way to write JSON: into room of the caller's, cut. */
static void check_cut_json(const char *text) {
    enum { MOST = 64 };
    char written[6 * MOST + 16] = "\"";
    char *end = ts_json_escape(written + 1, text, MOST);
    *end++ = '"';
    fuzz_check_json("cut JSON", written, (size_t)(end - written));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1);
    if (!text)
        abort();
    memcpy(text, data, size);
    text[size] = '\0';
    char *name = ts_demangle(text);
    const char *const names[] = {text, name};
    for (unsigned i = 0; i < 2; i++) {
        check("name", ts_text_write_name, names[i]);
        check("quoted", ts_text_write_quoted, names[i]);
        check("CSV", ts_text_write_csv, names[i]);
        check("attribute", write_attribute, names[i]);
        check_json(names[i]);
        check_cut_json(names[i]);
    }
    free(name);
    free(text);
    return 0;
}
