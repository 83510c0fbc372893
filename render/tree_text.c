#include "render/tree_text.h"

#include "render/duration_text.h"
#include "render/paint.h"
#include "render/text_escape.h"

#include <inttypes.h>
#include <string.h>

void ts_tree_text_init(struct ts_tree_text *text, FILE *out, uint64_t max_lines) {
    memset(text, 0, sizeof *text);
    text->out = out;
    text->max_lines = max_lines;
}

bool ts_tree_text_is_full(const struct ts_tree_text *text) {
    return text->max_lines && text->lines >= text->max_lines;
}

/* Prefix and marker, and the prefix that the line's children will have. False: the line is beyond the limit. */
static bool begin_line(struct ts_tree_text *text, uint64_t depth, bool last) {
    size_t level = depth < TS_TREE_PREFIX_DEPTH ? (size_t)depth : TS_TREE_PREFIX_DEPTH;

    if (ts_tree_text_is_full(text)) {
        text->hidden++;
        return false;
    }
    text->lines++;
    ts_paint(text->out, text->colour, TS_PAINT_FAINT);
    fwrite(text->prefix, 1, text->prefix_bytes[level], text->out);
    fputs(last ? "└── " : "├── ", text->out);
    ts_paint(text->out, text->colour, TS_PAINT_END);
    if (level < TS_TREE_PREFIX_DEPTH) {
        const char *cell = last ? "    " : "│   ";
        size_t bytes = strlen(cell);
        memcpy(text->prefix + text->prefix_bytes[level], cell, bytes);
        text->prefix_bytes[level + 1] = text->prefix_bytes[level] + bytes;
    }
    if (depth > TS_TREE_PREFIX_DEPTH)
        fprintf(text->out, "[depth %" PRIu64 "] ", depth);
    return true;
}

void ts_tree_text_write(struct ts_tree_text *text, uint64_t depth, bool last, const struct ts_tree_line *line) {
    FILE *out = text->out;

    if (!begin_line(text, depth, last))
        return;
    bool is_long = text->long_ns && line->duration_ns >= text->long_ns;
    ts_paint(out, text->colour, line->error ? TS_PAINT_ERROR : TS_PAINT_NAME);
    ts_text_write_name(out, line->name);
    ts_paint(out, text->colour, TS_PAINT_END);
    if (line->from_stack) {
        fputs(" (from stack)", out);
    } else {
        fputs(" (", out);
        ts_paint(out, text->colour && is_long, TS_PAINT_LONG);
        fputs(line->unfinished ? "unfinished, >= " : "", out);
        fputs(ts_duration_text(line->duration_ns).text, out);
        ts_paint(out, text->colour && is_long, TS_PAINT_END);
        putc(')', out);
    }
    if (line->scope && strcmp(line->scope, "?") != 0) {
        ts_paint(out, text->colour, TS_PAINT_FAINT);
        fputs(" {", out);
        ts_text_write_name(out, line->scope);
        putc('}', out);
        ts_paint(out, text->colour, TS_PAINT_END);
    }
    if (line->error) {
        putc(' ', out);
        ts_paint(out, text->colour, TS_PAINT_ERROR);
        fputs("[ERROR]", out);
        ts_paint(out, text->colour, TS_PAINT_END);
    }
    for (size_t i = 0; i < line->attribute_count; i++) {
        fputs(i == 0 ? " [" : ", ", out);
        ts_attribute_write_text(&line->attributes[i], out);
    }
    if (line->attribute_count > 0)
        putc(']', out);
    putc('\n', out);
}

void ts_tree_text_write_more(struct ts_tree_text *text, uint64_t depth, uint64_t count) {
    if (begin_line(text, depth, true))
        fprintf(text->out, "… %" PRIu64 " more\n", count);
}

void ts_tree_text_hide(struct ts_tree_text *text, uint64_t count) {
    text->hidden += count;
}

void ts_tree_text_end(struct ts_tree_text *text) {
    if (text->hidden)
        fprintf(text->out, "… %" PRIu64 " more lines\n", text->hidden);
    else if (text->lines == 0)
        fputs("(no spans)\n", text->out);
}
