#include "collector/counts.h"
#include "collector/clock.h"
#include "collector/control.h"
#include "collector/counts_directory.h"
#include "collector/process.h"
#include "collector/system.h"
#include "collector/window.h"

#include <limits.h>
#include <pthread.h>

#define COUNTERS_BYTES ((TS_COUNTS_CODE >> TS_CPU_CALL_SHIFT) * sizeof(uint32_t))
/* When there was no room, this many events are lost before it is asked for again. */
#define PAUSE 4096

/* A directory of one free slot. */
static uint64_t empty[(sizeof(struct ts_counts_directory) + sizeof(struct ts_counts_slot)) / sizeof(uint64_t)];
static struct ts_counts nobody = {.directory = (struct ts_counts_directory *)empty};

__thread struct ts_counts *ts_this_counts __attribute__((tls_model("initial-exec"))) = &nobody;
uint8_t ts_counts_on;
uint32_t ts_counts_nothing;

/* Its counts have gone to another: what it still does takes some for each event. */
static __thread uint8_t thread_has_ended __attribute__((tls_model("initial-exec")));
static pthread_key_t thread_end_key;
static int thread_end_known;
static int begun;

static void lose(uint64_t reason) {
    ts_window_count_lost(NULL, (enum ts_lost_reason)reason, 1, ts_clock_now());
}

/* Others may count in a later round of destructors: it asks to be called again until the last one that libc makes. */
static void thread_ends(void *round) {
    uint64_t next = (uint64_t)round + 1;
    if (next < PTHREAD_DESTRUCTOR_ITERATIONS) {
        pthread_setspecific(thread_end_key, (void *)next);
        return;
    }
    struct ts_signal_mask mask;
    ts_system_block_signals(&mask);
    struct ts_counts *counts = ts_this_counts;
    thread_has_ended = 1;
    ts_this_counts = &nobody;
    if (counts != &nobody)
        ts_counts_directory_give(counts);
    ts_system_restore_signals(&mask);
}

void ts_counts_begin(void) {
    thread_end_known = pthread_key_create(&thread_end_key, thread_ends) == 0 && thread_end_key < 32;
    begun = 1;
    __atomic_store_n(&ts_counts_on, 1, __ATOMIC_RELEASE);
}

void ts_counts_pause(int is_paused) {
    __atomic_store_n(&ts_counts_on, begun && !is_paused, __ATOMIC_RELEASE);
}

void ts_counts_after_fork(void) {
    if (begun)
        ts_counts_directory_after_fork();
}

/* A window of the directory's process for its next records. 0, or the reason + 1. */
static int claim(struct ts_counts_directory *directory, uint64_t bytes) {
    struct ts_window window;
    struct ts_clock_pair pair;
    uint64_t wanted = directory->window_bytes ? 4 * directory->window_bytes : TS_WINDOW_SMALL;
    while (wanted < bytes + sizeof(struct ts_window_header))
        wanted *= 2;
    if (wanted > TS_WINDOW_MIDDLE)
        wanted = bytes + sizeof(struct ts_window_header) > TS_WINDOW_MIDDLE ? wanted : TS_WINDOW_MIDDLE;
    ts_control_introduce();
    int reason = ts_window_claim(&window, (uint32_t)wanted, 1);
    if (reason)
        return reason;
    struct ts_window_header *header = window.header;
    ts_clock_pair_take(&pair);
    header->flags = TS_WINDOW_CONTROL;
    header->pid = (uint32_t)ts_process_fresh->pid;
    header->process = ts_process->number;
    header->clock = pair.clock;
    header->monotonic_ns = pair.monotonic_ns;
    header->records = sizeof *header;
    directory->room = (uint64_t)header + sizeof *header;
    directory->room_end = (uint64_t)header + window.bytes;
    directory->window_bytes = window.bytes;
    ts_window_publish(&window);
    return directory->room_end - directory->room < bytes ? TS_LOST_FULL + 1 : 0;
}

static void copy_words(uint32_t *to, const void *from, uint32_t bytes) {
    for (uint32_t i = 0; i < bytes / 4; i++)
        to[i] = ((const uint32_t *)from)[i];
}

static void *write_record(struct ts_counts_directory *directory, const struct ts_counts_parts *parts, uint64_t bytes) {
    uint32_t *record = (uint32_t *)directory->room;
    uint32_t words = (uint32_t)(bytes / 4);
    uint64_t clock = ts_clock_now();
    directory->room += bytes;
    record[0] = TS_HEAD_PENDING(words);
    copy_words(record + 1, (const uint32_t *)parts->record + 1, parts->record_bytes - 4);
    record[1] = (uint32_t)clock;
    record[2] = (uint32_t)(clock >> 32);
    copy_words(record + parts->record_bytes / 4, parts->values, parts->value_bytes);
    __atomic_store_n(record, TS_HEAD(parts->type, words), __ATOMIC_RELEASE);
    return record;
}

/* Signals are blocked, or it is known that no handler is at work here too. */
static void *make(struct ts_counts *counts, uint64_t key, const struct ts_counts_parts *parts) {
    void *record = parts->record ? NULL : &ts_counts_nothing;
    uint64_t bytes = ((uint64_t)parts->record_bytes + parts->value_bytes + parts->zeros + 7) & ~UINT64_C(7);
    if (bytes / 4 > TS_HEAD_MAX_WORDS || bytes > TS_WINDOW_MIDDLE) {
        lose(TS_LOST_FULL);
        return NULL;
    }
    if (ts_counts_directory_make_room(counts)) {
        lose(ts_system_forbidden ? TS_LOST_NO_SYSCALL : TS_LOST_MEMORY);
        return NULL;
    }
    struct ts_counts_directory *directory = counts->directory;
    if (!record && directory->room_end - directory->room < bytes) {
        int reason = ts_system_forbidden ? TS_LOST_NO_SYSCALL + 1 : claim(directory, bytes);
        if (reason) {
            directory->pause = PAUSE;
            directory->reason = (uint64_t)reason - 1;
            lose(directory->reason);
            return NULL;
        }
    }
    if (!record)
        record = write_record(directory, parts, bytes);
    ts_counts_directory_add(counts, key, (uint64_t)record);
    return record;
}

static struct ts_counts *take(void) {
    struct ts_counts *counts = ts_counts_directory_take();
    if (counts && !thread_has_ended) {
        ts_this_counts = counts;
        if (thread_end_known)
            pthread_setspecific(thread_end_key, (void *)1);
    }
    return counts;
}

/*
 * Uses the record of `key`, made where there is none. All of it with signals blocked, since the thread may have to give
 * its counts back at once.
 */
static void *find_or_make(uint64_t key, const struct ts_counts_parts *parts, uint64_t address) {
    struct ts_signal_mask mask;
    void *record = NULL;
    ts_system_block_signals(&mask);
    struct ts_counts *counts = ts_this_counts != &nobody ? ts_this_counts : take();
    if (!counts) {
        lose(TS_LOST_MEMORY);
    } else if (__atomic_exchange_n(&counts->at_work, 1, __ATOMIC_RELAXED)) {
        lose(TS_LOST_HANDLER); /* signals could not be blocked, or another task has this thread's data */
        counts = NULL;
    } else {
        const struct ts_counts_slot *slot = ts_counts_directory_find(counts, key);
        record = slot ? (void *)slot->counts : make(counts, key, parts);
        if (record && address)
            ts_cpu_count(ts_counts_counter((uint64_t)record, address));
        counts->at_work = 0;
    }
    if (counts && thread_has_ended)
        ts_counts_directory_give(counts);
    ts_system_restore_signals(&mask);
    return record;
}

static int pauses(void) {
    struct ts_counts_directory *directory = ts_this_counts->directory;
    if (!directory->pause)
        return 0;
    directory->pause--;
    lose(directory->reason);
    return 1;
}

static void add(uint64_t key, uint64_t address, uint32_t count_shift) {
    uint64_t first = address & ~(uint64_t)(TS_COUNTS_CODE - 1);
    struct ts_record_line_counts record = {.address = {(uint32_t)first, (uint32_t)(first >> 32)},
                                           .code_shift = TS_CPU_CALL_SHIFT,
                                           .count_shift = count_shift};
    struct ts_counts_parts parts = {
        .type = TS_RECORD_LINE_COUNTS, .record = &record, .record_bytes = sizeof record, .zeros = COUNTERS_BYTES};
    find_or_make(key, &parts, address);
}

__attribute__((cold, noinline)) void ts_counts_add_slow(uint64_t address) {
    uint64_t key = address >> TS_COUNTS_CODE_SHIFT;
    const struct ts_counts_slot *slot = ts_counts_directory_find(ts_this_counts, key);
    if (slot) {
        if (ts_cpu_count(ts_counts_counter(slot->counts, address)))
            ts_counts_carry(address);
        return;
    }
    if (!pauses())
        add(key, address, 0);
}

__attribute__((cold, noinline)) void ts_counts_carry(uint64_t address) {
    add(address >> TS_COUNTS_CODE_SHIFT | TS_COUNTS_CARRY, address, 32);
}

void *ts_counts_find(uint64_t key) {
    const struct ts_counts_slot *slot = ts_counts_directory_find(ts_this_counts, key);
    return slot ? (void *)slot->counts : NULL;
}

void *ts_counts_make(uint64_t key, const struct ts_counts_parts *parts) {
    return pauses() ? NULL : find_or_make(key, parts, 0);
}
