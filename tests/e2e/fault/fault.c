/*
 * Makes a system call of libtraceshim.so fail. Preloaded before it; only calls that come from its code are touched.
 *   FAULT_CALL=mmap     which function (see CALLS below)
 *   FAULT_NUMBER=3      its third call fails; 0: none does
 *   FAULT_STAYS=1       all later ones fail too
 *   FAULT_LOG=path      one byte is appended for each call, failed or not
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

struct range {
    uintptr_t low, high;
};

static int find_shim(struct dl_phdr_info *info, size_t size, void *range_pointer) {
    struct range *range = range_pointer;
    (void)size;
    if (strstr(info->dlpi_name, "libtraceshim.so") == NULL)
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type == PT_LOAD && (segment->p_flags & PF_X) != 0) {
            range->low = info->dlpi_addr + segment->p_vaddr;
            range->high = range->low + segment->p_memsz;
        }
    }
    return 1;
}

/* Whether this call of `name` from `caller` is to fail. */
static int fails(const char *name, const void *caller) {
    static struct range shim;
    static int count;
    const char *chosen = getenv("FAULT_CALL");
    const char *number = getenv("FAULT_NUMBER");
    const char *log = getenv("FAULT_LOG");
    if (chosen == NULL || number == NULL || strcmp(chosen, name) != 0)
        return 0;
    if (shim.low == 0)
        dl_iterate_phdr(find_shim, &shim);
    if ((uintptr_t)caller < shim.low || (uintptr_t)caller >= shim.high)
        return 0;
    int saved_errno = errno;
    if (log != NULL) {
        int fd = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
        syscall(SYS_write, fd, ".", 1);
        syscall(SYS_close, fd);
    }
    errno = saved_errno;
    int now = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
    int wanted = atoi(number);
    return wanted != 0 && (now == wanted || (now > wanted && getenv("FAULT_STAYS") != NULL));
}

/* CALLS: result, function, error it gives, parameters, the system call */
#define CALL(result, name, failure, parameters, ...)                                                                   \
    result name parameters {                                                                                           \
        if (fails(#name, __builtin_return_address(0)))                                                                 \
            return errno = (failure), (result)-1;                                                                      \
        return (result)(uintptr_t)syscall(__VA_ARGS__);                                                                \
    }

CALL(int, ftruncate, EFBIG, (int fd, off_t size), SYS_ftruncate, fd, size)
CALL(int, fallocate, ENOSPC, (int fd, int mode, off_t at, off_t size), SYS_fallocate, fd, mode, at, size)
CALL(int, madvise, EINVAL, (void *at, size_t size, int advice), SYS_madvise, at, size, advice)
CALL(int, munmap, EINVAL, (void *at, size_t size), SYS_munmap, at, size)
CALL(int, mprotect, EACCES, (void *at, size_t size, int how), SYS_mprotect, at, size, how)
CALL(int, fstatfs, EIO, (int fd, struct statfs *out), SYS_fstatfs, fd, out)
CALL(int, mkdir, EACCES, (const char *path, mode_t mode), SYS_mkdir, path, mode)
CALL(int, unlink, EACCES, (const char *path), SYS_unlink, path)
CALL(int, fchmod, EPERM, (int fd, mode_t mode), SYS_fchmod, fd, mode)
CALL(ssize_t, pwrite, EIO, (int fd, const void *bytes, size_t size, off_t at), SYS_pwrite64, fd, bytes, size, at)
CALL(ssize_t, write, EIO, (int fd, const void *bytes, size_t size), SYS_write, fd, bytes, size)
CALL(ssize_t, read, EIO, (int fd, void *bytes, size_t size), SYS_read, fd, bytes, size)
CALL(void *, mmap, ENOMEM, (void *at, size_t size, int how, int flags, int fd, off_t offset), SYS_mmap, at, size, how,
     flags, fd, offset)

int posix_fallocate(int fd, off_t at, off_t size) {
    if (fails("fallocate", __builtin_return_address(0)))
        return ENOSPC;
    return syscall(SYS_fallocate, fd, 0, at, size) == 0 ? 0 : errno;
}

void *mremap(void *at, size_t size, size_t new_size, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    void *place = (flags & MREMAP_FIXED) != 0 ? va_arg(rest, void *) : NULL;
    va_end(rest);
    if (fails("mremap", __builtin_return_address(0)))
        return errno = ENOMEM, MAP_FAILED;
    return (void *)syscall(SYS_mremap, at, size, new_size, flags, place);
}

#define OPEN(name, parameters, ...)                                                                                    \
    int name parameters {                                                                                              \
        va_list rest;                                                                                                  \
        va_start(rest, flags);                                                                                         \
        mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;                                 \
        va_end(rest);                                                                                                  \
        if (fails("open", __builtin_return_address(0)))                                                                \
            return errno = EACCES, -1;                                                                                 \
        return (int)syscall(SYS_openat, __VA_ARGS__, flags, mode);                                                     \
    }
OPEN(open, (const char *path, int flags, ...), AT_FDCWD, path)
OPEN(open64, (const char *path, int flags, ...), AT_FDCWD, path)
OPEN(openat, (int directory, const char *path, int flags, ...), directory, path)
OPEN(openat64, (int directory, const char *path, int flags, ...), directory, path)

#define ALIAS(result, name, target, parameters) result name parameters __attribute__((alias(#target)));
ALIAS(void *, mmap64, mmap, (void *, size_t, int, int, int, off_t))
ALIAS(ssize_t, pwrite64, pwrite, (int, const void *, size_t, off_t))
ALIAS(int, ftruncate64, ftruncate, (int, off_t))
ALIAS(int, fallocate64, fallocate, (int, int, off_t, off_t))
ALIAS(int, fstatfs64, fstatfs, (int, struct statfs64 *))
