/* The source with counts, in the manner of gcov: `count: time: line: source`, `#####` for a line never executed. */
#include "render/duration_text.h"
#include "render/lines.h"
#include "render/source_file.h"
#include "render/text_escape.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Where the writing of one file's lines stands. */
struct place {
    size_t line;
    size_t branch;
    size_t a_switch;
    size_t compare;
    unsigned branch_number; /* on its line */
};

/* Source, without its newline: tabs stay, nothing else of it may move a terminal. */
static void write_source(FILE *out, char *text) {
    char *tab;
    for (; (tab = strchr(text, '\t')); text = tab + 1) {
        *tab = '\0';
        ts_text_write_name(out, text);
        putc('\t', out);
    }
    ts_text_write_name(out, text);
    putc('\n', out);
}

static void write_head(FILE *out, const struct ts_lines_line *line, uint32_t number) {
    if (!line)
        fprintf(out, "%10s:%9s:", "-", "");
    else if (line->count)
        fprintf(out, "%10" PRIu64 ":", line->count);
    else
        fprintf(out, "%10s:", "#####");
    if (line && line->calls_ns) {
        struct ts_duration_text time = ts_duration_token(line->calls_ns);
        fprintf(out, "%*s%s:", 9 - ts_duration_columns(&time), "", time.text);
    } else if (line) {
        fprintf(out, "%9s:", "");
    }
    fprintf(out, "%5" PRIu32 ":", number);
}

static void write_branches(FILE *out, const struct ts_lines_file *file, uint32_t line, struct place *at) {
    unsigned number = 0;
    for (; at->branch < file->branch_count && file->branches[at->branch].line <= line; at->branch++)
        for (unsigned way = 0; way < 2 && file->branches[at->branch].line == line; way++) {
            const struct ts_line_branch *branch = &file->branches[at->branch];
            if (branch->reached && branch->known)
                fprintf(out, "branch %2u taken %" PRIu64 "\n", number++, branch->counts[way]);
            else if (branch->reached)
                fprintf(out, "branch %2u not known\n", number++);
            else
                fprintf(out, "branch %2u never executed\n", number++);
        }
    for (; at->a_switch < file->switch_count && file->switches[at->a_switch].line <= line; at->a_switch++) {
        const struct ts_lines_switch *its = &file->switches[at->a_switch];
        if (its->is_default)
            fprintf(out, "default taken %" PRIu64 "\n", its->count);
        else
            fprintf(out, "case %" PRId64 " taken %" PRIu64 "\n", (int64_t)its->value, its->count);
    }
}

static void write_operand(FILE *out, const struct ts_executed_pair *pair, uint64_t value) {
    double wide;
    float narrow;
    uint32_t bits = (uint32_t)value;
    if (pair->is_float && pair->bytes == sizeof wide) {
        memcpy(&wide, &value, sizeof wide);
        fprintf(out, "%.17g", wide);
    } else if (pair->is_float) {
        memcpy(&narrow, &bits, sizeof narrow);
        fprintf(out, "%.9g", (double)narrow);
    } else {
        unsigned unused = pair->bytes && pair->bytes < 8 ? 64 - 8 * pair->bytes : 0;
        fprintf(out, "%" PRId64, (int64_t)(value << unused) >> unused);
    }
}

static void write_compares(FILE *out, const struct ts_lines_file *file, uint32_t line, struct place *at) {
    for (; at->compare < file->compare_count && file->compares[at->compare].line <= line; at->compare++) {
        const struct ts_executed_pair *pair = &file->compares[at->compare].pair;
        if (pair->is_others) {
            fprintf(out, "compared others %" PRIu64 "\n", pair->count);
            continue;
        }
        fputs("compared ", out);
        write_operand(out, pair, pair->left);
        fputs(" with ", out);
        write_operand(out, pair, pair->right);
        fprintf(out, " %" PRIu64 "\n", pair->count);
    }
}

static void write_line(FILE *out, const struct ts_lines_file *file, uint32_t number, char *source, struct place *at) {
    const struct ts_lines_line *line = at->line < file->line_count ? &file->lines[at->line] : NULL;
    if (line && line->line != number)
        line = NULL;
    write_head(out, line, number);
    write_source(out, source);
    if (line)
        at->line++;
    write_branches(out, file, number, at);
    write_compares(out, file, number, at);
}

static void write_file(FILE *out, const struct ts_lines_file *file) {
    struct place at = {0};
    char *text = NULL, end[] = "/*EOF*/";
    size_t room = 0;
    uint32_t number = 0;
    fprintf(out, "%10s:%9s:%5u:Source:", "-", "", 0u);
    ts_text_write_name(out, file->path);
    putc('\n', out);
    FILE *source = ts_source_file_open(file->path);
    for (ssize_t bytes; source && (bytes = getline(&text, &room, source)) >= 0;) {
        if (bytes && text[bytes - 1] == '\n')
            text[bytes - 1] = '\0';
        write_line(out, file, ++number, text, &at);
    }
    while (at.line < file->line_count) /* the source is gone, or has become shorter */
        write_line(out, file, file->lines[at.line].line, end, &at);
    if (source)
        fclose(source);
    free(text);
}

int ts_lines_write_text(const struct ts_lines *lines, FILE *out, struct ts_error *error) {
    (void)error;
    if (!lines->file_count)
        fputs("(no lines)\n", out);
    for (size_t i = 0; i < lines->file_count; i++)
        write_file(out, &lines->files[i]);
    return 0;
}
