/* The program makes, becomes and ends processes. */
#include "preload/process_hooks.h"
#include "collector/control.h"
#include "collector/counts.h"
#include "collector/process.h"
#include "collector/recorder_attach.h"
#include "collector/recorder_pause.h"
#include "collector/system.h"
#include "collector/trace_map.h"
#include "preload/environment.h"
#include "preload/export.h"
#include "preload/finish.h"
#include "preload/real.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

/* 0 where nothing is recorded: the clock may be forbidden to the program. */
static struct ts_u64 clock_now(void) {
    uint64_t clock = ts_process_fresh ? ts_clock_now() : 0;
    return (struct ts_u64){(uint32_t)clock, (uint32_t)(clock >> 32)};
}

TS_EXPORT pid_t fork(void) {
    ts_trace_map_before_fork();
    struct ts_u64 clock = clock_now(); /* the child may begin long before its parent goes on */
    pid_t child = ts_real(fork)();
    if (child == 0) {
        ts_recorder_after_fork();
        ts_counts_after_fork();
    } else if (child > 0 && !ts_recorder_pauses()) {
        struct ts_record_fork record = {
            .clock = clock, .child_pid = (uint32_t)child, .thread = ts_recorder_thread_number()};
        ts_control_write(TS_RECORD_FORK, &record, sizeof record, NULL, 0, NULL, 0);
    }
    return child;
}

/* A child made by vfork runs in its parent's memory: what it does there is not the parent's doing. */
static int is_vfork_child(void) {
    return !ts_system_forbidden && ts_process_fresh && ts_process_fresh->pid &&
           ts_process_fresh->pid != (uint64_t)ts_system_getpid();
}

static void record_spawn(const char *path, int pid, struct ts_u64 clock) {
    if (ts_recorder_pauses())
        return;
    struct ts_record_spawn record = {.clock = clock,
                                     .child_pid = (uint32_t)pid,
                                     .thread = ts_recorder_thread_number(),
                                     .path_bytes = (uint32_t)ts_text_length(path)};
    ts_control_write(TS_RECORD_SPAWN, &record, sizeof record, path, record.path_bytes, NULL, 0);
}

static void record_exec(const char *path) {
    if (!ts_process_fresh || ts_system_forbidden || !path || !ts_system_readable(path))
        return;
    if (is_vfork_child()) {
        record_spawn(path, ts_system_getpid(), clock_now());
        return;
    }
    struct ts_record_exec record = {
        .clock = clock_now(), .thread = ts_recorder_thread_number(), .path_bytes = (uint32_t)ts_text_length(path)};
    if (!ts_recorder_pauses())
        ts_control_write(TS_RECORD_EXEC, &record, sizeof record, path, record.path_bytes, NULL, 0);
    ts_recorder_end_process(TS_END_EXEC, 0);
}

/* exec returned: this process goes on. */
static int exec_failed(int result) {
    int error = errno;
    if (ts_process_fresh && !is_vfork_child())
        ts_recorder_end_process(TS_END_NOT_SEEN, 0);
    errno = error;
    return result;
}

/* An environment that the kernel would accept: NULL, or an array of strings. */
static int is_readable(char *const *environment) {
    for (uint64_t page = UINT64_MAX; environment; environment++) {
        if ((uint64_t)environment >> 12 != page && !ts_system_readable(environment))
            return 0;
        page = (uint64_t)environment >> 12;
        if (!*environment)
            break;
        if (!ts_system_readable(*environment))
            return 0;
    }
    return 1;
}

/*
 * Runs `call` with `environment` completed, where that lacks something and there is room for it. Pointers that the
 * kernel will refuse are passed on as they are: it is the program's EFAULT.
 */
#define WITH_ENVIRONMENT(environment, call)                                                                            \
    do {                                                                                                               \
        char *const *complete = (environment);                                                                         \
        char *const *made = NULL;                                                                                      \
        if (is_readable(complete) && ts_environment_lacks(complete) && (made = ts_environment_complete(complete)))     \
            complete = made;                                                                                           \
        int result_ = (call);                                                                                          \
        if (made && (result_ == E2BIG || (result_ == -1 && errno == E2BIG))) {                                         \
            complete = (environment);                                                                                  \
            result_ = (call);                                                                                          \
        }                                                                                                              \
        int error_ = errno;                                                                                            \
        if (made)                                                                                                      \
            ts_environment_free(made);                                                                                 \
        errno = error_;                                                                                                \
        return result_;                                                                                                \
    } while (0)

static int call_execve(const char *path, char *const arguments[], char *const environment[]) {
    record_exec(path);
    WITH_ENVIRONMENT(environment, exec_failed(ts_real(execve)(path, arguments, complete)));
}

static int call_execvpe(const char *file, char *const arguments[], char *const environment[]) {
    record_exec(file);
    WITH_ENVIRONMENT(environment, exec_failed(ts_real(execvpe)(file, arguments, complete)));
}

void ts_process_hooks_try_execve(const char *path, char *const arguments[], char *const environment[]) {
    call_execve(path, arguments, environment);
}

TS_EXPORT int execve(const char *path, char *const arguments[], char *const environment[]) {
    return call_execve(path, arguments, environment);
}

TS_EXPORT int execv(const char *path, char *const arguments[]) {
    return call_execve(path, arguments, __environ);
}

TS_EXPORT int execvp(const char *file, char *const arguments[]) {
    return call_execvpe(file, arguments, __environ);
}

TS_EXPORT int execvpe(const char *file, char *const arguments[], char *const environment[]) {
    return call_execvpe(file, arguments, environment);
}

static int call_execveat(int directory, const char *path, char *const arguments[], char *const environment[],
                         int flags) {
    if (!ts_real(execveat)) {
        errno = ENOSYS;
        return -1;
    }
    record_exec(path);
    WITH_ENVIRONMENT(environment, exec_failed(ts_real(execveat)(directory, path, arguments, complete, flags)));
}

TS_EXPORT int execveat(int directory, const char *path, char *const arguments[], char *const environment[], int flags) {
    return call_execveat(directory, path, arguments, environment, flags);
}

void ts_process_hooks_try_execveat(int directory, const char *path, char *const arguments[], char *const environment[],
                                   int flags) {
    call_execveat(directory, path, arguments, environment, flags);
}

TS_EXPORT int fexecve(int fd, char *const arguments[], char *const environment[]) {
    record_exec("");
    if (!environment) /* the kernel takes it for an empty one, this function does not: EINVAL */
        return exec_failed(ts_real(fexecve)(fd, arguments, environment));
    WITH_ENVIRONMENT(environment, exec_failed(ts_real(fexecve)(fd, arguments, complete)));
}

/* libc's header promises that a first argument is there; programs do pass NULL. */
static const char *may_be_null(const char *argument) {
    __asm__("" : "+r"(argument));
    return argument;
}

/* The arguments of execl and its kin as an array; `list` is left behind the NULL that ends them. */
#define COUNT_ARGUMENTS(first, list)                                                                                   \
    ({                                                                                                                 \
        size_t count_ = 1;                                                                                             \
        va_start(list, first);                                                                                         \
        if (may_be_null(first))                                                                                        \
            while (va_arg(list, char *))                                                                               \
                count_++;                                                                                              \
        va_end(list);                                                                                                  \
        count_;                                                                                                        \
    })

static void take_arguments(char **arguments, size_t count, const char *first, va_list *list) {
    arguments[0] = (char *)first;
    for (size_t i = 1; i <= count && may_be_null(first); i++)
        arguments[i] = va_arg(*list, char *);
    arguments[count] = NULL;
}

TS_EXPORT int execl(const char *path, const char *first, ...) {
    va_list list;
    size_t count = COUNT_ARGUMENTS(first, list);
    char *arguments[count + 1];
    va_start(list, first);
    take_arguments(arguments, count, first, &list);
    va_end(list);
    return call_execve(path, arguments, __environ);
}

TS_EXPORT int execlp(const char *file, const char *first, ...) {
    va_list list;
    size_t count = COUNT_ARGUMENTS(first, list);
    char *arguments[count + 1];
    va_start(list, first);
    take_arguments(arguments, count, first, &list);
    va_end(list);
    return call_execvpe(file, arguments, __environ);
}

TS_EXPORT int execle(const char *path, const char *first, ...) {
    va_list list;
    size_t count = COUNT_ARGUMENTS(first, list);
    char *arguments[count + 1];
    va_start(list, first);
    take_arguments(arguments, count, first, &list);
    char **environment = va_arg(list, char **);
    va_end(list);
    return call_execve(path, arguments, environment);
}

/* 0: the child is there, and the path was readable, since the child has read it. */
static int spawned(int result, const char *path, const pid_t *pid, struct ts_u64 clock) {
    if (result == 0 && ts_process_fresh)
        record_spawn(path, *pid, clock);
    return result;
}

TS_EXPORT int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                          const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[]) {
    pid_t child;
    struct ts_u64 clock = clock_now();
    pid = pid ? pid : &child;
    WITH_ENVIRONMENT(environment, spawned(ts_real(posix_spawn)(pid, path, actions, attributes, arguments, complete),
                                          path, pid, clock));
}

TS_EXPORT int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                           const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[]) {
    pid_t child;
    struct ts_u64 clock = clock_now();
    pid = pid ? pid : &child;
    WITH_ENVIRONMENT(environment, spawned(ts_real(posix_spawnp)(pid, file, actions, attributes, arguments, complete),
                                          file, pid, clock));
}

TS_EXPORT __attribute__((noreturn)) void quick_exit(int status) {
    ts_finish_status(status);
    ts_real(quick_exit)(status);
    for (;;)
        ts_system_exit_group(status); /* that of another library has returned */
}

/* By `real`, since others may have something to do there too: ThreadSanitizer changes the status when it has found
 * races. */
static __attribute__((noreturn)) void exit_at_once(int status, void (*real)(int)) {
    if (!is_vfork_child())
        ts_finish(TS_END_IMMEDIATE, status);
    if (real)
        real(status);
    for (;;)
        ts_system_exit_group(status);
}

TS_EXPORT __attribute__((noreturn)) void _exit(int status) {
    exit_at_once(status, ts_real(_exit));
}

TS_EXPORT __attribute__((noreturn)) void _Exit(int status) {
    exit_at_once(status, ts_real(_Exit));
}
