/* Ring mode: what is recycled, what never is, and whether the drop is counted right. Cannot find: damage in pages that
 * the kernel writes back while they are recycled. */
#include "collector/system.h"
#include "collector/trace_map.h"
#include "collector/window.h"
#include "tests/unit/recorder/failing_system.h"
#include "tests/unit/recorder/scene.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

TestSuite(window_ring, .fini = scene_end);

static uint32_t block_bytes(void) {
    return (uint32_t)ts_trace_map.block_bytes;
}

static unsigned usable(void) {
    return (unsigned)(ts_trace_map.block_count - ts_trace_map.first_block);
}

static struct ts_window claim(uint32_t bytes) {
    struct ts_window window;
    cr_assert_eq(ts_window_claim(&window, bytes, 0), 0);
    window.header->records = sizeof *window.header;
    return window;
}

/* Fills the window as a thread would: `calls` that begin, `ends` that end, one UNWIND of `unwound` calls. */
static void record(const struct ts_window *window, uint64_t depth, uint32_t calls, uint32_t ends, uint32_t unwound,
                   uint64_t clock) {
    struct ts_window_header *header = window->header;
    uint32_t bytes = header->records + calls * TS_ENTER_BYTES + ends * TS_EXIT_BYTES;
    header->clock = clock;
    header->depth = depth;
    header->end_depth = depth + calls - ends - unwound;
    header->unwound = unwound;
    header->other_words = unwound ? sizeof(struct ts_record_unwind) / 4 : 0;
    ts_window_publish(window);
    ts_window_close(window, bytes + (uint32_t)header->other_words * 4, clock + 9, 0);
}

Test(window_ring, drop_is_counted_call_by_call) {
    uint64_t calls[2048], bytes[2048];
    unsigned made = 0, random = 1;
    scene_begin(SCENE_BYTES_SMALL, TS_FULL_RING);
    unsigned rounds = 5 * usable() + 3;
    for (; made < rounds; made++) {
        struct ts_window window = claim(block_bytes());
        random = random * 1103515245u + 12345;
        uint32_t begun = random >> 16 & 1023, unwound = made % 3, depth = unwound + 2;
        uint32_t ended = begun / 2 + made % 2;
        calls[made] = begun;
        record(&window, depth, begun, ended, unwound, 1000 + 10 * made);
        bytes[made] = window.header->end_bytes - window.header->records;
    }
    uint64_t windows = 0, dropped_calls = 0, dropped_bytes = 0;
    for (; windows < made - usable(); windows++) {
        dropped_calls += calls[windows];
        dropped_bytes += bytes[windows];
    }
    const struct ts_file_header *file = ts_trace_map.header;
    cr_assert_eq(file->dropped_windows, windows);
    cr_assert_eq(file->dropped_bytes, dropped_bytes);
    cr_assert_eq(file->dropped_calls, dropped_calls, "%llu calls dropped, %llu counted",
                 (unsigned long long)dropped_calls, (unsigned long long)file->dropped_calls);
    cr_assert_eq(file->dropped_first_clock, 1000);
    cr_assert_eq(file->dropped_last_clock, 1000 + 10 * (windows - 1) + 9);
    cr_assert_eq(file->window_sequence, made);
}

Test(window_ring, small_windows_of_a_block_are_dropped_with_it) {
    scene_begin(SCENE_BYTES_SMALL, TS_FULL_RING);
    for (unsigned i = 0; i < block_bytes() / TS_WINDOW_SMALL; i++) {
        struct ts_window window = claim(TS_WINDOW_SMALL);
        record(&window, 0, 10 + i, 10 + i, 0, 100);
    }
    for (unsigned i = 1; i < usable(); i++) {
        struct ts_window window = claim(block_bytes());
        record(&window, 0, 1, 1, 0, 200);
    }
    cr_assert_eq(ts_trace_map.header->dropped_windows, 0);
    claim(block_bytes());
    cr_assert_eq(ts_trace_map.header->dropped_windows, 4);
    cr_assert_eq(ts_trace_map.header->dropped_calls, 10 + 11 + 12 + 13);
}

Test(window_ring, a_recycled_window_is_zero) {
    scene_begin(SCENE_BYTES_SMALL, TS_FULL_RING);
    for (unsigned i = 0; i < 2 * usable(); i++) {
        struct ts_window window = claim(block_bytes());
        const uint64_t *words = (const uint64_t *)(window.header + 1);
        uint64_t dirty = window.header->sequence | window.header->depth | window.header->end_bytes;
        for (uint64_t at = 0; at < (window.bytes - sizeof *window.header) / 8; at++)
            dirty |= words[at];
        cr_assert_eq(dirty, 0);
        for (uint64_t at = sizeof *window.header; at < window.bytes; at += 8)
            *(uint64_t *)((uint8_t *)window.header + at) = UINT64_C(0x0101010101010101);
        record(&window, 0, 1, 1, 0, 1);
    }
}

Test(window_ring, blocks_that_are_written_are_never_recycled) {
    struct ts_window open[8];
    scene_begin(SCENE_BYTES_SMALL, TS_FULL_RING);
    for (unsigned i = 0; i < 8; i++) {
        struct ts_window closed = claim(block_bytes());
        record(&closed, 0, 1, 1, 0, 1);
        open[i] = claim(i % 2 ? TS_WINDOW_SMALL : block_bytes());
        ts_window_publish(&open[i]);
    }
    for (unsigned round = 0; round < 5 * usable(); round++) {
        struct ts_window window = claim(block_bytes());
        for (unsigned i = 0; i < 8; i++)
            cr_assert_neq(window.offset / block_bytes(), open[i].offset / block_bytes(), "a written block is recycled");
        record(&window, 0, 1, 1, 0, 2);
    }
}

Test(window_ring, when_every_block_is_written_the_trace_is_full) {
    scene_begin(SCENE_BYTES_SMALL, TS_FULL_RING);
    struct ts_window window = {0}, none;
    for (unsigned i = 0; i < usable(); i++) {
        window = claim(block_bytes());
        ts_window_publish(&window);
    }
    cr_assert_eq(ts_window_claim(&none, block_bytes(), 0), TS_LOST_FULL + 1);
    cr_assert_null(none.header);
    ts_window_close(&window, 512, 1, 0);
    cr_assert_eq(claim(block_bytes()).offset, window.offset);
}

/* Small windows stand in the first block, and half of it is still to be given out when it is recycled whole. */
Test(window_ring, a_recycled_block_is_not_shared_any_more) {
    scene_begin(SCENE_BYTES_SMALL, TS_FULL_RING);
    struct ts_window small = claim(TS_WINDOW_SMALL), whole = {0}, last;
    record(&small, 0, 1, 1, 0, 1);
    for (unsigned i = 1; i < usable(); i++) {
        whole = claim(block_bytes());
        record(&whole, 0, 1, 1, 0, 1);
    }
    do
        whole = claim(block_bytes());
    while (whole.offset / block_bytes() != small.offset / block_bytes());
    ts_window_publish(&whole);
    last = claim(TS_WINDOW_SMALL);
    cr_assert(last.offset >= whole.offset + whole.bytes || last.offset + last.bytes <= whole.offset,
              "a small window at %llx is inside the window [%llx, %llx) of another thread",
              (unsigned long long)last.offset, (unsigned long long)whole.offset,
              (unsigned long long)(whole.offset + whole.bytes));
}

Test(window_ring, control_windows_are_never_recycled) {
    struct ts_window control;
    scene_begin(SCENE_BYTES_SMALL, TS_FULL_RING);
    cr_assert_eq(ts_window_claim(&control, TS_WINDOW_SMALL, 1), 0);
    control.header->flags = TS_WINDOW_CONTROL;
    ts_window_publish(&control);
    for (unsigned i = 0; i < 4 * usable(); i++) {
        struct ts_window window = claim(block_bytes());
        cr_assert_neq(window.offset / block_bytes(), control.offset / block_bytes());
        record(&window, 0, 1, 1, 0, 1);
    }
    cr_assert_eq(control.header->sequence, 1);
}

Test(window_ring, a_block_of_a_dead_process_is_taken_last) {
    scene_begin(SCENE_BYTES_SMALL, TS_FULL_RING);
    struct ts_window mine = claim(block_bytes());
    mine.header->pid = (uint32_t)getpid();
    ts_window_publish(&mine);
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        struct ts_window window;
        if (ts_window_claim(&window, block_bytes(), 0))
            _exit(1);
        window.header->pid = (uint32_t)getpid();
        window.header->records = sizeof *window.header;
        ts_window_publish(&window);
        _exit(0);
    }
    int status;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert_eq(status, 0);
    uint64_t orphan = mine.offset + block_bytes();
    for (unsigned i = 2; i < usable(); i++) {
        struct ts_window window = claim(block_bytes());
        ts_window_publish(&window);
        window.header->pid = (uint32_t)getpid();
    }
    cr_assert_eq(claim(block_bytes()).offset, orphan);
    struct ts_window none;
    cr_assert_eq(ts_window_claim(&none, block_bytes(), 0), TS_LOST_FULL + 1, "mine is not an orphan's");
}

Test(window_ring, a_place_without_room_goes_round_in_what_exists) {
    scene_begin(SCENE_BYTES_SMALL, TS_FULL_RING);
    failing_system_fill_place(1 + 5); /* the header and five blocks */
    unsigned beyond = 0;
    for (unsigned i = 0; i < 23; i++) {
        struct ts_window window = claim(block_bytes());
        beyond += window.offset >= (ts_trace_map.first_block + 5) * block_bytes();
        record(&window, 0, 7, 7, 0, 1);
    }
    cr_assert_eq(beyond, 0);
    cr_assert_eq(ts_trace_map.header->usable_blocks, ts_trace_map.first_block + 5);
    cr_assert_eq(ts_trace_map.header->dropped_windows, 23 - 5);
    cr_assert_eq(ts_trace_map.header->dropped_calls, 7 * (23 - 5));
}

Test(window_ring, a_place_without_room_for_one_block_is_the_reason) {
    struct ts_window none;
    scene_begin(SCENE_BYTES_SMALL, TS_FULL_RING);
    failing_system_fill_place(1); /* the header */
    cr_assert_eq(ts_window_claim(&none, TS_WINDOW_SMALL, 0), TS_LOST_PLACE + 1, "what is full is the place");
}

struct writer {
    pthread_t thread;
    uint64_t mark;
    uint64_t claimed;
    uint64_t disturbed; /* windows in which somebody else wrote */
    int failures;
};

static void *write_and_look(void *context) {
    struct writer *writer = context;
    for (unsigned round = 0; round < 400; round++) {
        struct ts_window window;
        if (ts_window_claim(&window, round % 50 ? block_bytes() : TS_WINDOW_SMALL, 0)) {
            writer->failures++;
            continue;
        }
        writer->claimed++;
        window.header->records = sizeof *window.header;
        volatile uint64_t *words = (volatile uint64_t *)(window.header + 1);
        uint64_t count = (window.bytes - sizeof *window.header) / 8;
        ts_window_publish(&window);
        for (uint64_t i = 0; i < count; i += 16)
            words[i] = writer->mark;
        for (uint64_t i = 0; i < count; i += 16)
            if (words[i] != writer->mark) {
                writer->disturbed++;
                break;
            }
        ts_window_close(&window, sizeof *window.header + 8, 1, 0);
    }
    return NULL;
}

Test(window_ring, threads_at_once_have_their_windows_for_themselves) {
    struct writer writers[4] = {0};
    scene_begin(SCENE_BYTES_SMALL / 4, TS_FULL_RING); /* few blocks: collisions */
    for (unsigned i = 0; i < 4; i++) {
        writers[i].mark = (uint64_t)(i + 1) << 32 | TS_HEAD(TS_RECORD_METADATA, 2);
        cr_assert_eq(pthread_create(&writers[i].thread, NULL, write_and_look, &writers[i]), 0);
    }
    uint64_t claimed = 0, disturbed = 0;
    for (unsigned i = 0; i < 4; i++) {
        cr_assert_eq(pthread_join(writers[i].thread, NULL), 0);
        cr_assert_eq(writers[i].failures, 0);
        claimed += writers[i].claimed;
        disturbed += writers[i].disturbed;
    }
    cr_assert_eq(disturbed, 0, "%llu of %llu windows had two writers", (unsigned long long)disturbed,
                 (unsigned long long)claimed);
    uint64_t written = 0;
    for (uint64_t i = 0; i < ts_trace_map.block_count; i++)
        written += ts_trace_map.block_table[i];
    cr_assert_eq(written, 0);
    cr_assert_eq(ts_trace_map.header->window_sequence, claimed);
}
