#include "tests/unit/recorder/scene.h"
#include "collector/recorder_attach.h"
#include "collector/trace_file.h"
#include "collector/trace_map.h"

#include <criterion/criterion.h>
#include <ftw.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char directory[256];
static char trace[512];

void scene_make_directory(void) {
    const char *temporary = getenv("TMPDIR");
    snprintf(directory, sizeof directory, "%s/traceshim-test-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    cr_assert_not_null(mkdtemp(directory));
}

void scene_begin(uint64_t max_bytes, int full_mode) {
    char reason_text[256] = "", note_text[512] = "";
    struct ts_text reason = TS_TEXT_IN(reason_text), note = TS_TEXT_IN(note_text);
    struct ts_preamble preamble = {0};
    int place_refused;
    scene_make_directory();
    struct ts_trace_file_options options = {.directory = directory, .max_bytes = max_bytes, .full_mode = full_mode};
    ts_clock_choose(0);
    cr_assert_eq(ts_trace_file_create(&options, &preamble, &reason, &note, &place_refused), 0, "%s", reason_text);
    cr_assert_eq(note.used, 0, "%s", note_text);
    cr_assert_eq(ts_recorder_begin(ts_trace_map.header->start.clock), 0);
    snprintf(trace, sizeof trace, "%s/%d.trace", directory, (int)getpid());
}

static int remove_one(const char *path, const struct stat *status, int flag, struct FTW *where) {
    (void)status, (void)flag, (void)where;
    return remove(path);
}

void scene_end(void) {
    if (directory[0])
        nftw(directory, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    directory[0] = 0;
}

const char *scene_directory(void) {
    return directory;
}

const char *scene_trace(void) {
    return trace;
}

const char *scene_path(const char *name) {
    static char path[1024];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

void scene_write_file(const char *name, const void *bytes, size_t count) {
    FILE *file = fopen(scene_path(name), "w");
    cr_assert_not_null(file, "%s", scene_path(name));
    cr_assert_eq(fwrite(bytes, 1, count, file), count);
    cr_assert_eq(fclose(file), 0);
}

uint64_t scene_frame(unsigned depth) {
    static __thread uint64_t outermost;
    if (!outermost)
        outermost = (uint64_t)__builtin_frame_address(0) & ~UINT64_C(4095);
    return outermost - 64 * (uint64_t)depth;
}

void scene_enter_at(uint64_t function, uint32_t site, uint64_t cfa, uint64_t clock, int limited, int wide) {
    struct ts_recorder *recorder = ts_this_recorder;
    uint64_t stack = cfa - 32, both = (function + 4) << 32 | site;
    if (!recorder || !ts_recorder_knows_stack(recorder, stack))
        (wide ? ts_recorder_enter_slow_wide(function, both, cfa, stack, clock)
              : ts_recorder_enter_slow(function, both, cfa, stack, clock, NULL));
    else if (wide)
        ts_recorder_enter(recorder, function, both, cfa, stack, clock, limited, 1);
    else
        ts_recorder_enter(recorder, function, both, cfa, stack, clock, limited, 0);
}

void scene_exit_at(uint64_t function, uint64_t cfa, uint64_t clock, int limited) {
    ts_recorder_exit(function, cfa - 16, 0, clock, limited);
}

void scene_enter(uint64_t function, unsigned depth) {
    scene_enter_at(function, 0x500, scene_frame(depth), ts_clock_now(), 0, 0);
}

void scene_exit(uint64_t function, unsigned depth) {
    scene_exit_at(function, scene_frame(depth), ts_clock_now(), 0);
}

void scene_exit_tail(uint64_t function, unsigned depth) {
    ts_recorder_exit(function, scene_frame(depth), 1, ts_clock_now(), 0);
}

void scene_call(uint64_t function, unsigned depth) {
    scene_enter(function, depth);
    scene_exit(function, depth);
}

uint64_t scene_shadow_depth(void) {
    const struct ts_recorder *recorder = ts_this_recorder;
    return recorder ? (uint64_t)(recorder->top - recorder->tracks[recorder->track].first) : 0;
}

void scene_in_thread(void *(*body)(void *), void *context) {
    pthread_t thread;
    cr_assert_eq(pthread_create(&thread, NULL, body, context), 0);
    cr_assert_eq(pthread_join(thread, NULL), 0);
}
