/* {"files": [{"file", "functions": [...], "lines": [{"line", "count", "calls_ns", ...}], "switches", "compares"}]} */
#include "render/json_document.h"
#include "render/lines.h"

static void add_functions(cJSON *document, const struct ts_lines_file *file) {
    cJSON *functions = ts_json_add_array(document, "functions");
    for (size_t i = 0; i < file->function_count; i++) {
        cJSON *function = ts_json_add_object(functions, NULL);
        ts_json_add_text(function, "name", file->functions[i].name);
        ts_json_add_unsigned(function, "line", file->functions[i].line);
        ts_json_add_unsigned(function, "count", file->functions[i].count);
    }
}

/* Those of one line; *at moves behind them. Counts of null are not known. */
static void add_branches(cJSON *line, const struct ts_lines_file *file, uint32_t number, size_t *at) {
    while (*at < file->branch_count && file->branches[*at].line < number)
        ++*at;
    if (*at == file->branch_count || file->branches[*at].line != number)
        return;
    cJSON *branches = ts_json_add_array(line, "branches");
    for (; *at < file->branch_count && file->branches[*at].line == number; ++*at) {
        cJSON *branch = ts_json_add_object(branches, NULL);
        ts_json_add_unsigned(branch, "column", file->branches[*at].column);
        if (!file->branches[*at].known) {
            ts_json_add_text(branch, "counts", NULL);
            continue;
        }
        cJSON *counts = ts_json_add_array(branch, "counts");
        ts_json_add_unsigned(counts, NULL, file->branches[*at].counts[0]);
        ts_json_add_unsigned(counts, NULL, file->branches[*at].counts[1]);
    }
}

static void add_lines(cJSON *document, const struct ts_lines_file *file) {
    cJSON *lines = ts_json_add_array(document, "lines");
    size_t branch = 0;
    for (size_t i = 0; i < file->line_count; i++) {
        cJSON *line = ts_json_add_object(lines, NULL);
        ts_json_add_unsigned(line, "line", file->lines[i].line);
        ts_json_add_unsigned(line, "count", file->lines[i].count);
        ts_json_add_unsigned(line, "calls", file->lines[i].calls);
        ts_json_add_unsigned(line, "calls_ns", file->lines[i].calls_ns);
        add_branches(line, file, file->lines[i].line, &branch);
    }
}

static void add_switches(cJSON *document, const struct ts_lines_file *file) {
    cJSON *switches = ts_json_add_array(document, "switches");
    for (size_t i = 0; i < file->switch_count; i++) {
        const struct ts_lines_switch *its = &file->switches[i];
        cJSON *item = ts_json_add_object(switches, NULL);
        ts_json_add_unsigned(item, "line", its->line);
        if (its->is_default)
            ts_json_add_text(item, "case", "default");
        else
            ts_json_add_signed(item, "case", (int64_t)its->value);
        ts_json_add_unsigned(item, "count", its->count);
    }
}

/* Operands are their bits, as unsigned numbers. */
static void add_compares(cJSON *document, const struct ts_lines_file *file) {
    cJSON *compares = ts_json_add_array(document, "compares");
    for (size_t i = 0; i < file->compare_count; i++) {
        const struct ts_executed_pair *pair = &file->compares[i].pair;
        cJSON *compare = ts_json_add_object(compares, NULL);
        ts_json_add_unsigned(compare, "line", file->compares[i].line);
        ts_json_add_unsigned(compare, "bytes", pair->bytes);
        ts_json_add_truth(compare, "float", pair->is_float);
        if (!pair->is_others) {
            ts_json_add_unsigned(compare, "left", pair->left);
            ts_json_add_unsigned(compare, "right", pair->right);
        }
        ts_json_add_unsigned(compare, "count", pair->count);
    }
}

int ts_lines_write_json(const struct ts_lines *lines, FILE *out, struct ts_error *error) {
    cJSON *document = ts_json_document_new();
    cJSON *files = ts_json_add_array(document, "files");
    for (size_t i = 0; i < lines->file_count; i++) {
        cJSON *file = ts_json_add_object(files, NULL);
        ts_json_add_text(file, "file", lines->files[i].path);
        add_functions(file, &lines->files[i]);
        add_lines(file, &lines->files[i]);
        add_switches(file, &lines->files[i]);
        add_compares(file, &lines->files[i]);
    }
    return ts_json_document_write(document, out, "the lines", error);
}
