/* A tracefile of lcov, as geninfo(1) describes it: functions, branches and lines of each source file. */
#include "render/lines.h"
#include "render/text_escape.h"

#include <inttypes.h>

static void write_functions(FILE *out, const struct ts_lines_file *file) {
    size_t hit = 0;
    for (size_t i = 0; i < file->function_count; i++) {
        fprintf(out, "FN:%" PRIu32 ",", file->functions[i].line);
        ts_text_write_name(out, file->functions[i].name);
        putc('\n', out);
    }
    for (size_t i = 0; i < file->function_count; i++) {
        fprintf(out, "FNDA:%" PRIu64 ",", file->functions[i].count);
        ts_text_write_name(out, file->functions[i].name);
        putc('\n', out);
        hit += file->functions[i].count != 0;
    }
    fprintf(out, "FNF:%zu\nFNH:%zu\n", file->function_count, hit);
}

/* Where there are switches, the cases stand behind the branches of their line, as one block each. */
static void write_branches(FILE *out, const struct ts_lines_file *file) {
    size_t found = 0, hit = 0;
    unsigned block = 0;
    uint32_t line = 0;
    for (size_t i = 0; i < file->branch_count; i++) {
        const struct ts_line_branch *branch = &file->branches[i];
        if (!branch->known)
            continue;
        block = branch->line == line ? block + 1 : 0;
        line = branch->line;
        for (unsigned way = 0; way < 2; way++) {
            if (branch->reached)
                fprintf(out, "BRDA:%" PRIu32 ",%u,%u,%" PRIu64 "\n", branch->line, block, way, branch->counts[way]);
            else
                fprintf(out, "BRDA:%" PRIu32 ",%u,%u,-\n", branch->line, block, way);
            found++;
            hit += branch->counts[way] != 0;
        }
    }
    for (size_t i = 0, number = 0; i < file->switch_count; i++) {
        const struct ts_lines_switch *its = &file->switches[i];
        number = i && file->switches[i - 1].address == its->address ? number + 1 : 0;
        fprintf(out, "BRDA:%" PRIu32 ",%" PRIu64 ",%zu,%" PRIu64 "\n", its->line, its->address & 0x7fffffff, number,
                its->count);
        found++;
        hit += its->count != 0;
    }
    if (found)
        fprintf(out, "BRF:%zu\nBRH:%zu\n", found, hit);
}

int ts_lines_write_lcov(const struct ts_lines *lines, FILE *out, struct ts_error *error) {
    (void)error;
    for (size_t i = 0; i < lines->file_count; i++) {
        const struct ts_lines_file *file = &lines->files[i];
        size_t hit = 0;
        fputs("TN:\nSF:", out);
        ts_text_write_name(out, file->path);
        putc('\n', out);
        write_functions(out, file);
        write_branches(out, file);
        for (size_t l = 0; l < file->line_count; l++) {
            fprintf(out, "DA:%" PRIu32 ",%" PRIu64 "\n", file->lines[l].line, file->lines[l].count);
            hit += file->lines[l].count != 0;
        }
        fprintf(out, "LF:%zu\nLH:%zu\nend_of_record\n", file->line_count, hit);
    }
    return 0;
}
