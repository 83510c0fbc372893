/*
 * The functions that the shim's exported ones stand before: the next definition in the loader's order, so that other
 * preloads go on working. Resolved in the constructor, or at a call that comes before it.
 */
#ifndef TRACESHIM_PRELOAD_REAL_H
#define TRACESHIM_PRELOAD_REAL_H

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/types.h>
#include <time.h>
#include <ucontext.h>

typedef void ts_signal_handler(int number);

/*
 * Every interposed function that is passed on to, once: REAL(name, result, parameters). LIBC(...): libc's own, whoever
 * stands before it.
 */
#define TS_REAL_FUNCTIONS(REAL, LIBC)                                                                                  \
    REAL(dlopen, void *, (const char *name, int flags))                                                                \
    LIBC(dlsym, void *, (void *handle, const char *name))                                                              \
    REAL(makecontext, void, (ucontext_t * context, void (*function)(void), int count, ...))                            \
    REAL(prctl, int, (int option, ...))                                                                                \
    REAL(syscall, long, (long number, ...))                                                                            \
    REAL(dlmopen, void *, (Lmid_t space, const char *name, int flags))                                                 \
    REAL(dlvsym, void *, (void *handle, const char *name, const char *version))                                        \
    REAL(dlclose, int, (void *handle))                                                                                 \
    REAL(fork, pid_t, (void))                                                                                          \
    REAL(execve, int, (const char *path, char *const arguments[], char *const environment[]))                          \
    REAL(execvpe, int, (const char *file, char *const arguments[], char *const environment[]))                         \
    REAL(execveat, int,                                                                                                \
         (int directory, const char *path, char *const arguments[], char *const environment[], int flags))             \
    REAL(system, int, (const char *command))                                                                           \
    REAL(popen, FILE *, (const char *command, const char *mode))                                                       \
    REAL(fexecve, int, (int fd, char *const arguments[], char *const environment[]))                                   \
    REAL(posix_spawn, int,                                                                                             \
         (pid_t * pid, const char *path, const posix_spawn_file_actions_t *actions,                                    \
          const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[]))                    \
    REAL(posix_spawnp, int,                                                                                            \
         (pid_t * pid, const char *file, const posix_spawn_file_actions_t *actions,                                    \
          const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[]))                    \
    REAL(pthread_setname_np, int, (pthread_t thread, const char *name))                                                \
    REAL(mlockall, int, (int flags))                                                                                   \
    REAL(mprotect, int, (void *address, size_t bytes, int protection))                                                 \
    REAL(pkey_mprotect, int, (void *address, size_t bytes, int protection, int key))                                   \
    REAL(sigaltstack, int, (const stack_t *stack, stack_t *old))                                                       \
    REAL(sigaction, int, (int number, const struct sigaction *action, struct sigaction *old))                          \
    REAL(signal, ts_signal_handler *, (int number, ts_signal_handler *handler))                                        \
    REAL(sysv_signal, ts_signal_handler *, (int number, ts_signal_handler *handler))                                   \
    REAL(sigset, ts_signal_handler *, (int number, ts_signal_handler *handler))                                        \
    REAL(sigprocmask, int, (int how, const sigset_t *set, sigset_t *old))                                              \
    REAL(pthread_sigmask, int, (int how, const sigset_t *set, sigset_t *old))                                          \
    REAL(sigblock, int, (int mask))                                                                                    \
    REAL(sigsetmask, int, (int mask))                                                                                  \
    REAL(sighold, int, (int signal))                                                                                   \
    REAL(quick_exit, void, (int status))                                                                               \
    REAL(_exit, void, (int status))                                                                                    \
    REAL(_Exit, void, (int status))                                                                                    \
    LIBC(clock_gettime, int, (clockid_t clock, struct timespec * time))

struct ts_real_functions {
#define REAL(name, result, parameters) result(*name) parameters;
    TS_REAL_FUNCTIONS(REAL, REAL)
#undef REAL
};

/* Filled by ts_real_resolve; a function that no library defines stays NULL. Assembly reads it too. */
extern struct ts_real_functions ts_real_functions;

/* libc's own, for what the shim opens: others that stand before it see the program's calls. NULL: it is not in libc. */
extern void *(*ts_real_libc_dlopen)(const char *name, int flags);

/* Idempotent; any thread. From then on the shim's own calls reach libc (preload/own_calls.h). */
void ts_real_resolve(void);

/* ts_real(fork)(): resolved if it is not yet. */
#define ts_real(name) (ts_real_functions.name ? ts_real_functions.name : (ts_real_resolve(), ts_real_functions.name))

#endif
