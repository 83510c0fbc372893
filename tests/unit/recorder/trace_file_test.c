/* The file as it is made. Cannot find: file systems that are not there (see tests/e2e/032). */
#include "collector/clock.h"
#include "collector/process.h"
#include "collector/trace_file.h"
#include "collector/trace_map.h"
#include "tests/unit/recorder/failing_system.h"
#include "tests/unit/recorder/reading.h"
#include "tests/unit/recorder/scene.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

TestSuite(trace_file, .init = scene_make_directory, .fini = scene_end);

static char reason[256], note[512];
static int place_refused;

static int create(uint64_t max_bytes) {
    struct ts_text reason_text = TS_TEXT_IN(reason), note_text = TS_TEXT_IN(note);
    struct ts_preamble preamble = {0};
    struct ts_trace_file_options options = {
        .directory = scene_directory(), .max_bytes = max_bytes, .full_mode = TS_FULL_RING};
    memset(options.trace_id, 0x11, sizeof options.trace_id);
    memset(options.parent_span_id, 0x22, sizeof options.parent_span_id);
    reason[0] = note[0] = 0;
    ts_clock_choose(0);
    ts_preamble_add_metadata(&preamble, TS_METADATA_NOTE, "seen", 4);
    int result = ts_trace_file_create(&options, &preamble, &reason_text, &note_text, &place_refused);
    ts_preamble_free(&preamble);
    return result;
}

static const char *trace_path(unsigned image) {
    char name[64];
    snprintf(name, sizeof name, image > 1 ? "%d.%u.trace" : "%d.trace", (int)getpid(), image);
    return scene_path(name);
}

static unsigned files(void) {
    unsigned count = 0;
    DIR *directory = opendir(scene_directory());
    for (struct dirent *entry; (entry = readdir(directory));)
        count += entry->d_name[0] != '.';
    closedir(directory);
    return count;
}

Test(trace_file, header_says_what_was_asked_for) {
    cr_assert_eq(create(SCENE_BYTES), 0, "%s", reason);
    cr_assert_str_eq(note, "");
    struct stat status;
    cr_assert_eq(stat(trace_path(1), &status), 0);
    cr_assert_eq(status.st_mode & 07777, 0400);
    cr_assert_eq(status.st_size, SCENE_BYTES);
    cr_assert_leq(status.st_blocks, 64, "a trace without an event takes %lld KiB", (long long)status.st_blocks / 2);
    struct reading *reading = reading_open(trace_path(1));
    const struct ts_file_header *header = reading->header;
    cr_assert_eq(header->version_major, TS_VERSION_MAJOR);
    cr_assert_eq(header->byte_order, TS_BYTE_ORDER);
    cr_assert_eq(header->header_bytes, sizeof *header);
    cr_assert_eq(header->full_mode, TS_FULL_RING);
    cr_assert_eq(header->clock_kind, ts_clock_kind());
    cr_assert_eq(header->block_bytes * header->block_count, SCENE_BYTES);
    cr_assert_eq(header->block_bytes & (header->block_bytes - 1), 0);
    cr_assert_eq(header->next_block, header->first_block);
    cr_assert_eq(header->usable_blocks, header->block_count);
    cr_assert_geq(header->first_block * header->block_bytes, header->block_table_offset + 4 * header->block_count);
    cr_assert_geq(header->block_table_offset, header->preamble_offset + header->preamble_bytes);
    cr_assert_eq(header->pid, (uint32_t)getpid());
    cr_assert_eq(header->image, 1);
    cr_assert_eq(header->process_count, 1);
    cr_assert_eq(header->trace_id[15], 0x11);
    cr_assert_eq(header->parent_span_id[7], 0x22);
    cr_assert_gt(header->start.realtime_ns, UINT64_C(1600000000000000000));
    cr_assert_neq(memcmp(header->file_uuid, header->boot_id, 16), 0);
    cr_assert_eq(*(const uint32_t *)(reading->bytes + header->preamble_offset), TS_HEAD(TS_RECORD_METADATA, 4));
    reading_close(reading);
}

Test(trace_file, no_descriptor_stays_open) {
    int before = dup(0);
    close(before);
    cr_assert_eq(create(SCENE_BYTES), 0);
    int after = dup(0);
    close(after);
    cr_assert_eq(after, before);
}

Test(trace_file, later_images_of_a_process_have_files_of_their_own) {
    for (unsigned image = 1; image <= 3; image++) {
        cr_assert_eq(create(SCENE_BYTES_SMALL), 0, "%s", reason);
        cr_assert_eq(ts_trace_file_image(), image);
        cr_assert_eq(ts_trace_map.header->image, image);
        cr_assert_eq(access(trace_path(image), F_OK), 0, "%s", trace_path(image));
    }
    cr_assert_eq(files(), 3);
}

Test(trace_file, mode_is_right_whatever_the_umask) {
    umask(0777);
    cr_assert_eq(create(SCENE_BYTES_SMALL), 0);
    struct stat status;
    cr_assert_eq(stat(trace_path(1), &status), 0);
    cr_assert_eq(status.st_mode & 07777, 0400);
}

Test(trace_file, too_small_a_trace_is_refused_and_leaves_nothing) {
    cr_assert_eq(create(1000), -1);
    cr_assert_not_null(strstr(reason, "256 KiB"), "%s", reason);
    cr_assert_eq(files(), 0);
    cr_assert_null(ts_trace_map.header);
    cr_assert_eq(create(256 << 10), 0, "%s", reason);
    cr_assert_eq(ts_trace_map.header->block_bytes, 64 << 10);
}

Test(trace_file, a_link_in_its_place_is_not_followed) {
    cr_assert_eq(symlink("/nowhere/else", trace_path(1)), 0);
    cr_assert_eq(create(SCENE_BYTES_SMALL), 0);
    cr_assert_eq(ts_trace_file_image(), 2);
}

Test(trace_file, limits_of_the_process_are_kept_and_said) {
    struct rlimit limit = {3 << 20, RLIM_INFINITY};
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    cr_assert_eq(create(SCENE_BYTES), 0, "%s", reason);
    cr_assert_eq(ts_trace_map.header->file_bytes, 3 << 20);
    cr_assert_not_null(strstr(note, "RLIMIT_FSIZE"), "%s", note);
}

static void begin_process(void) {
    static struct ts_process_fresh fresh;
    static struct ts_process process;
    ts_process_begin(&(struct ts_process_memory){&fresh, &process}, 1);
}

Test(trace_file, kernel_that_cannot_populate_gets_a_small_file_at_once) {
    failing_system_arm(1u << FAILING_MADVISE, 1, UINT64_MAX, EINVAL);
    cr_assert_eq(create(UINT64_C(1) << 30), 0, "%s", reason);
    cr_assert_eq(ts_trace_map.header->file_bytes, UINT64_C(64) << 20);
    cr_assert_not_null(strstr(note, "MADV_POPULATE_WRITE"), "%s", note);
    struct stat status;
    cr_assert_eq(stat(trace_path(1), &status), 0);
    cr_assert_geq((uint64_t)status.st_blocks * 512, UINT64_C(64) << 20, "its space is not allocated");
    struct ts_window window;
    begin_process();
    cr_assert_eq(ts_window_claim(&window, TS_WINDOW_SMALL, 0), 0);
}

/* An emulator, for one: it answers 0 and does nothing, and may not let the mapping grow either. */
Test(trace_file, kernel_that_only_pretends_to_populate_gets_a_small_file_at_once) {
    failing_system_pretend_to_populate();
    failing_system_arm(1u << FAILING_MAP_AGAIN, 1, UINT64_MAX, ENOMEM);
    cr_assert_eq(create(UINT64_C(1) << 30), 0, "%s", reason);
    cr_assert_eq(ts_trace_map.header->file_bytes, UINT64_C(64) << 20);
    cr_assert_not_null(strstr(note, "MADV_POPULATE_WRITE"), "%s", note);
    struct ts_window window;
    begin_process();
    for (int i = 0; i < 50; i++)
        cr_assert_eq(ts_window_claim(&window, (uint32_t)ts_trace_map.block_bytes, 0), 0);
}

Test(trace_file, a_directory_that_is_gone) {
    cr_assert_eq(rmdir(scene_directory()), 0);
    cr_assert_eq(create(SCENE_BYTES_SMALL), -1);
    cr_assert_not_null(strstr(reason, "no such directory"), "%s", reason);
    cr_assert_eq(place_refused, 0);
}

struct fault {
    enum failing_call call;
    int error;
    const char *says;
};

Test(trace_file, every_fault_has_a_reason_and_leaves_nothing_behind) {
    static const struct fault faults[] = {
        {FAILING_OPEN, EMFILE, "no free file descriptor"},
        {FAILING_OPEN, EROFS, "read-only"},
        {FAILING_OPEN, EACCES, "not permitted"},
        {FAILING_OPEN, ENOSYS, "forbids it (ENOSYS)"},
        {FAILING_OPEN, 77, "errno 77"},
        {FAILING_FTRUNCATE, ENOSPC, "no space"},
        {FAILING_PWRITE, ENOSPC, "no space"},
        {FAILING_MMAP, ENOMEM, "no memory"},
        {FAILING_FSTATFS, EIO, "file system"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        /* One mmap is the trial of populating: its failing is no reason. */
        failing_system_arm(1u << faults[i].call, 1, UINT64_MAX, faults[i].error);
        cr_assert_eq(create(SCENE_BYTES_SMALL), -1, "fault %zu", i);
        failing_system_disarm();
        cr_assert_not_null(strstr(reason, faults[i].says), "%s", reason);
        cr_assert_eq(files(), 0, "fault %zu leaves a file", i);
        cr_assert_eq(place_refused, faults[i].call == FAILING_FSTATFS);
        cr_assert_null(ts_trace_map.header);
    }
}
