#include "render/diff.h"

#include "render/duration_text.h"
#include "render/memory.h"
#include "render/paint.h"
#include "render/report_layout.h"
#include "render/text_escape.h"
#include "render/variance.h"
#include "render/written.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A function of either side; the count is NULL where it is not called. */
struct line {
    const struct ts_function_row *row;
    const struct ts_call_count *before;
    const struct ts_call_count *after;
    bool slower;     /* or as fast */
    uint64_t change; /* of self time */
};

enum { COLUMN_CHANGE, COLUMN_SELF, COLUMN_TOTAL = 3, COLUMN_CALLS = 5, COLUMN_AVERAGE = 7, COLUMN_CHANCE = 9, COLUMNS };

static const char *const heads[COLUMNS] = {"# change", "self A",  "self B", "total A", "total B",
                                           "calls A",  "calls B", "avg A",  "avg B",   "p"};

struct cells {
    struct ts_duration_text texts[COLUMNS];
};

static int compare_rows(const void *left, const void *right) {
    return ts_function_rows_compare(((const struct line *)left)->row, ((const struct line *)right)->row);
}

static int compare_lines(const void *left_pointer, const void *right_pointer) {
    const struct line *left = left_pointer, *right = right_pointer;
    if (left->change != right->change)
        return left->change > right->change ? -1 : 1;
    if (left->slower != right->slower)
        return left->slower ? -1 : 1;
    return ts_function_rows_compare(left->row, right->row);
}

static void add_side(struct line *lines, const struct ts_call_stats *stats, bool is_after) {
    for (size_t i = 0; i < stats->counts_count; i++) {
        lines[i].row = &stats->rows.rows[i];
        *(is_after ? &lines[i].after : &lines[i].before) = &stats->counts[i];
    }
}

/* One line a function, from lines of both sides in one array. Returns how many. */
static size_t join(struct line *lines, size_t count) {
    size_t joined = 0;
    if (count)
        qsort(lines, count, sizeof *lines, compare_rows);
    for (size_t i = 0; i < count; i++) {
        struct line *last = joined ? &lines[joined - 1] : NULL;
        if (!last || ts_function_rows_compare(last->row, lines[i].row) != 0) {
            lines[joined++] = lines[i];
            continue;
        }
        last->before = lines[i].before ? lines[i].before : last->before;
        last->after = lines[i].after ? lines[i].after : last->after;
    }
    for (size_t i = 0; i < joined; i++) {
        uint64_t before = lines[i].before ? lines[i].before->self : 0,
                 after = lines[i].after ? lines[i].after->self : 0;
        lines[i].slower = after >= before;
        lines[i].change = after >= before ? after - before : before - after;
    }
    return joined;
}

static struct ts_duration_text count_text(const struct ts_call_count *count) {
    struct ts_duration_text text;
    snprintf(text.text, sizeof text.text, count ? "%" PRIu64 : "-", count ? count->calls : 0);
    return text;
}

static struct ts_duration_text duration_text(const struct ts_call_count *count, uint64_t ns) {
    return count ? ts_duration_token(ns) : (struct ts_duration_text){"-"};
}

static struct ts_duration_text signed_text(bool slower, uint64_t ns) {
    struct ts_duration_text token = ts_duration_token(ns), text;
    snprintf(text.text, sizeof text.text, "%s%.20s", ns == 0 ? "" : slower ? "+" : "-", token.text);
    return text;
}

/* `new` and `gone`: only one side calls it. */
static struct ts_duration_text chance_text(const struct line *line) {
    struct ts_duration_text text;
    if (!line->before || !line->after)
        return line->after ? (struct ts_duration_text){"new"} : (struct ts_duration_text){"gone"};
    double chance = ts_variance_chance(line->before, line->after);
    if (chance < 0)
        return (struct ts_duration_text){"-"};
    if (chance < 0.001)
        return (struct ts_duration_text){"<.001"};
    snprintf(text.text, sizeof text.text, "%.3f", chance);
    return text;
}

static struct cells cells_of(const struct line *line) {
    const struct ts_call_count *sides[] = {line->before, line->after};
    struct cells cells = {.texts[COLUMN_CHANGE] = signed_text(line->slower, line->change)};
    for (int side = 0; side < 2; side++) {
        const struct ts_call_count *count = sides[side];
        cells.texts[COLUMN_SELF + side] = duration_text(count, count ? count->self : 0);
        cells.texts[COLUMN_TOTAL + side] = duration_text(count, count ? count->total : 0);
        cells.texts[COLUMN_CALLS + side] = count_text(count);
        cells.texts[COLUMN_AVERAGE + side] = duration_text(count, count ? ts_report_average(count) : 0);
    }
    cells.texts[COLUMN_CHANCE] = chance_text(line);
    return cells;
}

static uint64_t self_of(const struct ts_call_stats *stats) {
    uint64_t self = 0;
    for (size_t i = 0; i < stats->counts_count; i++)
        self += stats->counts[i].self;
    return self;
}

static void write_header(const struct ts_diff_side *before, const struct ts_diff_side *after, FILE *out) {
    const struct ts_diff_side *sides[] = {before, after};
    for (int side = 0; side < 2; side++) {
        fprintf(out, "# %c: ", 'A' + side);
        ts_text_write_name(out, sides[side]->name);
        fprintf(out, ", %" PRIu64 " calls of %zu functions, %s in them\n", sides[side]->stats->calls,
                sides[side]->stats->counts_count, ts_duration_token(self_of(sides[side]->stats)).text);
    }
    fputs(
        "# change: of self time from A to B; the largest first; new, gone: called in B only, in A only\n"
        "# p: how likely the averages differ so much by chance (Welch's t-test): below .05 single calls differ, above "
        "it may be noise\n",
        out);
}

static void write_line(const struct cells *cells, const int widths[COLUMNS], FILE *out) {
    for (int c = 0; c < COLUMNS; c++) {
        int room = widths[c] - ts_duration_columns(&cells->texts[c]);
        if (c == 0)
            fprintf(out, "%s%*s", cells->texts[c].text, room, "");
        else
            fprintf(out, "  %*s%s", room, "", cells->texts[c].text);
    }
}

static void write_lines(const struct line *lines, size_t shown, bool colour, FILE *out) {
    int widths[COLUMNS];
    struct cells head;
    for (int c = 0; c < COLUMNS; c++) {
        widths[c] = (int)strlen(heads[c]);
        snprintf(head.texts[c].text, sizeof head.texts[c].text, "%s", heads[c]);
    }
    for (size_t i = 0; i < shown; i++) {
        struct cells cells = cells_of(&lines[i]);
        for (int c = 0; c < COLUMNS; c++) {
            int columns = ts_duration_columns(&cells.texts[c]);
            widths[c] = widths[c] < columns ? columns : widths[c];
        }
    }
    write_line(&head, widths, out);
    fputs("  name {scope}\n", out);
    for (size_t i = 0; i < shown; i++) {
        struct cells cells = cells_of(&lines[i]);
        write_line(&cells, widths, out);
        fputs("  ", out);
        ts_paint(out, colour, lines[i].slower && lines[i].change ? TS_PAINT_ERROR : TS_PAINT_NAME);
        ts_text_write_name(out, lines[i].row->name);
        ts_paint(out, colour, TS_PAINT_END);
        fputs(" {", out);
        ts_text_write_name(out, lines[i].row->scope);
        fputs("}\n", out);
    }
}

int ts_diff_write(const struct ts_diff_side *before, const struct ts_diff_side *after, uint64_t max_rows, bool colour,
                  FILE *out, struct ts_error *error) {
    size_t count_before = before->stats->counts_count;
    struct line *lines = ts_memory_new(count_before + after->stats->counts_count, sizeof *lines);
    add_side(lines, before->stats, false);
    add_side(lines + count_before, after->stats, true);
    size_t count = join(lines, count_before + after->stats->counts_count);
    if (count)
        qsort(lines, count, sizeof *lines, compare_lines);

    size_t shown = max_rows && max_rows < count ? (size_t)max_rows : count;
    ts_paint(out, colour, TS_PAINT_FAINT);
    write_header(before, after, out);
    ts_paint(out, colour, TS_PAINT_END);
    write_lines(lines, shown, colour, out);
    if (shown < count)
        fprintf(out, "# … %zu more functions\n", count - shown);
    free(lines);
    return ts_written_all(out, "the comparison", error);
}
