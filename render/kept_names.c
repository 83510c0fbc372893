#include "render/kept_names.h"

#include "render/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct ts_kept_names {
    struct ts_text_list paths;
    struct ts_text_list contents; /* the facts point into them */
    struct ts_text_list problems;
    struct ts_kept_facts facts; /* by build-id, kind, address, order */
    bool read;
};

struct ts_kept_names *ts_kept_names_new(void) {
    return ts_memory_new(1, sizeof(struct ts_kept_names));
}

void ts_kept_names_free(struct ts_kept_names *kept) {
    if (!kept)
        return;
    ts_text_list_free(&kept->paths);
    ts_text_list_free(&kept->contents);
    ts_text_list_free(&kept->problems);
    free(kept->facts.facts);
    free(kept);
}

void ts_kept_names_add_file(struct ts_kept_names *kept, const char *path) {
    /* Traces come directory by directory. */
    if (kept->paths.count && !strcmp(kept->paths.texts[kept->paths.count - 1], path))
        return;
    ts_text_list_add(&kept->paths, ts_memory_text("%s", path));
}

static int fact_order(const struct ts_kept_fact *a, const struct ts_kept_fact *b) {
    int builds = a->build_id == b->build_id ? 0 : strcmp(a->build_id, b->build_id);
    if (builds)
        return builds;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return a->address == b->address ? 0 : a->address < b->address ? -1 : 1;
}

static int compare_facts(const void *a, const void *b) {
    const struct ts_kept_fact *left = a, *right = b;
    int order = fact_order(left, right);
    return order ? order : (left->order > right->order) - (left->order < right->order);
}

/* The content with room for one byte behind it; NULL and the error, with 0 in errno where there is no such file. */
static char *read_file(const char *path, size_t *bytes, struct ts_error *error) {
    struct stat status;
    char *text = NULL;
    ssize_t now = 1;
    *bytes = 0;
    /* A FIFO must not hang us. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        ts_error_set(error, "%s", strerror(errno));
        errno = errno == ENOENT || errno == ENOTDIR ? 0 : errno;
        return NULL;
    }
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
        ts_error_set(error, "it is no regular file");
        goto out;
    }
    if ((uint64_t)status.st_size > TS_KEPT_BYTES_MOST) {
        ts_error_set(error, "it is too large");
        goto out;
    }
    text = ts_memory_new(1, (size_t)status.st_size + 1);
    while (*bytes < (size_t)status.st_size && (now = read(fd, text + *bytes, (size_t)status.st_size - *bytes)) > 0)
        *bytes += (size_t)now;
    if (now < 0) {
        ts_error_set(error, "%s", strerror(errno));
        free(text);
        text = NULL;
    }
out:
    close(fd);
    errno = EINVAL;
    return text;
}

static void add_text(struct ts_kept_names *kept, const char *name, char *text, size_t bytes) {
    struct ts_error error;
    ts_text_list_add(&kept->contents, text);
    if (ts_kept_names_parse(&kept->facts, text, bytes, &error) != 0)
        ts_text_list_add(&kept->problems, ts_memory_text("%s is not used: %s", name, error.text));
}

static void sort_facts(struct ts_kept_names *kept) {
    if (kept->facts.count)
        qsort(kept->facts.facts, kept->facts.count, sizeof *kept->facts.facts, compare_facts);
}

static void read_files(struct ts_kept_names *kept) {
    struct ts_error error;
    if (kept->read)
        return;
    kept->read = true;
    for (size_t i = 0; i < kept->paths.count; i++) {
        const char *path = kept->paths.texts[i];
        size_t bytes;
        char *text = read_file(path, &bytes, &error);
        if (text)
            add_text(kept, path, text, bytes);
        else if (errno)
            ts_text_list_add(&kept->problems, ts_memory_text("%s is not used: %s", path, error.text));
    }
    sort_facts(kept);
}

void ts_kept_names_add_text(struct ts_kept_names *kept, char *text, size_t bytes) {
    read_files(kept);
    add_text(kept, "text", text, bytes);
    sort_facts(kept);
}

const struct ts_kept_facts *ts_kept_names_all(struct ts_kept_names *kept) {
    read_files(kept);
    return &kept->facts;
}

/* The first of these; NULL: there is none. */
static const struct ts_kept_fact *find_first(struct ts_kept_names *kept, const struct ts_kept_fact *wanted) {
    read_files(kept);
    const struct ts_kept_fact *facts = kept->facts.facts;
    size_t low = 0, high = kept->facts.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (fact_order(&facts[middle], wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < kept->facts.count && fact_order(&facts[low], wanted) == 0 ? &facts[low] : NULL;
}

bool ts_kept_names_knows(struct ts_kept_names *kept, const char *build_id, enum ts_kept_kind kind, uint64_t address) {
    return find_first(kept, &(struct ts_kept_fact){.build_id = build_id, .kind = (uint8_t)kind, .address = address});
}

const struct ts_kept_fact *ts_kept_names_find(struct ts_kept_names *kept, const uint8_t *build_id,
                                              uint32_t build_id_bytes, enum ts_kept_kind kind, uint64_t address,
                                              size_t *count) {
    char digits[2 * 64 + 1] = "";
    if (!build_id_bytes || build_id_bytes > 64)
        return NULL;
    for (uint32_t i = 0; i < build_id_bytes; i++) {
        digits[2 * i] = "0123456789abcdef"[build_id[i] >> 4];
        digits[2 * i + 1] = "0123456789abcdef"[build_id[i] & 15];
    }
    const struct ts_kept_fact wanted = {.build_id = digits, .kind = (uint8_t)kind, .address = address};
    const struct ts_kept_fact *first = find_first(kept, &wanted);
    if (!first)
        return NULL;
    const struct ts_kept_fact *end = kept->facts.facts + kept->facts.count;
    /* Two files, or two modules of one build-id, may say the same: the first is enough. */
    for (*count = 1;
         first + *count < end && first[*count].build_id == first->build_id && !fact_order(&first[*count], &wanted);)
        ++*count;
    return first;
}

const struct ts_text_list *ts_kept_names_problems(const struct ts_kept_names *kept) {
    return &kept->problems;
}
