#include "preload/renderer.h"
#include "collector/kept_memory.h"
#include "collector/placement.h"
#include "collector/system.h"
#include "preload/message.h"
#include "preload/options.h"
#include "preload/session.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/wait.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#define NEVER UINT64_MAX
#define SECOND UINT64_C(1000000000)
/* How long to wait for a signal or for input before looking whether time is up. */
#define PATIENCE_MS 100

static const char *renderer = "";

static int try_renderer(const char *directory, size_t length, const char *name) {
    char buffer[4096];
    struct ts_text path = TS_TEXT_IN(buffer);
    ts_text_add_bytes(&path, directory, length);
    ts_text_add(&path, name);
    if (path.cut || ts_system_failed(ts_system_access(buffer, X_OK)))
        return 0;
    renderer = ts_kept_text(path.start, path.used);
    return 1;
}

void ts_renderer_find(const char *library) {
    size_t length = 0;
    for (size_t i = 0; library[i]; i++)
        if (library[i] == '/')
            length = i;
    if (try_renderer(library, length, "/traceshim") || try_renderer(library, length, "/../bin/traceshim") ||
        try_renderer(library, length, "/../../bin/traceshim"))
        return;
    const char *path = ts_options_variable(__environ, "PATH");
    while (path && *path) {
        size_t item = 0;
        while (path[item] && path[item] != ':')
            item++;
        if (item && path[0] == '/' && try_renderer(path, item, "/traceshim"))
            return;
        path += item + (path[item] != 0);
    }
}

const char *ts_renderer_path(void) {
    return renderer;
}

/* `output`: its standard output; -1: none. */
static void become_renderer(char *const *arguments, int show, int output) {
    char **kept = __environ; /* a copy of the program's, changed in place */
    for (char **variable = __environ; variable && *variable; variable++)
        if (!ts_text_begins(*variable, "LD_PRELOAD=") && !ts_text_begins(*variable, TS_SESSION_VARIABLE "="))
            *kept++ = *variable;
    if (kept)
        *kept = NULL;
    for (int signal = 1; signal < 65; signal++)
        ts_system_default_signal(signal, signal == SIGINT || signal == SIGQUIT);
    struct ts_signal_mask none = {.blocked = 1};
    ts_system_restore_signals(&none);
    ts_system_prctl(PR_SET_TSC, PR_TSC_ENABLE, 0); /* in case the program has forbidden itself the counter */
    ts_system_raise_limit(RLIMIT_NOFILE); /* the program needs as many as it needs; the renderer opens libraries */
    int shown = show ? ts_message_descriptor() : -1;
    if (shown < 0)
        ts_system_close(2);
    else if (shown != 2)
        ts_system_dup2(shown, 2);
    if (output >= 0 && output != 1)
        ts_system_dup2(output, 1);
    ts_system_close_from(3);
    int64_t nothing = ts_system_open("/dev/null", O_RDWR, 0);
    for (int fd = 0; fd <= 2 && !ts_system_failed(nothing); fd++)
        if (fd != nothing && (fd != 1 || output < 0) && (fd != 2 || shown < 0))
            ts_system_dup2((int)nothing, fd);
    if (nothing > 2)
        ts_system_close((int)nothing);
    ts_system_execve(renderer, arguments, __environ);
    ts_system_exit_group(127);
}

static int time_is_up(uint64_t deadline_ns) {
    return deadline_ns != NEVER && ts_system_nanoseconds(CLOCK_MONOTONIC) > deadline_ns;
}

/* 0 when all was read; -1 when time is up. */
static int read_output(int fd, uint64_t deadline_ns, ts_renderer_use *use, void *context) {
    TS_LARGE_TABLE static char buffer[16384]; /* the stack may be that of a small thread */
    for (;;) {
        if (!ts_system_await_input(fd, PATIENCE_MS)) {
            if (time_is_up(deadline_ns))
                return -1;
            continue;
        }
        int64_t got = ts_system_read(fd, buffer, sizeof buffer);
        if (got == -EINTR || got == -EAGAIN)
            continue;
        if (got <= 0)
            return 0; /* where that is an error, what was read ends within a line */
        use(context, buffer, (size_t)got);
        if (time_is_up(deadline_ns))
            return -1;
    }
}

/* What the shell and the loader end with that cannot run a program, or a signal: it cannot run. */
static enum ts_renderer_end end_of(int wait_status) {
    int status = wait_status >> 8 & 0xff;
    if (wait_status & 0x7f || status >= 126)
        return TS_RENDERER_CANNOT_RUN;
    return status == 0 ? TS_RENDERER_DONE : status == 1 ? TS_RENDERER_FAILED : TS_RENDERER_REFUSED;
}

static enum ts_renderer_end wait_for(int pid, uint64_t deadline_ns) {
    int status = 0;
    for (;;) {
        int64_t ended = ts_system_wait(pid, &status, WNOHANG);
        if (ended == pid)
            return end_of(status);
        if (ts_system_failed(ended) && ended != -EINTR)
            return TS_RENDERER_CANNOT_RUN;
        if (time_is_up(deadline_ns)) {
            ts_system_kill(pid, SIGKILL);
            ts_system_wait(pid, &status, 0);
            return TS_RENDERER_TOO_SLOW;
        }
        int64_t waited = ts_system_await_signal(SIGCHLD, PATIENCE_MS);
        if (ts_system_failed(waited) && waited != -EAGAIN)
            ts_system_sleep(1000000);
    }
}

/* The process in between. */
static enum ts_renderer_end start_and_wait(char *const *arguments, int show, uint64_t deadline_ns, ts_renderer_use *use,
                                           void *context) {
    int pipe[2] = {-1, -1};
    const struct ts_signal_action untouched = {0};
    ts_system_sigaction(SIGCHLD, &untouched, NULL); /* the program may ignore it: there would be no status */
    if (use) {
        ts_system_close_from(0); /* then there is room for the pipe */
        ts_system_raise_limit(RLIMIT_NOFILE);
        if (ts_system_failed(ts_system_pipe(pipe)))
            return TS_RENDERER_NOT_STARTED;
    }
    int64_t pid = ts_system_clone(SIGCHLD);
    if (pid == 0)
        become_renderer(arguments, show, pipe[1]);
    if (ts_system_failed(pid))
        return TS_RENDERER_NOT_STARTED;
    if (!use) {
        ts_system_close_from(0); /* what the program holds is not to outlast it, even if it is killed now */
        return wait_for((int)pid, deadline_ns);
    }
    ts_system_close(pipe[1]);
    if (read_output(pipe[0], deadline_ns, use, context))
        deadline_ns = 0;
    return wait_for((int)pid, deadline_ns);
}

enum ts_renderer_end ts_renderer_run(char *const *arguments, int show, uint64_t timeout_seconds, ts_renderer_use *use,
                                     void *context) {
    uint64_t now_ns = ts_system_nanoseconds(CLOCK_MONOTONIC);
    int is_limited = timeout_seconds && timeout_seconds < (NEVER - now_ns) / SECOND;
    /*
     * A process in between, whose end sends no signal and which the program's wait does not see (clone with exit signal
     * 0, never exec'ed: exec would give it back SIGCHLD). It starts the renderer and waits for it in our place.
     */
    int64_t between = ts_system_clone(0);
    if (between == 0)
        ts_system_exit_group(
            (int)start_and_wait(arguments, show, is_limited ? now_ns + timeout_seconds * SECOND : NEVER, use, context));
    int status = TS_RENDERER_NOT_STARTED << 8;
    while (!ts_system_failed(between) && ts_system_wait((int)between, &status, __WCLONE) == -EINTR)
        ;
    return status & 0x7f ? TS_RENDERER_CANNOT_RUN : (enum ts_renderer_end)(status >> 8 & 0xff);
}
