#include "render/kept_names_write.h"

#include "render/kept_names.h"
#include "render/memory.h"
#include "render/object_names.h"
#include "render/output.h"
#include "render/session_private.h"
#include "render/sites.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct writing {
    FILE *out;
    const struct ts_object *object; /* what is written is of it */
};

static void write_text(FILE *out, const char *text) {
    for (const char *at = text; *at; at++)
        if (*at < ' ' || *at > '~' || *at == '\\')
            fprintf(out, "\\x%02x", (uint8_t)*at);
        else
            putc(*at, out);
}

/* What nobody asked for, or what cannot be known any more, is not kept. */
static bool is_kept(const struct ts_object *object) {
    return object && object->build_id_bytes && object->symbols_tried && (object->symbols || object->failure);
}

static void begin_fact(struct writing *writing, const struct ts_object *object, enum ts_kept_kind kind,
                       uint64_t address) {
    if (writing->object != object) {
        fputs("module ", writing->out);
        for (uint32_t i = 0; i < object->build_id_bytes; i++)
            fprintf(writing->out, "%02x", object->build_id[i]);
        putc(' ', writing->out);
        write_text(writing->out, object->path);
        putc('\n', writing->out);
        writing->object = object;
    }
    fprintf(writing->out, "%s %" PRIx64, ts_kept_words[kind], address);
}

static void write_name(struct writing *writing, struct ts_object *object, uint64_t address) {
    const char *name;
    enum ts_told told = ts_object_name(object, address, &name);
    if (told == TS_NOT_TOLD)
        return;
    begin_fact(writing, object, TS_KEPT_NAME, address);
    if (told == TS_TOLD) {
        putc(' ', writing->out);
        write_text(writing->out, name);
    }
    putc('\n', writing->out);
}

static void write_place(struct writing *writing, struct ts_object *object, enum ts_kept_kind kind, uint64_t address) {
    struct ts_source source;
    enum ts_told told =
        kind == TS_KEPT_SOURCE ? ts_object_source(object, address, &source) : ts_object_row(object, address, &source);
    if (told == TS_NOT_TOLD)
        return;
    begin_fact(writing, object, kind, address);
    if (told == TS_TOLD && source.file[0]) {
        fprintf(writing->out, " %" PRIu32 " ", source.line);
        write_text(writing->out, source.file);
    }
    putc('\n', writing->out);
}

static void write_function(struct writing *writing, struct ts_function *function) {
    struct ts_object *object = function->object;
    if (!function->hooked)
        write_name(writing, object, function->address);
    if (function->source_tried || object->failure)
        write_place(writing, object, TS_KEPT_SOURCE, function->address);
    if (function->line_tried || object->failure)
        write_place(writing, object, TS_KEPT_LINE, function->address);
}

static void write_site_functions(struct writing *writing, struct ts_object *object, uint64_t address) {
    const char *names[TS_SITE_FUNCTIONS_MOST];
    uint64_t start;
    enum ts_told told = ts_object_start(object, address, &start);
    if (told == TS_NOT_TOLD)
        return;
    begin_fact(writing, object, TS_KEPT_START, address);
    if (told == TS_TOLD)
        fprintf(writing->out, " %" PRIx64, start);
    putc('\n', writing->out);
    size_t count = ts_object_inlined_at(object, address, names, TS_SITE_FUNCTIONS_MOST);
    for (size_t i = 0; i < count; i++) {
        if (!names[i][0])
            continue;
        begin_fact(writing, object, TS_KEPT_INLINED, address);
        putc(' ', writing->out);
        write_text(writing->out, names[i]);
        putc('\n', writing->out);
    }
}

static void write_site(struct writing *writing, const struct ts_site *site) {
    if (site->at_tried || site->object->failure)
        write_place(writing, site->object, TS_KEPT_LINE, site->address);
    if (site->functions || site->object->failure)
        write_site_functions(writing, site->object, site->address);
}

static int compare_places(const struct ts_object *a, uint64_t a_address, const struct ts_object *b,
                          uint64_t b_address) {
    int paths = a == b ? 0 : strcmp(a->path, b->path);
    if (!paths && a != b) /* one path, two builds */
        paths = memcmp(a->build_id, b->build_id, sizeof a->build_id);
    return paths ? paths : (a_address > b_address) - (a_address < b_address);
}

static int compare_functions(const void *a, const void *b) {
    const struct ts_function *left = *(struct ts_function *const *)a, *right = *(struct ts_function *const *)b;
    return compare_places(left->object, left->address, right->object, right->address);
}

static int compare_sites(const void *a, const void *b) {
    const struct ts_site *left = *(struct ts_site *const *)a, *right = *(struct ts_site *const *)b;
    return compare_places(left->object, left->address, right->object, right->address);
}

static void write_functions(struct writing *writing, const struct ts_functions *functions) {
    uint32_t all = ts_functions_count(functions);
    size_t count = 0;
    struct ts_function **kept = ts_memory_new(all, sizeof(struct ts_function *));
    for (uint32_t id = 0; id < all; id++) {
        struct ts_function *function = ts_functions_at(functions, id);
        if (is_kept(function->object) && !function->is_moment && function->address != TS_FUNCTION_NO_ADDRESS)
            kept[count++] = function;
    }
    qsort(kept, count, sizeof(struct ts_function *), compare_functions);
    for (size_t i = 0; i < count; i++)
        write_function(writing, kept[i]);
    free(kept);
}

static void write_sites(struct writing *writing, const struct ts_sites *sites) {
    size_t all = ts_sites_count(sites), count = 0;
    struct ts_site **kept = ts_memory_new(all, sizeof(struct ts_site *));
    for (size_t id = 0; id < all; id++) {
        struct ts_site *site = ts_sites_at(sites, id);
        if (is_kept(site->object))
            kept[count++] = site;
    }
    qsort(kept, count, sizeof(struct ts_site *), compare_sites);
    for (size_t i = 0; i < count; i++)
        write_site(writing, kept[i]);
    free(kept);
}

/* So that a later look at how a process was killed finds the names of its last stack. */
static void find_crashes(const struct ts_session *session) {
    for (size_t i = 0; i < session->process_count; i++) {
        const struct ts_process *process = session->processes[i];
        const struct ts_crash *crash = ts_facts_crash(process->trace, ts_process_facts_of(process), session->functions);
        for (size_t frame = 0; crash && frame < crash->frame_count; frame++)
            ts_function_name(crash->frames[frame].function);
    }
}

static void end_text(FILE *out, const char *text, size_t bytes) {
    fprintf(out, "end %" PRIx64 "\n", ts_kept_names_hash(text, bytes));
}

static void write_fact(FILE *out, const struct ts_kept_fact *fact) {
    fprintf(out, "%s %" PRIx64, ts_kept_words[fact->kind], fact->address);
    if (!fact->none)
        putc(' ', out);
    if (!fact->none && fact->kind == TS_KEPT_START)
        fprintf(out, "%" PRIx64, fact->number);
    if (!fact->none && (fact->kind == TS_KEPT_SOURCE || fact->kind == TS_KEPT_LINE))
        fprintf(out, "%" PRIu64 " ", fact->number);
    if (fact->text)
        write_text(out, fact->text);
    putc('\n', out);
}

/* What was kept before, and not asked for now: other output asks for other facts. `text` is what is written so far. */
static void write_older(FILE *out, struct ts_kept_names *older, const char *text, size_t bytes) {
    const struct ts_kept_facts *facts = ts_kept_names_all(older);
    struct ts_kept_names *newer = ts_kept_names_new();
    const char *build_id = NULL;
    if (!facts->count)
        goto out;
    char *copy = NULL;
    size_t copied = 0;
    FILE *whole = open_memstream(&copy, &copied);
    if (!whole)
        goto out;
    fwrite(text, 1, bytes, whole);
    end_text(whole, text, bytes);
    if (fclose(whole) == 0)
        ts_kept_names_add_text(newer, copy, copied); /* room for a NUL is behind it */
    else
        free(copy);
    for (size_t i = 0; i < facts->count; i++) {
        const struct ts_kept_fact *fact = &facts->facts[i];
        bool asked =
            ts_kept_names_knows(newer, fact->build_id, fact->kind, fact->address) ||
            (fact->kind == TS_KEPT_INLINED && ts_kept_names_knows(newer, fact->build_id, TS_KEPT_START, fact->address));
        if (asked)
            continue;
        if (build_id != fact->build_id) {
            fprintf(out, "module %s ", fact->build_id);
            write_text(out, fact->path);
            putc('\n', out);
            build_id = fact->build_id;
        }
        write_fact(out, fact);
    }
out:
    ts_kept_names_free(newer);
}

int ts_kept_names_write(struct ts_session *session, const char *directory, struct ts_error *error) {
    struct writing writing = {0};
    struct ts_output output;
    char *text = NULL, *path = ts_memory_text("%s/" TS_KEPT_FILE, directory);
    size_t bytes = 0;
    int result = 0;
    find_crashes(session);
    writing.out = open_memstream(&text, &bytes);
    if (!writing.out) {
        result = ts_error_set(error, "cannot write %s: %s", path, strerror(errno));
        goto out;
    }
    fputs(TS_KEPT_FIRST TS_KEPT_VERSION "\n", writing.out);
    write_functions(&writing, session->functions);
    write_sites(&writing, session->sites);
    if (fflush(writing.out) == 0) {
        char *newer = ts_memory_copy(text, bytes); /* the stream moves what it grows */
        write_older(writing.out, ts_functions_kept(session->functions), newer, bytes);
        free(newer);
    }
    if (fclose(writing.out) != 0)
        result = ts_error_set(error, "cannot write %s: %s", path, strerror(errno));
    else if (bytes > TS_KEPT_BYTES_MOST - sizeof "end 0123456789abcdef\n")
        result = ts_error_set(error, "cannot write %s: the names are too many", path);
    if (result != 0 || !writing.object)
        goto out;
    if ((result = ts_output_open(&output, path, error)) != 0)
        goto out;
    fwrite(text, 1, bytes, output.stream);
    end_text(output.stream, text, bytes);
    result = ts_output_close(&output, true, error);
out:
    free(text);
    free(path);
    return result;
}
