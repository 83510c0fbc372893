/*
 * Executed code is counted exactly, in the file, as long as there is room. Cannot find: what a compiler's callbacks do,
 * and handlers that come at an unlucky instruction, but by chance.
 */
#include "collector/control.h"
#include "collector/counts.h"
#include "collector/process.h"
#include "collector/system.h"
#include "collector/trace_map.h"
#include "tests/unit/recorder/failing_system.h"
#include "tests/unit/recorder/reading.h"
#include "tests/unit/recorder/scene.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

TestSuite(counts, .fini = scene_end);

#define CODE UINT64_C(0x7f1234567000)

static void begin(uint64_t bytes) {
    scene_begin(bytes, TS_FULL_STOP);
    ts_counts_begin();
}

struct sum {
    uint64_t low; /* addresses wanted */
    uint64_t high;
    uint32_t process; /* 0: all */
    uint64_t count;
    unsigned records;
    unsigned carries;
};

static void add_up(void *context, const struct reading_event *event) {
    struct sum *sum = context;
    const struct ts_record_line_counts *record = (const struct ts_record_line_counts *)event->words;
    if (event->type != TS_RECORD_LINE_COUNTS || (sum->process && event->window->process != sum->process))
        return;
    uint64_t first = reading_u64(record->address);
    uint32_t counters = TS_HEAD_WORDS(record->head) - sizeof *record / 4;
    cr_assert_eq(counters, TS_COUNTS_CODE >> TS_CPU_CALL_SHIFT);
    cr_assert_eq(record->code_shift, TS_CPU_CALL_SHIFT);
    cr_assert_eq(first % TS_COUNTS_CODE, 0);
    cr_assert_neq(reading_u64(record->clock), 0);
    sum->records++;
    sum->carries += record->count_shift != 0;
    for (uint32_t i = 0; i < counters; i++)
        if (first + (i << TS_CPU_CALL_SHIFT) - sum->low < sum->high - sum->low)
            sum->count += (uint64_t)event->words[sizeof *record / 4 + i] << record->count_shift;
}

static struct sum sum_of(uint64_t low, uint64_t high, uint32_t process) {
    struct sum sum = {.low = low, .high = high, .process = process};
    struct reading *reading = reading_open(scene_trace());
    reading_each(reading, 0, add_up, &sum);
    reading_close(reading);
    return sum;
}

Test(counts, every_address_has_a_counter_of_its_own) {
    begin(SCENE_BYTES);
    for (unsigned i = 0; i < 40; i++)
        for (unsigned n = 0; n <= i; n++)
            ts_counts_add(CODE + (i << TS_CPU_CALL_SHIFT));
    for (unsigned i = 0; i < 40; i++)
        cr_assert_eq(sum_of(CODE + (i << TS_CPU_CALL_SHIFT), CODE + ((i + 1) << TS_CPU_CALL_SHIFT), 0).count, i + 1);
    cr_assert_eq(sum_of(CODE, CODE + TS_COUNTS_CODE, 0).records, 1);
}

/* Enough of it for directories to grow again and again, and for pieces whose slots are the same. */
Test(counts, code_of_any_size) {
    begin(SCENE_BYTES);
    for (unsigned round = 0; round < 3; round++)
        for (uint64_t i = 0; i < 3000; i++) {
            ts_counts_add(CODE + i * TS_COUNTS_CODE);
            ts_counts_add(CODE + (UINT64_C(1) << 40) + i * 7 * TS_COUNTS_CODE);
        }
    struct sum sum = sum_of(0, UINT64_MAX, 0);
    cr_assert_eq(sum.count, 3 * 2 * 3000);
    cr_assert_eq(sum.records, 2 * 3000);
    cr_assert_eq(sum_of(CODE + 2999 * TS_COUNTS_CODE, CODE + 3000 * TS_COUNTS_CODE, 0).count, 3);
}

Test(counts, a_counter_that_wraps_carries) {
    begin(SCENE_BYTES);
    ts_counts_add(CODE);
    struct ts_counts *mine = ts_this_counts;
    uint64_t record = mine->directory->slots[(CODE >> TS_COUNTS_CODE_SHIFT) & mine->mask].counts;
    *ts_counts_counter(record, CODE) = UINT32_MAX - 1;
    for (int i = 0; i < 5; i++)
        ts_counts_add(CODE);
    struct sum sum = sum_of(CODE, CODE + 4, 0);
    cr_assert_eq(sum.count, UINT64_C(0x100000003));
    cr_assert_eq(sum.carries, 1);
}

Test(counts, a_forked_child_counts_for_itself) {
    begin(SCENE_BYTES);
    ts_counts_add(CODE);
    pid_t child = fork();
    if (child == 0) {
        ts_counts_after_fork();
        for (int i = 0; i < 10; i++)
            ts_counts_add(CODE);
        _exit(0);
    }
    cr_assert_eq(waitpid(child, NULL, 0), child);
    ts_counts_add(CODE);
    cr_assert_eq(sum_of(0, UINT64_MAX, 1).count, 2);
    cr_assert_eq(sum_of(0, UINT64_MAX, 2).count, 10);
    struct reading *reading = reading_open(scene_trace());
    cr_assert_not_null(reading_find(reading, 0, TS_RECORD_PROCESS, 0).words, "the child is introduced");
    reading_close(reading);
}

static void *count_a_little(void *count) {
    for (long i = 0; i < (long)count; i++)
        ts_counts_add(CODE);
    return NULL;
}

Test(counts, tables_of_ended_threads_are_used_again) {
    begin(SCENE_BYTES);
    for (long i = 0; i < 50; i++)
        scene_in_thread(count_a_little, (void *)i);
    struct sum sum = sum_of(CODE, CODE + 4, 0);
    cr_assert_eq(sum.count, 49 * 50 / 2);
    cr_assert_eq(sum.records, 1);
}

Test(counts, threads_at_once) {
    begin(SCENE_BYTES);
    pthread_t threads[4];
    for (unsigned i = 0; i < 4; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, count_a_little, (void *)100000L), 0);
    for (unsigned i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    cr_assert_eq(sum_of(CODE, CODE + 4, 0).count, 400000);
}

static volatile unsigned long handled;

static void count_in_handler(int signal) {
    (void)signal;
    ts_counts_add(CODE);
    ts_counts_add(CODE + (0x10000 + handled) * TS_COUNTS_CODE); /* makes a record */
    handled++;
}

Test(counts, handlers_count_too) {
    struct itimerval often = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};
    begin(SCENE_BYTES);
    signal(SIGPROF, count_in_handler);
    setitimer(ITIMER_PROF, &often, NULL);
    unsigned long rounds = 0;
    for (; handled < 200 || rounds < 3000000; rounds++) {
        ts_counts_add(CODE);
        if (rounds % 1000 == 0)
            ts_counts_add(CODE + (1 + rounds / 1000) * TS_COUNTS_CODE);
    }
    setitimer(ITIMER_PROF, &never, NULL);
    cr_assert_eq(sum_of(CODE, CODE + 4, 0).count, rounds + handled);
}

Test(counts, what_comes_to_the_place_of_a_module_is_counted_anew) {
    begin(SCENE_BYTES);
    ts_counts_add(CODE);
    ts_counts_add(CODE + TS_COUNTS_CODE);
    ts_counts_forget(CODE, CODE + TS_COUNTS_CODE);
    ts_counts_add(CODE);
    ts_counts_add(CODE + TS_COUNTS_CODE);
    cr_assert_eq(sum_of(CODE, CODE + TS_COUNTS_CODE, 0).records, 3);
    cr_assert_eq(sum_of(0, UINT64_MAX, 0).count, 4);
}

Test(counts, what_finds_no_room_is_lost_and_told) {
    begin(SCENE_BYTES_SMALL);
    uint64_t pieces = 4096; /* of 2 KiB each in a file of 4 MiB */
    for (uint64_t i = 0; i < pieces; i++)
        ts_counts_add(CODE + i * TS_COUNTS_CODE);
    struct sum sum = sum_of(0, UINT64_MAX, 0);
    cr_assert_gt(sum.count, pieces / 4);
    cr_assert_lt(sum.count, pieces);
    cr_assert_eq(sum.count + ts_trace_map.header->lost_events[TS_LOST_FULL], pieces);
}

Test(counts, without_system_calls_known_code_is_counted_on) {
    begin(SCENE_BYTES);
    ts_counts_add(CODE);
    ts_system_forbidden = 1;
    for (int i = 0; i < 3; i++)
        ts_counts_add(CODE);
    for (uint64_t i = 1; i <= 20; i++)
        ts_counts_add(CODE + i * TS_COUNTS_CODE);
    ts_system_forbidden = 0;
    struct sum sum = sum_of(0, UINT64_MAX, 0);
    cr_assert_eq(sum_of(CODE, CODE + 4, 0).count, 4);
    cr_assert_eq(sum.count + ts_trace_map.header->lost_events[TS_LOST_NO_SYSCALL], 24);
    cr_assert_lt(sum.count, 24);
}

Test(counts, places_have_records_of_their_own) {
    begin(SCENE_BYTES);
    uint64_t values[2] = {5, 9}, key = CODE | TS_COUNTS_PLACE;
    struct ts_record_branch_counts record = {.address = {(uint32_t)CODE, (uint32_t)(CODE >> 32)}, .cases = 2};
    struct ts_counts_parts parts = {.type = TS_RECORD_BRANCH_COUNTS,
                                    .record = &record,
                                    .record_bytes = sizeof record,
                                    .values = values,
                                    .value_bytes = sizeof values,
                                    .zeros = 24};
    cr_assert_null(ts_counts_find(key));
    struct ts_record_branch_counts *made = ts_counts_make(key, &parts);
    cr_assert_not_null(made);
    cr_assert_eq(ts_counts_find(key), made);
    cr_assert_eq(ts_counts_make(key, &parts), made);
    cr_assert_eq((uint64_t)made % 8, 0, "its counters are aligned");
    parts.zeros = UINT32_MAX;
    cr_assert_null(ts_counts_make(key + 1, &parts), "more than a window holds");
    cr_assert_eq(ts_counts_make(key + 2, &(struct ts_counts_parts){.type = 0}), &ts_counts_nothing);
    cr_assert_eq(ts_counts_find(key + 2), &ts_counts_nothing);
    struct reading *reading = reading_open(scene_trace());
    const uint32_t *words = reading_find(reading, 0, TS_RECORD_BRANCH_COUNTS, 0).words;
    cr_assert_not_null(words);
    cr_assert_eq(words[sizeof record / 4], 5);
    cr_assert_eq(words[sizeof record / 4 + 2], 9);
    reading_close(reading);
}
