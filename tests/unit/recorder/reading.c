#include "tests/unit/recorder/reading.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int by_thread_and_sequence(const void *a, const void *b) {
    const struct ts_window_header *one = *(const struct ts_window_header *const *)a;
    const struct ts_window_header *other = *(const struct ts_window_header *const *)b;
    if (one->thread != other->thread)
        return one->thread < other->thread ? -1 : 1;
    return one->sequence < other->sequence ? -1 : one->sequence > other->sequence;
}

static void add_window(struct reading *reading, const struct ts_window_header *window) {
    if (reading->window_count % 64 == 0)
        reading->windows = realloc(reading->windows, (reading->window_count + 64) * sizeof *reading->windows);
    reading->windows[reading->window_count++] = window;
}

static void find_windows(struct reading *reading) {
    uint64_t block = reading->header->block_bytes, at = reading->header->first_block * block;
    uint64_t used = reading->header->next_block * block;
    while (at < used && at + sizeof(struct ts_window_header) <= reading->size) {
        const struct ts_window_header *window = (const struct ts_window_header *)(reading->bytes + at);
        if (window->sequence && window->magic == TS_WINDOW_MAGIC && window->offset == at) {
            cr_assert_leq(at % block + window->bytes, block, "a window leaves its block");
            cr_assert_geq(window->bytes, sizeof *window);
            add_window(reading, window);
            at += (window->bytes + TS_WINDOW_ALIGN - 1) & ~(uint64_t)(TS_WINDOW_ALIGN - 1);
        } else {
            at = (at + TS_WINDOW_STEP) & ~(uint64_t)(TS_WINDOW_STEP - 1);
        }
    }
    if (reading->window_count)
        qsort(reading->windows, reading->window_count, sizeof *reading->windows, by_thread_and_sequence);
}

struct reading *reading_open(const char *path) {
    struct reading *reading = calloc(1, sizeof *reading);
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    cr_assert_geq(fd, 0, "%s", path);
    cr_assert_eq(fstat(fd, &status), 0);
    reading->size = (size_t)status.st_size;
    reading->bytes = mmap(NULL, reading->size, PROT_READ, MAP_PRIVATE, fd, 0);
    cr_assert_neq(reading->bytes, MAP_FAILED);
    close(fd);
    reading->header = (const struct ts_file_header *)reading->bytes;
    cr_assert_eq(reading->header->magic, TS_TRACE_MAGIC);
    cr_assert_eq(reading->header->file_bytes, reading->size);
    find_windows(reading);
    return reading;
}

void reading_close(struct reading *reading) {
    munmap(reading->bytes, reading->size);
    free(reading->windows);
    free(reading);
}

/* The nearest moment with these low bits: up to 2^30 (and some) after the newest one seen, else before it. */
static uint64_t full_clock(uint32_t field, uint64_t newest) {
    uint32_t ahead = (field & TS_CLOCK_FIELD) - (uint32_t)newest;
    if (ahead < (UINT32_C(1) << 30) + (UINT32_C(1) << 29))
        return newest + ahead;
    return newest - (uint32_t)-ahead;
}

static void read_window(const struct ts_window_header *window, reading_use *use, void *context) {
    const uint32_t *at = (const uint32_t *)((const uint8_t *)window + window->records);
    const uint32_t *end = (const uint32_t *)((const uint8_t *)window + window->bytes);
    if (window->end_bytes)
        end = (const uint32_t *)((const uint8_t *)window + window->end_bytes);
    uint64_t newest = window->clock;
    while (at < end) {
        struct reading_event event = {.window = window};
        uint32_t words = 1;
        unsigned kind = *at & 3;
        if (kind == TS_KIND_ENTER || kind == TS_KIND_EXIT) {
            event.type = kind == TS_KIND_ENTER ? READING_ENTER : READING_EXIT;
            event.clock = full_clock(*at, newest);
            event.address = kind == TS_KIND_ENTER ? at[1] : 0;
            words = kind == TS_KIND_ENTER ? 2 : 1;
        } else if (*at == 0) {
            event.type = READING_HOLE;
        } else {
            words = TS_HEAD_WORDS(*at);
            cr_assert(words > 0 && words <= end - at, "record of %u words at %zu", words,
                      (size_t)((const uint8_t *)at - (const uint8_t *)window));
            event.type = kind == TS_KIND_PENDING ? READING_PENDING : TS_HEAD_TYPE(*at);
            event.words = at;
            if (event.type == TS_RECORD_ENTER_WIDE) {
                const struct ts_record_enter_wide *wide = (const struct ts_record_enter_wide *)at;
                event.type = READING_ENTER;
                event.clock = reading_u64(wide->clock);
                event.address = reading_u64(wide->address);
            } else if (event.type != READING_PENDING && event.type != TS_RECORD_METADATA &&
                       event.type != TS_RECORD_DESCRIPTOR && event.type != TS_RECORD_CLOCK_PAIR) {
                if (event.type == TS_RECORD_RESULT)
                    event.type = READING_EXIT;
                event.clock = reading_u64(((const struct ts_record_time *)at)->clock);
            }
        }
        newest = event.clock > newest ? event.clock : newest;
        use(context, &event);
        at += words;
    }
}

void reading_each(const struct reading *reading, uint32_t thread, reading_use *use, void *context) {
    for (size_t i = 0; i < reading->window_count; i++)
        if (reading->windows[i]->thread == thread)
            read_window(reading->windows[i], use, context);
}

struct search {
    unsigned type;
    unsigned left;
    struct reading_event found;
};

static void search(void *context, const struct reading_event *event) {
    struct search *wanted = context;
    if (event->type == wanted->type && !wanted->found.window && wanted->left-- == 0)
        wanted->found = *event;
}

struct reading_event reading_find(const struct reading *reading, uint32_t thread, unsigned type, unsigned n) {
    struct search wanted = {.type = type, .left = n};
    reading_each(reading, thread, search, &wanted);
    return wanted.found;
}

static void count(void *context, const struct reading_event *event) {
    struct reading_counts *counts = context;
    counts->enters += event->type == READING_ENTER;
    counts->exits += event->type == READING_EXIT;
    counts->holes += event->type == READING_HOLE && event->window->end_bytes;
    counts->pending += event->type == READING_PENDING;
    counts->times += event->type == TS_RECORD_TIME;
    counts->pairs += event->type == TS_RECORD_CLOCK_PAIR;
    counts->switches += event->type == TS_RECORD_SWITCH;
    counts->thread_ends += event->type == TS_RECORD_THREAD_END;
    counts->unwinds += event->type == TS_RECORD_UNWIND;
    if (event->type == TS_RECORD_UNWIND)
        counts->unwound += ((const struct ts_record_unwind *)event->words)->count;
    if (event->type == TS_RECORD_UNWIND && ((const struct ts_record_unwind *)event->words)->reason == TS_UNWIND_JUMP)
        counts->jumped += ((const struct ts_record_unwind *)event->words)->count;
    if (event->type == TS_RECORD_LOST)
        counts->lost += reading_u64(((const struct ts_record_lost *)event->words)->count);
}

struct reading_counts reading_count(const struct reading *reading, uint32_t thread) {
    struct reading_counts counts = {0};
    for (size_t i = 0; i < reading->window_count; i++)
        counts.windows += reading->windows[i]->thread == thread;
    reading_each(reading, thread, count, &counts);
    return counts;
}
