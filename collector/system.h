/*
 * The kernel as the recorder sees it. Raw system calls: they go past every interposer (allocators and sanitizers wrap
 * mmap), never touch errno, and are safe in signal handlers. Results are those of the kernel: a value, or -errno.
 * This is the seam for tests: a build that links another system.c makes any call fail.
 */
#ifndef TRACESHIM_COLLECTOR_SYSTEM_H
#define TRACESHIM_COLLECTOR_SYSTEM_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

static inline int ts_system_failed(int64_t result) {
    return result < 0 && result >= -4095;
}

int64_t ts_system_mmap(void *address, size_t bytes, int protection, int flags, int fd, uint64_t offset);
int64_t ts_system_munmap(void *address, size_t bytes);
/* mremap(address, 0, bytes, MREMAP_MAYMOVE): a second mapping of the same file, from the page at `address` on. */
int64_t ts_system_map_again(void *address, size_t bytes);
int64_t ts_system_madvise(void *address, size_t bytes, int advice);
int64_t ts_system_mprotect(void *address, size_t bytes, int protection);
int64_t ts_system_munlock(void *address, size_t bytes);
int64_t ts_system_open(const char *path, int flags, int mode);
int64_t ts_system_openat(int directory, const char *path, int flags, int mode);
int64_t ts_system_close(int fd);
int64_t ts_system_read(int fd, void *buffer, size_t bytes);
int64_t ts_system_write(int fd, const void *buffer, size_t bytes);
int64_t ts_system_pwrite(int fd, const void *buffer, size_t bytes, uint64_t offset);
int64_t ts_system_ftruncate(int fd, uint64_t bytes);
int64_t ts_system_fallocate(int fd, int mode, uint64_t offset, uint64_t bytes);
int64_t ts_system_fstat(int fd, struct stat *status);
int64_t ts_system_stat(const char *path, struct stat *status); /* follows links */
int64_t ts_system_fstatfs(int fd, struct statfs *status);
int64_t ts_system_ioctl(int fd, unsigned long request, void *argument);
int64_t ts_system_fchmod(int fd, int mode);
int64_t ts_system_chmod(const char *path, int mode);
int64_t ts_system_mkdir(const char *path, int mode);
int64_t ts_system_rmdir(const char *path);
int64_t ts_system_unlink(const char *path);
int64_t ts_system_rename(const char *from, const char *to);
int64_t ts_system_readlink(const char *path, char *buffer, size_t bytes);
/* The working directory, with its final zero: fails where that was removed, and does not begin with a slash where the
 * root does not reach it. */
int64_t ts_system_getcwd(char *buffer, size_t bytes);
int64_t ts_system_flock(int fd, int operation);
int64_t ts_system_getdents(int fd, void *buffer, size_t bytes);
int64_t ts_system_kill(int pid, int signal);
int ts_system_getpid(void);
int ts_system_getppid(void);
int ts_system_gettid(void);
int64_t ts_system_exit_group(int status);
int64_t ts_system_prctl(int option, uint64_t a, uint64_t b);
int64_t ts_system_sigaltstack(const void *stack, void *old_stack); /* stack_t; NULL: not set, not asked */
int64_t ts_system_getrandom(void *buffer, size_t bytes);
int64_t ts_system_access(const char *path, int mode);
int64_t ts_system_dup2(int from, int to);
int64_t ts_system_duplicate(int fd, int least); /* closed on exec */
int64_t ts_system_pipe(int ends[2]);            /* to read, to write; kept on exec */
int64_t ts_system_getsockname(int fd, void *address, uint32_t *length);
int64_t ts_system_getpeername(int fd, void *address, uint32_t *length);
/* Closes `first` and all above. */
void ts_system_close_from(unsigned first);
/* Raises a limit of this process (RLIMIT_*) to what it may be at most. */
void ts_system_raise_limit(int resource);
int64_t ts_system_execve(const char *path, char *const *arguments, char *const *environment);
/* A copy of this process, as fork makes it, whose end sends `exit_signal` (0: none). No libc handler runs. */
int64_t ts_system_clone(int exit_signal);
int64_t ts_system_wait(int pid, int *status, int options);
void ts_system_sleep(uint64_t nanoseconds);
/* Sets a signal's disposition to its default, or to ignored; one that is ignored already stays so. */
void ts_system_default_signal(int signal, int ignore);
/* A signal's disposition as the kernel keeps it (its struct sigaction). Either pointer may be NULL. */
struct ts_signal_action {
    uint64_t handler; /* address, or SIG_DFL, SIG_IGN */
    uint64_t flags;
    uint64_t restorer;
    uint64_t mask;
};
int64_t ts_system_sigaction(int signal, const struct ts_signal_action *action, struct ts_signal_action *old);
/* Sends a signal to a thread of this process, as if it came with `information` (siginfo_t); NULL: from this process. */
int64_t ts_system_signal_thread(int pid, int tid, int signal, const void *information);
/*
 * Set: this process has forbidden itself system calls, or may have. Signals are then not blocked in the slow paths,
 * which do only what needs no system call.
 */
extern int ts_system_forbidden;

/* Whether a write to `fd` would not block, waiting up to `milliseconds` for that. */
int ts_system_writable(int fd, int milliseconds);
/* Whether a read of `fd` would not block (there is input, or it has ended), waiting up to `milliseconds` for that. */
int ts_system_await_input(int fd, int milliseconds);
/* Waits up to `milliseconds` for a blocked signal, and takes it; -EAGAIN: none came. */
int64_t ts_system_await_signal(int signal, int milliseconds);
/* Whether a blocked signal waits; takes one that does. */
int ts_system_signal_pending(int signal);
void ts_system_take_signal(int signal);
/* Whether the word at `address` can be read. */
int ts_system_readable(const void *address);
/* Whether no page is missing in this range, which begins where one does. Changes nothing. */
int ts_system_mapped(const void *address, size_t bytes);
int64_t ts_system_yield(void);

/*
 * The clock, through libc's clock_gettime, which needs no system call. libc's own: the program may have one that is
 * instrumented. Until ts_system_set_clock has told where that is, by a system call.
 */
uint64_t ts_system_nanoseconds(clockid_t clock);
/* By a system call. */
uint64_t ts_system_nanoseconds_of_kernel(clockid_t clock);
void ts_system_set_clock(int (*clock_gettime_of_libc)(clockid_t, struct timespec *));
/*
 * From then on without reading the processor's counter, which libc's way does: by system calls and, once those are
 * forbidden, in the kernel's steps of some milliseconds.
 */
void ts_system_clock_without_counter(void);

/*
 * Signals of this thread blocked from begin to end; the old mask lies with the caller. Not so those that an instruction
 * raises (SIGTRAP of a single step, SIGSYS): the kernel ends a process that blocks them.
 */
struct ts_signal_mask {
    uint64_t old;
    int blocked;
};
void ts_system_block_signals(struct ts_signal_mask *mask);
void ts_system_restore_signals(const struct ts_signal_mask *mask);
/* Whether a mask is what ts_system_block_signals makes of any. */
int ts_system_is_blocking(uint64_t mask);

#endif
