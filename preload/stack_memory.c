#include "preload/stack_memory.h"
#include "collector/system.h"
#include "preload/elf_object.h"
#include "preload/real.h"

#include <dlfcn.h>
#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif

/* Both ends of what it takes for its pipe: no descriptor of the program's. */
#define NO_PIPE (-1)

/* The libc functions that libunwind called for it, for its other calls. */
static struct {
    ssize_t (*read)(int fd, void *buffer, size_t bytes);
    ssize_t (*write)(int fd, const void *buffer, size_t bytes);
    long (*syscall)(long number, ...);
} real;

static int pipe_none(int ends[2]) {
    ends[0] = ends[1] = NO_PIPE;
    return 0;
}

static int pipe2_none(int ends[2], int flags) {
    (void)flags;
    return pipe_none(ends);
}

static ssize_t fail(int error) {
    errno = error;
    return -1;
}

/* Emptied, before a byte is written: it is empty, and open. */
static ssize_t read_none(int fd, void *buffer, size_t bytes) {
    return fd == NO_PIPE ? fail(EAGAIN) : real.read(fd, buffer, bytes);
}

/* Valgrind knows no other question of the kind; a kernel without it is asked as everywhere else. */
static int is_readable(const void *address) {
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    int64_t result = ts_system_madvise((void *)((uint64_t)address & ~(page - 1)), page, MADV_POPULATE_READ);
    return result == -EINVAL ? ts_system_readable(address) : !ts_system_failed(result);
}

static ssize_t write_none(int fd, const void *from, size_t bytes) {
    if (fd != NO_PIPE)
        return real.write(fd, from, bytes);
    return is_readable(from) ? (ssize_t)bytes : fail(EFAULT);
}

static long syscall_none(long number, long first, long second, long third, long fourth, long fifth, long sixth) {
    if (number == SYS_write && (int)first == NO_PIPE)
        return write_none(NO_PIPE, (const void *)second, (size_t)third);
    return real.syscall(number, first, second, third, fourth, fifth, sixth);
}

struct lead {
    uint64_t inside;
    const struct ts_elf_object *object;
    uint64_t to;
    int failed;
};

static void lead_slot(void *context, uint64_t *slot) {
    struct lead *lead = context;
    lead->failed |= ts_elf_object_store(lead->object, slot, lead->to) != TS_STORE_DONE;
}

static void lead_function(struct lead *lead, const char *name, void *to) {
    uint32_t index = ts_elf_object_undefined(lead->object, name);
    lead->to = (uint64_t)to;
    if (index)
        ts_elf_object_slots(lead->object, index, lead_slot, lead);
}

static int lead_object(struct dl_phdr_info *info, size_t bytes, void *context) {
    struct lead *lead = context;
    struct ts_elf_object object;
    (void)bytes;
    if (ts_elf_object_read(&object, info) || lead->inside - object.low >= object.high - object.low)
        return 0;
    lead->object = &object;
    lead_function(lead, "pipe", (void *)pipe_none);
    lead_function(lead, "pipe2", (void *)pipe2_none);
    lead_function(lead, "read", (void *)read_none);
    lead_function(lead, "write", (void *)write_none);
    lead_function(lead, "syscall", (void *)syscall_none);
    lead->object = NULL;
    return lead->failed ? -1 : 1;
}

int ts_stack_memory_lead(uint64_t inside) {
    struct lead lead = {.inside = inside};
    *(void **)&real.read = ts_real(dlsym)(RTLD_NEXT, "read");
    *(void **)&real.write = ts_real(dlsym)(RTLD_NEXT, "write");
    *(void **)&real.syscall = (void *)ts_real(syscall);
    return real.read && real.write && real.syscall && dl_iterate_phdr(lead_object, &lead) == 1 ? 0 : -1;
}
