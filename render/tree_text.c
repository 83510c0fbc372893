#include "render/tree_text.h"

#include "render/duration_text.h"
#include "render/text_escape.h"

#include <inttypes.h>
#include <string.h>

void ts_tree_text_init(struct ts_tree_text *text, FILE *out, uint64_t max_lines) {
    memset(text, 0, sizeof *text);
    text->out = out;
    text->max_lines = max_lines;
}

/* Prefix and marker, and the prefix that the line's children will have. False: the line is beyond the limit. */
static bool begin_line(struct ts_tree_text *text, uint64_t depth, bool last) {
    size_t level = depth < TS_TREE_PREFIX_DEPTH ? (size_t)depth : TS_TREE_PREFIX_DEPTH;

    if (text->max_lines && text->lines >= text->max_lines) {
        text->hidden++;
        return false;
    }
    text->lines++;
    fwrite(text->prefix, 1, text->prefix_bytes[level], text->out);
    fputs(last ? "└── " : "├── ", text->out);
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
    ts_text_write_name(out, line->name);
    fputs(line->unfinished ? " (unfinished, >= " : " (", out);
    fputs(ts_duration_text(line->duration_ns).text, out);
    putc(')', out);
    if (line->scope && strcmp(line->scope, "?") != 0) {
        fputs(" {", out);
        ts_text_write_name(out, line->scope);
        putc('}', out);
    }
    if (line->error)
        fputs(" [ERROR]", out);
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
