/* {"files": [{"file", "functions": [...], "lines": [{"line", "count", "calls_ns", ...}], "switches", "compares"}]} */
#include "render/json_stream.h"
#include "render/lines.h"

static void number(struct ts_json_stream *out, const char *before, uint64_t value) {
    ts_json_stream_text(out, before);
    ts_json_stream_unsigned(out, value);
}

static void write_functions(struct ts_json_stream *out, const struct ts_lines_file *file) {
    for (size_t i = 0; i < file->function_count; i++) {
        ts_json_stream_text(out, i ? ",\n{\"name\":" : "\n{\"name\":");
        ts_json_stream_string(out, file->functions[i].name);
        number(out, ",\"line\":", file->functions[i].line);
        number(out, ",\"count\":", file->functions[i].count);
        ts_json_stream_text(out, "}");
    }
}

static void write_branches(struct ts_json_stream *out, const struct ts_lines_file *file, uint32_t line, size_t *at) {
    const char *before = ",\"branches\":[{\"column\":"; /* counts of null: not known */
    while (*at < file->branch_count && file->branches[*at].line < line)
        ++*at;
    if (*at == file->branch_count || file->branches[*at].line != line)
        return;
    for (; *at < file->branch_count && file->branches[*at].line == line; ++*at) {
        number(out, before, file->branches[*at].column);
        if (file->branches[*at].known) {
            number(out, ",\"counts\":[", file->branches[*at].counts[0]);
            number(out, ",", file->branches[*at].counts[1]);
            ts_json_stream_text(out, "]}");
        } else {
            ts_json_stream_text(out, ",\"counts\":null}");
        }
        before = ",{\"column\":";
    }
    ts_json_stream_text(out, "]");
}

static void write_lines(struct ts_json_stream *out, const struct ts_lines_file *file) {
    size_t branch = 0;
    for (size_t i = 0; i < file->line_count; i++) {
        number(out, i ? ",\n{\"line\":" : "\n{\"line\":", file->lines[i].line);
        number(out, ",\"count\":", file->lines[i].count);
        number(out, ",\"calls_ns\":", file->lines[i].calls_ns);
        write_branches(out, file, file->lines[i].line, &branch);
        ts_json_stream_text(out, "}");
    }
}

static void write_switches(struct ts_json_stream *out, const struct ts_lines_file *file) {
    for (size_t i = 0; i < file->switch_count; i++) {
        const struct ts_lines_switch *its = &file->switches[i];
        number(out, i ? ",\n{\"line\":" : "\n{\"line\":", its->line);
        ts_json_stream_text(out, ",\"case\":");
        if (its->is_default)
            ts_json_stream_text(out, "\"default\"");
        else
            ts_json_stream_signed(out, (int64_t)its->value);
        number(out, ",\"count\":", its->count);
        ts_json_stream_text(out, "}");
    }
}

/* Operands are their bits, as unsigned numbers. */
static void write_compares(struct ts_json_stream *out, const struct ts_lines_file *file) {
    for (size_t i = 0; i < file->compare_count; i++) {
        const struct ts_executed_pair *pair = &file->compares[i].pair;
        number(out, i ? ",\n{\"line\":" : "\n{\"line\":", file->compares[i].line);
        number(out, ",\"bytes\":", pair->bytes);
        ts_json_stream_text(out, pair->is_float ? ",\"float\":true" : ",\"float\":false");
        if (!pair->is_others) {
            number(out, ",\"left\":", pair->left);
            number(out, ",\"right\":", pair->right);
        }
        number(out, ",\"count\":", pair->count);
        ts_json_stream_text(out, "}");
    }
}

int ts_lines_write_json(const struct ts_lines *lines, FILE *file, struct ts_error *error) {
    struct ts_json_stream out;
    ts_json_stream_open(&out, file);
    ts_json_stream_text(&out, "{\"files\":[");
    for (size_t i = 0; i < lines->file_count; i++) {
        ts_json_stream_text(&out, i ? ",\n{\"file\":" : "\n{\"file\":");
        ts_json_stream_string(&out, lines->files[i].path);
        ts_json_stream_text(&out, ",\"functions\":[");
        write_functions(&out, &lines->files[i]);
        ts_json_stream_text(&out, "],\n\"lines\":[");
        write_lines(&out, &lines->files[i]);
        ts_json_stream_text(&out, "],\n\"switches\":[");
        write_switches(&out, &lines->files[i]);
        ts_json_stream_text(&out, "],\n\"compares\":[");
        write_compares(&out, &lines->files[i]);
        ts_json_stream_text(&out, "]}");
    }
    ts_json_stream_text(&out, "\n]}\n");
    return ts_json_stream_close(&out, "the lines", error);
}
