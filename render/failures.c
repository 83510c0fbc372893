#include "render/failures.h"

#include "render/memory.h"
#include "render/paint.h"
#include "render/replay.h"
#include "render/span_filter.h"
#include "render/text_escape.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct kind {
    struct ts_function *function;
    char *error;
    char *attributes; /* of its first call, as text */
    uint64_t count;
    size_t order;
};

struct failures {
    struct kind *kinds;
    size_t count;
    size_t capacity;
    uint64_t left_out; /* calls of kinds beyond the bound */
    /* The call that goes by. */
    struct ts_function *function;
    char error[64];
    char *text;
    size_t text_bytes;
    FILE *attributes;
};

static void enter_call(void *context, struct ts_function *function, uint64_t start_ns, unsigned flags) {
    struct failures *failures = context;
    (void)start_ns;
    (void)flags;
    failures->function = function;
    failures->error[0] = '\0';
    if (failures->attributes)
        rewind(failures->attributes);
}

static void add_attribute(void *context, const struct ts_attribute *attribute) {
    struct failures *failures = context;
    /* Where it happened is told by the tree: here each is a line. */
    if (!failures->attributes || !strcmp(attribute->key, "in") || !strcmp(attribute->key, "caller"))
        return;
    if (ftell(failures->attributes) > 0)
        fputs(", ", failures->attributes);
    ts_attribute_write_text(attribute, failures->attributes);
}

static void note_failure(void *context, const struct ts_failure *failure) {
    struct failures *failures = context;
    struct ts_attribute attribute = ts_failure_attribute(failure);
    if (failure->name)
        snprintf(failures->error, sizeof failures->error, "%s", failure->name);
    else
        snprintf(failures->error, sizeof failures->error, "%" PRId64, failure->code);
    add_attribute(failures, &attribute);
}

static struct kind *find_kind(struct failures *failures) {
    for (size_t i = 0; i < failures->count; i++) {
        struct kind *kind = &failures->kinds[i];
        if (!strcmp(kind->error, failures->error) &&
            (kind->function == failures->function ||
             !strcmp(ts_function_name(kind->function), ts_function_name(failures->function))))
            return kind;
    }
    return NULL;
}

static void add_kind(struct failures *failures) {
    size_t bytes = 0;
    if (failures->attributes) {
        bytes = (size_t)ftell(failures->attributes);
        fflush(failures->attributes);
    }
    failures->kinds =
        ts_memory_grow(failures->kinds, &failures->capacity, failures->count + 1, sizeof *failures->kinds);
    failures->kinds[failures->count] = (struct kind){.function = failures->function,
                                                     .error = ts_memory_copy(failures->error, strlen(failures->error)),
                                                     .attributes = ts_memory_copy(bytes ? failures->text : "", bytes),
                                                     .count = 1,
                                                     .order = failures->count};
    failures->count++;
}

static void leave_call(void *context, uint64_t end_ns, enum ts_leave_how how) {
    struct failures *failures = context;
    struct kind *kind = find_kind(failures);
    (void)end_ns;
    (void)how;
    if (kind)
        kind->count++;
    else if (failures->count >= TS_FAILURES_KINDS_MOST)
        failures->left_out++;
    else
        add_kind(failures);
}

/* Errors by which programs learn that there is nothing there, or nothing yet. */
static bool is_answer(const char *error) {
    static const char *const answers[] = {"ENOENT", "EAGAIN", "EEXIST",  "ENOTTY",
                                          "EINTR",  "ENXIO",  "ENOTDIR", "EINPROGRESS"};
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
        if (!strcmp(error, answers[i]))
            return true;
    return false;
}

static int compare_kinds(const void *left, const void *right) {
    const struct kind *a = left, *b = right;
    int answers = is_answer(a->error) - is_answer(b->error);
    if (answers)
        return answers;
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

static void write_kind(const struct kind *kind, bool colour, FILE *out) {
    fputs("traceshim: failed: ", out);
    ts_paint(out, colour, TS_PAINT_ERROR);
    ts_text_write_name(out, ts_function_name(kind->function));
    ts_paint(out, colour, TS_PAINT_END);
    fputs(" {", out);
    ts_text_write_name(out, ts_function_scope(kind->function));
    putc('}', out);
    if (kind->attributes[0])
        fprintf(out, " [%s]", kind->attributes);
    if (kind->count > 1)
        fprintf(out, ", and %" PRIu64 " more", kind->count - 1);
    putc('\n', out);
}

static void write_kinds(struct failures *failures, size_t most, bool colour, FILE *out) {
    size_t shown = failures->count <= most ? failures->count : most - 1;
    uint64_t more = failures->left_out;
    if (failures->count)
        qsort(failures->kinds, failures->count, sizeof *failures->kinds, compare_kinds);
    for (size_t i = 0; i < failures->count; i++) {
        if (i < shown)
            write_kind(&failures->kinds[i], colour, out);
        else
            more += failures->kinds[i].count;
    }
    if (more)
        fprintf(out, "traceshim: failed: %" PRIu64 " more calls: traceshim tree --errors\n", more);
}

void ts_failures_write(struct ts_session *session, size_t most, bool colour, FILE *out) {
    struct failures failures = {0};
    const struct ts_span_filter *given = session->filter;
    struct ts_span_filter filter = {.errors = true, .alone = true, .to_ns = UINT64_MAX};
    struct ts_sink sink = {.context = &failures,
                           .enter = enter_call,
                           .leave = leave_call,
                           .attribute = add_attribute,
                           .failure = note_failure};

    failures.attributes = open_memstream(&failures.text, &failures.text_bytes);
    session->filter = &filter;
    ts_replay(session, &sink, NULL);
    session->filter = given;
    write_kinds(&failures, most, colour, out);
    for (size_t i = 0; i < failures.count; i++) {
        free(failures.kinds[i].error);
        free(failures.kinds[i].attributes);
    }
    free(failures.kinds);
    if (failures.attributes)
        fclose(failures.attributes);
    free(failures.text);
}
