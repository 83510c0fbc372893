/* Facts of the process. Cannot find: a record that a killed thread left half-written. */
#include "collector/clock.h"
#include "collector/control.h"
#include "collector/process.h"
#include "collector/recorder.h"
#include "collector/trace_map.h"
#include "tests/unit/recorder/failing_system.h"
#include "tests/unit/recorder/reading.h"
#include "tests/unit/recorder/scene.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <string.h>

TestSuite(control, .fini = scene_end);

static void write_name(uint32_t number, const char *name, uint32_t bytes) {
    struct ts_record_thread_name record = {.clock = {number, 0}, .name_bytes = bytes};
    ts_control_write(TS_RECORD_THREAD_NAME, &record, sizeof record, name, bytes, NULL, 0);
}

struct names {
    unsigned count;
    unsigned wrong;
    uint8_t seen[65536];
};

/* The name must be the number's low byte, as often as the record says. */
static void check_name(void *context, const struct reading_event *event) {
    struct names *names = context;
    if (event->type != TS_RECORD_THREAD_NAME)
        return;
    const struct ts_record_thread_name *record = (const struct ts_record_thread_name *)event->words;
    const uint8_t *name = (const uint8_t *)(record + 1);
    names->count++;
    for (uint32_t i = 0; i < record->name_bytes; i++)
        names->wrong += name[i] != (uint8_t)record->clock.low;
    names->wrong += names->seen[record->clock.low]++;
}

Test(control, nothing_is_written_without_a_trace) {
    write_name(1, "a", 1);
    cr_assert_null(ts_process_fresh);
}

Test(control, records_with_two_strings) {
    scene_begin(SCENE_BYTES, TS_FULL_STOP);
    struct ts_record_load record = {.build_id_bytes = 5, .path_bytes = 7};
    ts_control_write(TS_RECORD_LOAD, &record, sizeof record, "\1\2\3\4\5", 5, "/lib/x\xff", 7);
    struct reading *reading = reading_open(scene_trace());
    struct reading_event event = reading_find(reading, 0, TS_RECORD_LOAD, 0);
    cr_assert_not_null(event.words);
    cr_assert_eq(*event.words, TS_HEAD(TS_RECORD_LOAD, sizeof record / 4 + 2 + 2));
    cr_assert_eq(memcmp((const uint8_t *)event.words + sizeof record, "\1\2\3\4\5\0\0\0/lib/x\xff\0", 16), 0);
    cr_assert_eq(event.window->flags, TS_WINDOW_CONTROL);
    cr_assert_eq(event.window->thread, 0);
    cr_assert_eq(event.window->process, 1);
    reading_close(reading);
}

Test(control, more_than_a_window_and_records_of_all_sizes) {
    static char text[TS_CONTROL_MAX_BYTES];
    static struct names names;
    uint32_t written = 0;
    scene_begin(SCENE_BYTES, TS_FULL_STOP);
    for (uint32_t size = 0; size + sizeof(struct ts_record_thread_name) <= TS_CONTROL_MAX_BYTES; size += size / 9 + 1) {
        memset(text, (int)written, size);
        write_name(written++, text, size);
    }
    memset(text, 0, sizeof text);
    write_name(written, text, TS_CONTROL_MAX_BYTES); /* too large */
    struct reading *reading = reading_open(scene_trace());
    reading_each(reading, 0, check_name, &names);
    cr_assert_eq(names.count, written);
    cr_assert_eq(names.wrong, 0);
    cr_assert_geq(reading_count(reading, 0).windows, 3);
    cr_assert_eq(reading_count(reading, 0).pending, 0);
    reading_close(reading);
}

#define WRITERS 4
#define EACH 2000

static void *write_many(void *context) {
    uint32_t first = (uint32_t)(uintptr_t)context * EACH;
    char text[64];
    for (uint32_t i = 0; i < EACH; i++) {
        memset(text, (int)(first + i), sizeof text);
        write_name(first + i, text, (first + i) % sizeof text);
    }
    return NULL;
}

Test(control, threads_at_once_lose_nothing) {
    static struct names names;
    pthread_t threads[WRITERS];
    scene_begin(SCENE_BYTES, TS_FULL_STOP);
    for (uintptr_t i = 0; i < WRITERS; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, write_many, (void *)i), 0);
    for (unsigned i = 0; i < WRITERS; i++)
        cr_assert_eq(pthread_join(threads[i], NULL), 0);
    struct reading *reading = reading_open(scene_trace());
    reading_each(reading, 0, check_name, &names);
    cr_assert_eq(names.count, WRITERS * EACH);
    cr_assert_eq(names.wrong, 0);
    reading_close(reading);
}

Test(control, facts_outlive_the_ring) {
    scene_begin(SCENE_BYTES_SMALL, TS_FULL_RING);
    write_name(7, "\7", 1);
    for (unsigned i = 0; i < 1000000; i++)
        scene_call(0x401000, 0);
    write_name(8, "\10", 1);
    static struct names names;
    struct reading *reading = reading_open(scene_trace());
    cr_assert_gt(reading->header->dropped_windows, 64);
    reading_each(reading, 0, check_name, &names);
    cr_assert_eq(names.seen[7] + names.seen[8], 2);
    reading_close(reading);
}

Test(control, without_room_nothing_happens) {
    scene_begin(SCENE_BYTES_SMALL, TS_FULL_STOP);
    failing_system_fill_place(0);
    write_name(1, "\1", 1);
    failing_system_fill_place(UINT64_MAX);
    write_name(2, "\2", 1);
    static struct names names;
    struct reading *reading = reading_open(scene_trace());
    reading_each(reading, 0, check_name, &names);
    cr_assert_eq(names.count, 1);
    reading_close(reading);
}
