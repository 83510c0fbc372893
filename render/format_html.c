/*
 * One HTML file that opens from disk and fetches nothing: flame graph, timeline, functions, certificate, and the
 * source lines where any were counted. Its data is
 * JSON in an element that no browser runs, each `<` of it escaped: names come from the traced program.
 */
#include "render/formats.h"
#include "render/html_data.h"
#include "render/html_page.h"
#include "render/info_json.h"
#include "render/written.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SPANS_MOST 15000
#define MOMENTS_MOST 2000
#define ARGUMENT_BYTES_MOST (1500 * 1000)

/* JSON has `<` only inside of strings. */
static void write_safe(const char *json, size_t bytes, FILE *out) {
    const char *end = json + bytes;
    while (json < end) {
        const char *next = memchr(json, '<', (size_t)(end - json));
        size_t plain = (size_t)((next ? next : end) - json);
        fwrite(json, 1, plain, out);
        if (next)
            fputs("\\u003c", out);
        json += plain + (next != NULL);
    }
}

static char *certificate_of(struct ts_session *session, struct ts_error *error) {
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    int result =
        out ? ts_info_write_json(session, out, error) : ts_error_set(error, "cannot write HTML: out of memory");
    if (out)
        fclose(out);
    if (result == 0)
        return text;
    free(text);
    return NULL;
}

/* The data as JSON in memory: it is bounded, and nothing is written where it cannot be made. */
static int make_data(struct ts_session *session, char **json, size_t *bytes, struct ts_error *error) {
    struct ts_call_tree tree = {0};
    struct ts_html_timeline timeline = {
        .rows = &tree.rows, .moments_most = MOMENTS_MOST, .text_bytes_most = ARGUMENT_BYTES_MOST};
    struct ts_lines lines = {.files = NULL};
    struct ts_json_stream stream;
    int result = -1;

    char *certificate = certificate_of(session, error);
    if (!certificate)
        return -1;
    if (ts_lines_find(&lines, session, error) != 0) {
        ts_lines_free(&lines);
        free(certificate);
        return -1;
    }
    struct ts_sink sink = ts_call_tree_sink(&tree);
    ts_replay(session, &sink, NULL);
    ts_call_tree_sort(&tree);
    timeline.longest = ts_longest_of(session, SPANS_MOST, UINT64_MAX);
    sink = ts_html_timeline_sink(&timeline);
    ts_replay(session, &sink, NULL);
    ts_html_timeline_sort(&timeline);

    FILE *out = open_memstream(json, bytes);
    if (out) {
        ts_json_stream_open(&stream, out);
        ts_html_data_write(session, &tree, &timeline, &lines, certificate, &stream);
        result = ts_json_stream_close(&stream, "the HTML page", error);
        if (fclose(out) != 0)
            result = ts_error_set(error, "cannot write the HTML page: %s", strerror(errno));
    } else {
        ts_error_set(error, "cannot write the HTML page: %s", strerror(errno));
    }
    ts_html_timeline_free(&timeline);
    ts_call_tree_free(&tree);
    ts_lines_free(&lines);
    free(certificate);
    return result;
}

static void write_page(const char *json, size_t bytes, FILE *out) {
    for (const char *line = ts_html_page; *line;) {
        size_t length = strcspn(line, "\n");
        if (length == 6 && memcmp(line, "@style", length) == 0)
            fputs(ts_html_style, out);
        else if (length == 7 && memcmp(line, "@script", length) == 0)
            fputs(ts_html_script, out);
        else if (length == 5 && memcmp(line, "@data", length) == 0)
            write_safe(json, bytes, out), fputc('\n', out);
        else
            fwrite(line, 1, length + (line[length] != 0), out);
        line += length + (line[length] != 0);
    }
}

int ts_format_html(struct ts_session *session, const struct ts_format_options *options, FILE *out,
                   struct ts_error *error) {
    char *json = NULL;
    size_t bytes = 0;
    (void)options;

    int result = make_data(session, &json, &bytes, error);
    if (result == 0) {
        write_page(json, bytes, out);
        result = ts_written_all(out, "the HTML page", error);
    }
    free(json);
    return result;
}
