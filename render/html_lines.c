#include "render/html_lines.h"

#include "render/memory.h"
#include "render/source_file.h"

#include <stdlib.h>
#include <string.h>

/* Of all files together: lines with code, and bytes of source. Longer source lines are cut. */
#define ROWS_MOST 20000
#define SOURCE_BYTES_MOST (1500 * 1000)
#define LINE_BYTES 300
#define PATH_BYTES 1000

struct writer {
    struct ts_json_stream *json;
    size_t rows;
    size_t source_bytes;
};

struct choice {
    const struct ts_lines_file *file;
    uint64_t executions; /* of all its lines */
};

static int compare_choices(const void *left, const void *right) {
    const struct choice *a = left, *b = right;
    if (a->executions != b->executions)
        return a->executions < b->executions ? 1 : -1;
    return strcmp(a->file->path, b->file->path);
}

static struct choice *sort_files(const struct ts_lines *lines) {
    struct choice *choices = ts_memory_new(lines->file_count + 1, sizeof *choices);
    for (size_t i = 0; i < lines->file_count; i++) {
        choices[i].file = &lines->files[i];
        for (size_t l = 0; l < lines->files[i].line_count; l++)
            if (__builtin_add_overflow(choices[i].executions, lines->files[i].lines[l].count, &choices[i].executions))
                choices[i].executions = UINT64_MAX;
    }
    qsort(choices, lines->file_count, sizeof *choices, compare_choices);
    return choices;
}

static void put_text(struct writer *writer, const char *text, size_t most) {
    char *to = ts_json_stream_room(writer->json, TS_JSON_ESCAPED_BYTES(PATH_BYTES) + 2), *from = to;
    *to++ = '"';
    to = ts_json_escape(to, text, most);
    *to++ = '"';
    ts_json_stream_used(writer->json, to);
    writer->source_bytes += (size_t)(to - from) + 1;
}

static void write_rows(struct writer *writer, const struct ts_lines_file *file) {
    for (size_t i = 0; i < file->line_count; i++) {
        const struct ts_lines_line *line = &file->lines[i];
        const uint64_t numbers[] = {line->line, line->count, line->calls, line->calls_ns};
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
            ts_json_stream_text(writer->json, i || k ? "," : "");
            ts_json_stream_unsigned(writer->json, numbers[k]);
        }
    }
    writer->rows += file->line_count;
}

/* While there is room. */
static void write_source(struct writer *writer, const struct ts_lines_file *file) {
    const char *before = "";
    char *text = NULL;
    size_t room = 0;
    FILE *source = ts_source_file_open(file->path);
    for (ssize_t bytes;
         source && writer->source_bytes < SOURCE_BYTES_MOST && (bytes = getline(&text, &room, source)) >= 0;
         before = ",\n") {
        if (bytes && text[bytes - 1] == '\n')
            text[bytes - 1] = '\0';
        ts_json_stream_text(writer->json, before);
        put_text(writer, text, LINE_BYTES);
    }
    if (source)
        fclose(source);
    free(text);
}

static void write_file(struct writer *writer, const struct ts_lines_file *file) {
    ts_json_stream_text(writer->json, "\n{\"path\":");
    put_text(writer, file->path, PATH_BYTES);
    ts_json_stream_text(writer->json, ",\"rows\":[");
    write_rows(writer, file);
    ts_json_stream_text(writer->json, "],\"source\":[");
    write_source(writer, file);
    ts_json_stream_text(writer->json, "]}");
}

void ts_html_lines_write(const struct ts_lines *lines, struct ts_json_stream *json) {
    struct writer writer = {.json = json};
    struct choice *choices = sort_files(lines);
    size_t left_out = 0;
    const char *before = "";
    ts_json_stream_text(json, "\"lines\":[");
    for (size_t i = 0; i < lines->file_count; i++) {
        if (choices[i].file->line_count > ROWS_MOST - writer.rows || writer.source_bytes >= SOURCE_BYTES_MOST) {
            left_out++;
            continue;
        }
        ts_json_stream_text(json, before);
        write_file(&writer, choices[i].file);
        before = ",";
    }
    ts_json_stream_text(json, "],\"lineFilesLeftOut\":");
    ts_json_stream_unsigned(json, left_out);
    free(choices);
}
