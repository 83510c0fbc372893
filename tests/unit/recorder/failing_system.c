#include "tests/unit/recorder/failing_system.h"

/* The real calls, under other names: the linker finds every name of system.h in this file. */
#define ts_system_mmap real_mmap
#define ts_system_map_again real_map_again
#define ts_system_madvise real_madvise
#define ts_system_mprotect real_mprotect
#define ts_system_open real_open
#define ts_system_ftruncate real_ftruncate
#define ts_system_fallocate real_fallocate
#define ts_system_pwrite real_pwrite
#define ts_system_fstatfs real_fstatfs
#include "collector/system.c"
#undef ts_system_mmap
#undef ts_system_map_again
#undef ts_system_madvise
#undef ts_system_mprotect
#undef ts_system_open
#undef ts_system_ftruncate
#undef ts_system_fallocate
#undef ts_system_pwrite
#undef ts_system_fstatfs

#include <errno.h>

int64_t ts_system_mmap(void *address, size_t bytes, int protection, int flags, int fd, uint64_t offset);
int64_t ts_system_map_again(void *address, size_t bytes);
int64_t ts_system_madvise(void *address, size_t bytes, int advice);
int64_t ts_system_mprotect(void *address, size_t bytes, int protection);
int64_t ts_system_open(const char *path, int flags, int mode);
int64_t ts_system_ftruncate(int fd, uint64_t bytes);
int64_t ts_system_fallocate(int fd, int mode, uint64_t offset, uint64_t bytes);
int64_t ts_system_pwrite(int fd, const void *buffer, size_t bytes, uint64_t offset);
int64_t ts_system_fstatfs(int fd, struct statfs *status);

static unsigned armed;
static uint64_t first_failing, last_failing, made;
static int failure;

static uint64_t room_left = UINT64_MAX; /* populates that succeed */
#define RANGES 4096
static struct {
    uint64_t start;
    uint64_t end;
} populated[RANGES];
static uint64_t ranges;

void failing_system_arm(unsigned calls, uint64_t first, uint64_t last, int error) {
    armed = calls;
    first_failing = first;
    last_failing = last;
    failure = error;
    made = 0;
}

void failing_system_disarm(void) {
    armed = 0;
}

uint64_t failing_system_count(void) {
    return __atomic_load_n(&made, __ATOMIC_RELAXED);
}

void failing_system_fill_place(uint64_t successes) {
    room_left = successes;
}

static int pretends;

void failing_system_pretend_to_populate(void) {
    pretends = 1;
}

static int fails(enum failing_call call) {
    if (!(armed >> call & 1))
        return 0;
    uint64_t number = __atomic_add_fetch(&made, 1, __ATOMIC_RELAXED);
    return number >= first_failing && number <= last_failing;
}

static int page_was_populated(uint64_t page) {
    uint64_t known = __atomic_load_n(&ranges, __ATOMIC_ACQUIRE);
    for (uint64_t i = 0; i < known && i < RANGES; i++)
        if (populated[i].start <= page && page < populated[i].end)
            return 1;
    return 0;
}

static int was_populated(uint64_t start, uint64_t end) {
    for (uint64_t page = start; page < end; page += 4096)
        if (!page_was_populated(page))
            return 0;
    return 1;
}

static int64_t populate(uint64_t start, uint64_t bytes) {
    if (pretends)
        return 0;
    uint64_t left = __atomic_load_n(&room_left, __ATOMIC_RELAXED);
    if (left != UINT64_MAX && !was_populated(start, start + bytes)) {
        if (left == 0)
            return -EFAULT;
        __atomic_fetch_sub(&room_left, 1, __ATOMIC_RELAXED);
    }
    int64_t result = real_madvise((void *)start, bytes, MADV_POPULATE_WRITE);
    uint64_t at = result == 0 ? __atomic_fetch_add(&ranges, 1, __ATOMIC_ACQ_REL) : RANGES;
    if (at < RANGES) {
        populated[at].end = start + bytes;
        populated[at].start = start;
    }
    return result;
}

int64_t ts_system_mmap(void *address, size_t bytes, int protection, int flags, int fd, uint64_t offset) {
    return fails(FAILING_MMAP) ? -failure : real_mmap(address, bytes, protection, flags, fd, offset);
}

int64_t ts_system_map_again(void *address, size_t bytes) {
    return fails(FAILING_MAP_AGAIN) ? -failure : real_map_again(address, bytes);
}

int64_t ts_system_madvise(void *address, size_t bytes, int advice) {
    if (fails(FAILING_MADVISE))
        return -failure;
    return advice == MADV_POPULATE_WRITE ? populate((uint64_t)address, bytes) : real_madvise(address, bytes, advice);
}

int64_t ts_system_mprotect(void *address, size_t bytes, int protection) {
    return fails(FAILING_MPROTECT) ? -failure : real_mprotect(address, bytes, protection);
}

int64_t ts_system_open(const char *path, int flags, int mode) {
    return fails(FAILING_OPEN) ? -failure : real_open(path, flags, mode);
}

int64_t ts_system_ftruncate(int fd, uint64_t bytes) {
    return fails(FAILING_FTRUNCATE) ? -failure : real_ftruncate(fd, bytes);
}

int64_t ts_system_fallocate(int fd, int mode, uint64_t offset, uint64_t bytes) {
    return fails(FAILING_FALLOCATE) ? -failure : real_fallocate(fd, mode, offset, bytes);
}

int64_t ts_system_pwrite(int fd, const void *buffer, size_t bytes, uint64_t offset) {
    return fails(FAILING_PWRITE) ? -failure : real_pwrite(fd, buffer, bytes, offset);
}

int64_t ts_system_fstatfs(int fd, struct statfs *status) {
    return fails(FAILING_FSTATFS) ? -failure : real_fstatfs(fd, status);
}
