#include "render/lines_gather.h"

#include "render/demangle.h"
#include "render/memory.h"

#include <stdlib.h>
#include <string.h>

#define ADD(file, field, counter, room)                                                                                \
    ((file)->field = ts_memory_grow((file)->field, &(file)->room, (file)->counter + 1, sizeof *(file)->field),         \
     &(file)->field[(file)->counter++])

/* The file of this path; those asked for one after the other are mostly the same. */
static struct ts_lines_file *file_of(struct ts_lines *lines, const char *path) {
    if (lines->file_count && !strcmp(lines->files[lines->recent].path, path))
        return &lines->files[lines->recent];
    for (lines->recent = 0; lines->recent < lines->file_count; lines->recent++)
        if (!strcmp(lines->files[lines->recent].path, path))
            return &lines->files[lines->recent];
    struct ts_lines_file *file = ADD(lines, files, file_count, file_capacity);
    *file = (struct ts_lines_file){.path = ts_memory_copy(path, strlen(path))};
    return file;
}

void ts_lines_gather_line(struct ts_lines *lines, const char *file, uint32_t line, uint64_t count) {
    struct ts_lines_file *its = file_of(lines, file);
    *ADD(its, lines, line_count, line_capacity) = (struct ts_lines_line){.line = line, .count = count};
}

void ts_lines_gather_branch(struct ts_lines *lines, const struct ts_line_branch *branch) {
    struct ts_lines_file *its = file_of(lines, branch->file);
    *ADD(its, branches, branch_count, branch_capacity) = *branch;
}

void ts_lines_gather_function(struct ts_lines *lines, const struct ts_source *source, const char *linkage_name,
                              uint64_t count) {
    struct ts_lines_file *its = file_of(lines, source->file);
    *ADD(its, functions, function_count, function_capacity) =
        (struct ts_lines_function){source->line, ts_demangle(linkage_name), count};
}

void ts_lines_gather_switch(struct ts_lines *lines, const struct ts_source *source,
                            const struct ts_executed_case *executed) {
    struct ts_lines_file *its = file_of(lines, source->file);
    *ADD(its, switches, switch_count, switch_capacity) = (struct ts_lines_switch){
        source->line, executed->address, executed->value, executed->is_default, executed->count};
}

void ts_lines_gather_compare(struct ts_lines *lines, const struct ts_source *source,
                             const struct ts_executed_pair *executed) {
    struct ts_lines_file *its = file_of(lines, source->file);
    *ADD(its, compares, compare_count, compare_capacity) = (struct ts_lines_compare){source->line, *executed};
}

void ts_lines_keep_symbols(struct ts_lines *lines, struct ts_symbols *symbols) {
    *ADD(lines, symbols, symbols_count, symbols_capacity) = symbols;
}

static int compare_numbers(uint64_t left, uint64_t right) {
    return (left > right) - (left < right);
}

static int compare_lines(const void *left, const void *right) {
    const struct ts_lines_line *a = left, *b = right;
    return compare_numbers(a->line, b->line);
}

static int compare_branches(const void *left, const void *right) {
    const struct ts_line_branch *a = left, *b = right;
    return a->line != b->line ? compare_numbers(a->line, b->line) : compare_numbers(a->address, b->address);
}

static int compare_functions(const void *left, const void *right) {
    const struct ts_lines_function *a = left, *b = right;
    return a->line != b->line ? compare_numbers(a->line, b->line) : strcmp(a->name, b->name);
}

static int compare_switches(const void *left, const void *right) {
    const struct ts_lines_switch *a = left, *b = right;
    if (a->line != b->line)
        return compare_numbers(a->line, b->line);
    if (a->address != b->address)
        return compare_numbers(a->address, b->address);
    return a->is_default != b->is_default ? (a->is_default ? 1 : -1) : compare_numbers(a->value, b->value);
}

static int compare_compares(const void *left, const void *right) {
    const struct ts_lines_compare *a = left, *b = right;
    if (a->line != b->line)
        return compare_numbers(a->line, b->line);
    if (a->pair.address != b->pair.address)
        return compare_numbers(a->pair.address, b->pair.address);
    if (a->pair.is_others != b->pair.is_others)
        return a->pair.is_others ? 1 : -1;
    return a->pair.left != b->pair.left ? compare_numbers(a->pair.left, b->pair.left)
                                        : compare_numbers(a->pair.right, b->pair.right);
}

static int compare_files(const void *left, const void *right) {
    const struct ts_lines_file *a = left, *b = right;
    return strcmp(a->path, b->path);
}

static void sort(void *items, size_t count, size_t bytes, int (*compare)(const void *left, const void *right)) {
    if (count)
        qsort(items, count, bytes, compare);
}

static void finish_file(struct ts_lines_file *file) {
    size_t kept = 0;
    sort(file->lines, file->line_count, sizeof *file->lines, compare_lines);
    for (size_t i = 0; i < file->line_count; i++)
        if (kept && file->lines[kept - 1].line == file->lines[i].line)
            file->lines[kept - 1].count += file->lines[i].count;
        else
            file->lines[kept++] = file->lines[i];
    file->line_count = kept;
    sort(file->branches, file->branch_count, sizeof *file->branches, compare_branches);
    sort(file->functions, file->function_count, sizeof *file->functions, compare_functions);
    sort(file->switches, file->switch_count, sizeof *file->switches, compare_switches);
    sort(file->compares, file->compare_count, sizeof *file->compares, compare_compares);
}

void ts_lines_finish(struct ts_lines *lines) {
    for (size_t i = 0; i < lines->file_count; i++)
        finish_file(&lines->files[i]);
    sort(lines->files, lines->file_count, sizeof *lines->files, compare_files);
}

void ts_lines_add_calls(struct ts_lines *lines, const struct ts_line_time *time) {
    struct ts_lines_file wanted = {.path = (char *)time->file};
    struct ts_lines_line key = {.line = time->line};
    struct ts_lines_file *its =
        lines->file_count ? bsearch(&wanted, lines->files, lines->file_count, sizeof wanted, compare_files) : NULL;
    struct ts_lines_line *found =
        its && its->line_count ? bsearch(&key, its->lines, its->line_count, sizeof key, compare_lines) : NULL;
    if (found) {
        found->calls += time->calls;
        found->calls_ns += time->ns;
    }
}

void ts_lines_free(struct ts_lines *lines) {
    for (size_t i = 0; i < lines->file_count; i++) {
        struct ts_lines_file *file = &lines->files[i];
        for (size_t f = 0; f < file->function_count; f++)
            free((char *)file->functions[f].name);
        free(file->path);
        free(file->lines);
        free(file->branches);
        free(file->functions);
        free(file->switches);
        free(file->compares);
    }
    for (size_t i = 0; i < lines->symbols_count; i++)
        ts_symbols_close(lines->symbols[i]);
    for (size_t i = 0; i < lines->problem_count; i++)
        free(lines->problems[i]);
    free(lines->files);
    free(lines->symbols);
    free(lines->problems);
    *lines = (struct ts_lines){.files = NULL};
}
