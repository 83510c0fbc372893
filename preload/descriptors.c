#include "preload/descriptors.h"
#include "collector/clock.h"
#include "collector/placement.h"
#include "collector/recorder_hook.h"
#include "collector/recorder_pause.h"
#include "collector/system.h"
#include "collector/text.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/socket.h>

/* Descriptors beyond are not described. */
#define KNOWN 65536u
/* What a thread remembers to have described; another descriptor of the same place is described again. */
#define REMEMBERED 256u
#define TEXT_MOST 400u

/* Those of small numbers lie on a page that every hooked call uses. */
#define NEAR 64u
static uint32_t near_generations[NEAR];
TS_LARGE_TABLE static uint32_t generations[KNOWN];
static uint32_t changes_of_all; /* counts in everyone's generation */

struct ts_described {
    int fd;
    uint32_t generation;
    uint64_t window; /* sequence of the window that tells it */
};

static uint32_t *generation_at(uint32_t fd) {
    return fd < NEAR ? &near_generations[fd] : &generations[fd];
}

TS_HOT void ts_descriptors_changed(int fd) {
    if ((unsigned)fd < KNOWN)
        __atomic_fetch_add(generation_at((unsigned)fd), 1, __ATOMIC_RELAXED);
}

static uint32_t generation_of(int fd) {
    return __atomic_load_n(generation_at((unsigned)fd), __ATOMIC_RELAXED) +
           (__atomic_load_n(&changes_of_all, __ATOMIC_RELAXED) << 20);
}

static struct ts_described *remembered(struct ts_recorder *recorder, int fd) {
    if (!recorder->described) {
        int64_t memory = ts_system_mmap(NULL, REMEMBERED * sizeof(struct ts_described), PROT_READ | PROT_WRITE,
                                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (ts_system_failed(memory))
            return NULL;
        recorder->described = (struct ts_described *)memory;
    }
    return &recorder->described[(unsigned)fd % REMEMBERED];
}

static uint32_t padded(uint32_t bytes) {
    return (bytes + 3) & ~3u;
}

static void write_description(int fd, uint64_t clock) {
    struct {
        struct ts_record_descriptor record;
        uint8_t bytes[TEXT_MOST + 2 * sizeof(struct sockaddr_storage)];
    } all = {.record = {.head = TS_RECORD_DESCRIPTOR, .fd = fd}};
    char path[40];
    struct ts_text text = TS_TEXT_IN(path);
    ts_text_add(&text, "/proc/self/fd/");
    ts_text_add_number(&text, (uint64_t)fd);
    int64_t bytes = ts_system_readlink(path, (char *)all.bytes, TEXT_MOST);
    if (ts_system_failed(bytes))
        return;
    uint32_t used = all.record.text_bytes = (uint32_t)bytes;
    int is_socket = bytes > 7 && ts_text_begins((const char *)all.bytes, "socket:");
    for (; used % 4; used++)
        all.bytes[used] = 0;
    for (int peer = 0; is_socket && peer < 2; peer++) {
        uint32_t length = sizeof(struct sockaddr_storage);
        if (ts_system_failed(peer ? ts_system_getpeername(fd, all.bytes + used, &length)
                                  : ts_system_getsockname(fd, all.bytes + used, &length)))
            continue;
        if (length > sizeof(struct sockaddr_storage))
            length = sizeof(struct sockaddr_storage);
        *(peer ? &all.record.peer_bytes : &all.record.local_bytes) = length;
        used += padded(length);
    }
    ts_recorder_note((const uint32_t *)&all, (uint32_t)(sizeof all.record + used) / 4, clock);
}

/* Whether the window tells it already. */
static inline __attribute__((always_inline)) int is_described(const struct ts_recorder *recorder,
                                                              const struct ts_described *place, int fd) {
    return place->fd == fd && place->generation == generation_of(fd) && place->window == recorder->window_sequence &&
           recorder->window_sequence && ts_recorder_has_room(recorder, TS_HOOKED_CALL_BYTES);
}

__attribute__((noinline)) static void describe(int fd) {
    if ((unsigned)fd >= KNOWN || ts_system_forbidden || ts_recorder_pauses())
        return;
    if (!ts_this_recorder) /* the thread's first event */
        ts_recorder_stack_end((uint64_t)__builtin_frame_address(0), ts_clock_now());
    struct ts_recorder *recorder = ts_this_recorder;
    if (!recorder)
        return;
    struct ts_described *place = remembered(recorder, fd);
    uint32_t generation = generation_of(fd);
    if (!place || is_described(recorder, place, fd))
        return;
    write_description(fd, ts_clock_now());
    *place = (struct ts_described){.fd = fd, .generation = generation, .window = recorder->window_sequence};
}

TS_HOT void ts_descriptors_describe(int fd) {
    const struct ts_recorder *recorder = ts_this_recorder;
    if (recorder && recorder->described && (unsigned)fd < KNOWN &&
        is_described(recorder, &recorder->described[(unsigned)fd % REMEMBERED], fd))
        return;
    describe(fd);
}

/*
 * Whether the innermost call is in this window with a path, whole: what it returns is told by it. The window's own
 * words are looked at, no memory of the program.
 */
static int is_told(const struct ts_recorder *recorder, uint32_t path_at) {
    const struct ts_cursor *cursor = TS_CURSOR_OF(recorder);
    uint64_t position = recorder->top->position;
    if (ts_recorder_limits.duration_ticks) /* then the call may be taken back */
        return 0;
    if (position % sizeof(uint32_t) || !ts_recorder_is_inside(cursor, position))
        return 0;
    const volatile uint32_t *record = (const volatile uint32_t *)position;
    uint32_t head = record[0], at = TS_VALUES_AT + TS_VALUES_OF_ENTER + path_at;
    return TS_HEAD_TYPE(head) == TS_RECORD_ENTER_WIDE && at < TS_HEAD_WORDS(head) &&
           !(record[at] & ~(uint32_t)TS_ARGUMENT_TEXT_BYTES);
}

static void remember_told(int fd, uint32_t path_at) {
    struct ts_recorder *recorder = ts_this_recorder;
    struct ts_described *place =
        recorder && (unsigned)fd < KNOWN && is_told(recorder, path_at) ? remembered(recorder, fd) : NULL;
    if (place)
        *place = (struct ts_described){.fd = fd, .generation = generation_of(fd), .window = recorder->window_sequence};
}

TS_WARM void ts_descriptors_made(int fd, uint32_t path_at) {
    ts_descriptors_changed(fd);
    if (path_at != TS_HOOK_NO_PATH)
        remember_told(fd, path_at);
}

void ts_descriptors_after(const struct ts_hook_signature *signature, const struct ts_hook_registers *registers) {
    int named = 0;
    if (!(signature->options & TS_HOOK_CHANGES))
        return;
    for (uint32_t i = 0; i < signature->argument_count && i < TS_HOOK_REGISTER_ARGUMENTS; i++) {
        uint32_t kind = signature->arguments[i].kind;
        if (kind == TS_HOOK_fd)
            ts_descriptors_changed((int)registers->arguments[i]);
        named |= kind == TS_HOOK_fd || kind == TS_HOOK_file || kind == TS_HOOK_dir;
    }
    if (!named) /* closefrom and its like */
        __atomic_fetch_add(&changes_of_all, 1, __ATOMIC_RELAXED);
}

int ts_descriptors_of_file(void *file) {
    int before = errno, fd = fileno_unlocked(file);
    errno = before;
    return fd;
}

int ts_descriptors_of_directory(void *directory) {
    int before = errno, fd = dirfd(directory);
    errno = before;
    return fd;
}
