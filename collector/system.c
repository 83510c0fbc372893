#include "collector/system.h"
#include "cpu.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#define CALL0(number) ts_cpu_system_call(number, 0, 0, 0, 0, 0, 0)
#define CALL1(number, a) ts_cpu_system_call(number, (int64_t)(a), 0, 0, 0, 0, 0)
#define CALL2(number, a, b) ts_cpu_system_call(number, (int64_t)(a), (int64_t)(b), 0, 0, 0, 0)
#define CALL3(number, a, b, c) ts_cpu_system_call(number, (int64_t)(a), (int64_t)(b), (int64_t)(c), 0, 0, 0)
#define CALL4(number, a, b, c, d)                                                                                      \
    ts_cpu_system_call(number, (int64_t)(a), (int64_t)(b), (int64_t)(c), (int64_t)(d), 0, 0)

int64_t ts_system_mmap(void *address, size_t bytes, int protection, int flags, int fd, uint64_t offset) {
    return ts_cpu_system_call(SYS_mmap, (int64_t)address, (int64_t)bytes, protection, flags, fd, (int64_t)offset);
}

int64_t ts_system_munmap(void *address, size_t bytes) {
    return CALL2(SYS_munmap, address, bytes);
}

int64_t ts_system_map_again(void *address, size_t bytes) {
    return CALL4(SYS_mremap, address, 0, bytes, MREMAP_MAYMOVE);
}

int64_t ts_system_madvise(void *address, size_t bytes, int advice) {
    return CALL3(SYS_madvise, address, bytes, advice);
}

int64_t ts_system_mprotect(void *address, size_t bytes, int protection) {
    return CALL3(SYS_mprotect, address, bytes, protection);
}

int64_t ts_system_munlock(void *address, size_t bytes) {
    return CALL2(SYS_munlock, address, bytes);
}

int64_t ts_system_openat(int directory, const char *path, int flags, int mode) {
    return CALL4(SYS_openat, directory, path, flags, mode);
}

int64_t ts_system_open(const char *path, int flags, int mode) {
    return ts_system_openat(AT_FDCWD, path, flags, mode);
}

int64_t ts_system_close(int fd) {
    return CALL1(SYS_close, fd);
}

int64_t ts_system_read(int fd, void *buffer, size_t bytes) {
    return CALL3(SYS_read, fd, buffer, bytes);
}

int64_t ts_system_write(int fd, const void *buffer, size_t bytes) {
    return CALL3(SYS_write, fd, buffer, bytes);
}

int64_t ts_system_pwrite(int fd, const void *buffer, size_t bytes, uint64_t offset) {
    return CALL4(SYS_pwrite64, fd, buffer, bytes, offset);
}

int64_t ts_system_ftruncate(int fd, uint64_t bytes) {
    return CALL2(SYS_ftruncate, fd, bytes);
}

int64_t ts_system_fallocate(int fd, int mode, uint64_t offset, uint64_t bytes) {
    return CALL4(SYS_fallocate, fd, mode, offset, bytes);
}

/* struct stat and struct statfs of libc are those of the kernel on 64-bit architectures. */
int64_t ts_system_fstat(int fd, struct stat *status) {
    return CALL4(SYS_newfstatat, fd, "", status, AT_EMPTY_PATH);
}

int64_t ts_system_stat(const char *path, struct stat *status) {
    return CALL4(SYS_newfstatat, AT_FDCWD, path, status, 0);
}

int64_t ts_system_fstatfs(int fd, struct statfs *status) {
    return CALL2(SYS_fstatfs, fd, status);
}

int64_t ts_system_ioctl(int fd, unsigned long request, void *argument) {
    return CALL3(SYS_ioctl, fd, request, argument);
}

int64_t ts_system_fchmod(int fd, int mode) {
    return CALL2(SYS_fchmod, fd, mode);
}

int64_t ts_system_chmod(const char *path, int mode) {
    return CALL3(SYS_fchmodat, AT_FDCWD, path, mode);
}

int64_t ts_system_mkdir(const char *path, int mode) {
    return CALL3(SYS_mkdirat, AT_FDCWD, path, mode);
}

int64_t ts_system_rmdir(const char *path) {
    return CALL3(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR);
}

int64_t ts_system_unlink(const char *path) {
    return CALL3(SYS_unlinkat, AT_FDCWD, path, 0);
}

int64_t ts_system_rename(const char *from, const char *to) {
    return ts_cpu_system_call(SYS_renameat2, AT_FDCWD, (int64_t)from, AT_FDCWD, (int64_t)to, 0, 0);
}

int64_t ts_system_readlink(const char *path, char *buffer, size_t bytes) {
    return CALL4(SYS_readlinkat, AT_FDCWD, path, buffer, bytes);
}

int64_t ts_system_getcwd(char *buffer, size_t bytes) {
    return CALL2(SYS_getcwd, buffer, bytes);
}

int64_t ts_system_flock(int fd, int operation) {
    return CALL2(SYS_flock, fd, operation);
}

int64_t ts_system_getdents(int fd, void *buffer, size_t bytes) {
    return CALL3(SYS_getdents64, fd, buffer, bytes);
}

int64_t ts_system_kill(int pid, int signal) {
    return CALL2(SYS_kill, pid, signal);
}

int ts_system_getpid(void) {
    return (int)CALL0(SYS_getpid);
}

int ts_system_getppid(void) {
    return (int)CALL0(SYS_getppid);
}

int ts_system_gettid(void) {
    return (int)CALL0(SYS_gettid);
}

int64_t ts_system_exit_group(int status) {
    return CALL1(SYS_exit_group, status);
}

int64_t ts_system_prctl(int option, uint64_t a, uint64_t b) {
    return ts_cpu_system_call(SYS_prctl, option, (int64_t)a, (int64_t)b, 0, 0, 0);
}

int64_t ts_system_sigaltstack(const void *stack, void *old_stack) {
    return CALL2(SYS_sigaltstack, stack, old_stack);
}

int64_t ts_system_getrandom(void *buffer, size_t bytes) {
    return CALL3(SYS_getrandom, buffer, bytes, 1 /* GRND_NONBLOCK */);
}

int64_t ts_system_access(const char *path, int mode) {
    return CALL3(SYS_faccessat, AT_FDCWD, path, mode);
}

int64_t ts_system_dup2(int from, int to) {
    return CALL3(SYS_dup3, from, to, 0);
}

void ts_system_close_from(unsigned first) {
    if (!ts_system_failed(CALL3(SYS_close_range, first, ~0u, 0)))
        return;
    for (int fd = (int)first; fd < 65536; fd++) /* Linux before 5.9 */
        ts_system_close(fd);
}

void ts_system_raise_limit(int resource) {
    struct rlimit limit;
    if (ts_system_failed(CALL4(SYS_prlimit64, 0, resource, 0, &limit)))
        return;
    limit.rlim_cur = limit.rlim_max;
    CALL4(SYS_prlimit64, 0, resource, &limit, 0);
}

int64_t ts_system_execve(const char *path, char *const *arguments, char *const *environment) {
    return CALL3(SYS_execve, path, arguments, environment);
}

int64_t ts_system_clone(int exit_signal) {
    return ts_cpu_system_call(SYS_clone, exit_signal, 0, 0, 0, 0, 0);
}

int64_t ts_system_wait(int pid, int *status, int options) {
    return CALL4(SYS_wait4, pid, status, options, 0);
}

void ts_system_sleep(uint64_t nanoseconds) {
    struct timespec pause = {(time_t)(nanoseconds / 1000000000u), (long)(nanoseconds % 1000000000u)};
    CALL2(SYS_nanosleep, &pause, 0);
}

int64_t ts_system_sigaction(int signal, const struct ts_signal_action *action, struct ts_signal_action *old) {
    return CALL4(SYS_rt_sigaction, signal, action, old, sizeof action->mask);
}

void ts_system_default_signal(int signal, int ignore) {
    struct ts_signal_action action;
    if (ts_system_failed(ts_system_sigaction(signal, NULL, &action)) || action.handler == (uint64_t)SIG_IGN)
        return;
    action.handler = (uint64_t)(ignore ? SIG_IGN : SIG_DFL);
    action.flags = 0;
    ts_system_sigaction(signal, &action, NULL);
}

int64_t ts_system_signal_thread(int pid, int tid, int signal, const void *information) {
    return information ? CALL4(SYS_rt_tgsigqueueinfo, pid, tid, signal, information)
                       : CALL3(SYS_tgkill, pid, tid, signal);
}

int ts_system_forbidden;

static struct timespec time_of(int milliseconds) {
    return (struct timespec){milliseconds / 1000, milliseconds % 1000 * 1000000L};
}

/* What happened of `events` and of what needs no asking; 0 when nothing did; -errno. */
static int64_t poll_one(int fd, short events, int milliseconds) {
    struct { /* struct pollfd */
        int fd;
        short events, happened;
    } poll = {fd, events, 0};
    struct timespec time = time_of(milliseconds);
    int64_t ready = ts_cpu_system_call(SYS_ppoll, (int64_t)&poll, 1, (int64_t)&time, 0, 0, 0);
    return ready > 0 ? poll.happened : ready;
}

int ts_system_writable(int fd, int milliseconds) {
    int64_t happened = poll_one(fd, POLLOUT, milliseconds);
    return happened > 0 && (happened & POLLOUT);
}

int ts_system_await_input(int fd, int milliseconds) {
    int64_t happened = poll_one(fd, POLLIN, milliseconds);
    return happened != 0 && happened != -EINTR; /* where it cannot be asked, the read waits */
}

int64_t ts_system_await_signal(int signal, int milliseconds) {
    uint64_t set = UINT64_C(1) << (signal - 1);
    struct timespec time = time_of(milliseconds);
    return CALL4(SYS_rt_sigtimedwait, &set, 0, &time, sizeof set);
}

int ts_system_signal_pending(int signal) {
    uint64_t set = 0;
    CALL2(SYS_rt_sigpending, &set, sizeof set);
    return set >> (signal - 1) & 1;
}

void ts_system_take_signal(int signal) {
    uint64_t set = UINT64_C(1) << (signal - 1);
    struct timespec now = {0, 0};
    CALL4(SYS_rt_sigtimedwait, &set, 0, &now, sizeof set);
}

/* With an impossible `how` the kernel reads the new set, and then refuses: EFAULT or EINVAL. */
int ts_system_readable(const void *address) {
    return CALL4(SYS_rt_sigprocmask, -1, address, 0, sizeof(uint64_t)) != -EFAULT;
}

/* MS_ASYNC alone starts nothing since Linux 2.6.19; ENOMEM: a hole. */
int ts_system_mapped(const void *address, size_t bytes) {
    return CALL3(SYS_msync, address, bytes, MS_ASYNC) == 0;
}

int64_t ts_system_duplicate(int fd, int least) {
    return CALL3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, least);
}

int64_t ts_system_pipe(int ends[2]) {
    return CALL2(SYS_pipe2, ends, 0);
}

int64_t ts_system_getsockname(int fd, void *address, uint32_t *length) {
    return CALL3(SYS_getsockname, fd, address, length);
}

int64_t ts_system_getpeername(int fd, void *address, uint32_t *length) {
    return CALL3(SYS_getpeername, fd, address, length);
}

int64_t ts_system_yield(void) {
    return CALL0(SYS_sched_yield);
}

static int (*libc_clock)(clockid_t, struct timespec *);

void ts_system_set_clock(int (*clock_gettime_of_libc)(clockid_t, struct timespec *)) {
    libc_clock = clock_gettime_of_libc;
}

static int without_counter;

void ts_system_clock_without_counter(void) {
    without_counter = 1;
}

/* The clock that the kernel has laid down at its last tick. */
static clockid_t coarse(clockid_t clock) {
    return clock == CLOCK_MONOTONIC ? CLOCK_MONOTONIC_COARSE : clock == CLOCK_REALTIME ? CLOCK_REALTIME_COARSE : clock;
}

static uint64_t nanoseconds(const struct timespec *time) {
    return (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_nsec;
}

uint64_t ts_system_nanoseconds_of_kernel(clockid_t clock) {
    struct timespec now = {0, 0};
    CALL2(SYS_clock_gettime, clock, &now);
    return nanoseconds(&now);
}

uint64_t ts_system_nanoseconds(clockid_t clock) {
    struct timespec now = {0, 0};
    if (!libc_clock || (without_counter && !ts_system_forbidden))
        return ts_system_nanoseconds_of_kernel(clock);
    libc_clock(without_counter ? coarse(clock) : clock, &now);
    return nanoseconds(&now);
}

/* The kernel's signal set is one 64-bit word. */
#define IN_SET(signal) (UINT64_C(1) << ((signal)-1))
#define FORCED (IN_SET(SIGTRAP) | IN_SET(SIGSYS) | IN_SET(SIGSEGV) | IN_SET(SIGBUS) | IN_SET(SIGILL) | IN_SET(SIGFPE))
/* The kernel never blocks these. */
#define UNBLOCKABLE (IN_SET(SIGKILL) | IN_SET(SIGSTOP))

int ts_system_is_blocking(uint64_t mask) {
    return (mask | FORCED | UNBLOCKABLE) == ~UINT64_C(0);
}

void ts_system_block_signals(struct ts_signal_mask *mask) {
    uint64_t all = ~FORCED;
    mask->old = 0;
    mask->blocked = !ts_system_forbidden;
    if (!mask->blocked)
        return;
    CALL4(SYS_rt_sigprocmask, SIG_BLOCK, &all, &mask->old, sizeof all);
}

void ts_system_restore_signals(const struct ts_signal_mask *mask) {
    if (mask->blocked)
        CALL4(SYS_rt_sigprocmask, SIG_SETMASK, &mask->old, 0, sizeof mask->old);
}
