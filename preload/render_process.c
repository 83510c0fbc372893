#include "preload/render_process.h"
#include "collector/kept_memory.h"
#include "collector/system.h"
#include "preload/message.h"
#include "preload/options.h"
#include "preload/session.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/wait.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

static char *renderer; /* NULL: none was found */

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

void ts_render_process_begin(const char *library) {
    size_t length = 0;
    for (size_t i = 0; library[i]; i++)
        if (library[i] == '/')
            length = i;
    if (try_renderer(library, length, "/traceshim") || try_renderer(library, length, "/../bin/traceshim") ||
        try_renderer(library, length, "/../../bin/traceshim"))
        return;
    const char *path = ts_options_variable(environ, "PATH");
    while (path && *path) {
        size_t item = 0;
        while (path[item] && path[item] != ':')
            item++;
        if (item && path[0] == '/' && try_renderer(path, item, "/traceshim"))
            return;
        path += item + (path[item] != 0);
    }
}

/* The renderer's own process: nothing of the program's but descriptor 2, and that only while it is the one from the
 * start. */
static void become_renderer(char *const *arguments, int show) {
    char **kept = environ; /* a copy of the program's, changed in place */
    for (char **variable = environ; variable && *variable; variable++)
        if (!ts_text_begins(*variable, "LD_PRELOAD=") && !ts_text_begins(*variable, TS_SESSION_VARIABLE "="))
            *kept++ = *variable;
    if (kept)
        *kept = NULL;
    for (int signal = 1; signal < 65; signal++)
        ts_system_default_signal(signal, signal == SIGINT || signal == SIGQUIT);
    struct ts_signal_mask none = {.blocked = 1};
    ts_system_restore_signals(&none);
    ts_system_raise_limit(RLIMIT_NOFILE); /* the program needs as many as it needs; the renderer opens libraries */
    int shown = show ? ts_message_descriptor() : -1;
    if (shown < 0)
        ts_system_close(2);
    else if (shown != 2)
        ts_system_dup2(shown, 2);
    ts_system_close_from(3);
    int64_t nothing = ts_system_open("/dev/null", O_RDWR, 0);
    for (int fd = 0; fd <= 2 && !ts_system_failed(nothing); fd++)
        if (fd != nothing && (fd != 2 || shown < 0))
            ts_system_dup2((int)nothing, fd);
    if (nothing > 2)
        ts_system_close((int)nothing);
    ts_system_execve(renderer, arguments, environ);
    ts_system_exit_group(127);
}

enum outcome { RENDERED = 0, NOT_STARTED = 1, TOO_SLOW = 2, FAILED = 3, CANNOT_RUN = 4 };

/* What the shell and the loader end with that cannot run a program, or a signal. */
static enum outcome outcome_of(int wait_status) {
    return wait_status == 0 ? RENDERED : (wait_status & 0x7f) || (wait_status >> 8 & 0xff) >= 126 ? CANNOT_RUN : FAILED;
}

static enum outcome wait_for(int pid, uint64_t timeout_seconds) {
    uint64_t start = ts_system_nanoseconds(CLOCK_MONOTONIC), pause = 200000;
    int status = 0;
    for (;;) {
        int64_t ended = ts_system_wait(pid, &status, WNOHANG);
        if (ended == pid)
            return outcome_of(status);
        if (ts_system_failed(ended) && ended != -EINTR)
            return RENDERED; /* the program ignores SIGCHLD: the kernel reaped it */
        if (timeout_seconds &&
            ts_system_nanoseconds(CLOCK_MONOTONIC) - start > timeout_seconds * UINT64_C(1000000000)) {
            ts_system_kill(pid, SIGKILL);
            ts_system_wait(pid, &status, 0);
            return TOO_SLOW;
        }
        ts_system_sleep(pause);
        pause = pause < 10000000 ? pause * 2 : pause;
    }
}

void ts_render_process_run(const char *directory, uint64_t timeout_seconds, int quiet) {
    if (!renderer) {
        ts_message("the program traceshim is not beside the library nor on PATH; to render: traceshim render ",
                   directory, NULL);
        return;
    }
    int show = !quiet && ts_message_possible();
    char *const arguments[] = {renderer,
                               (char *)"render",
                               (char *)"--at-exit",
                               (char *)"--shim-version=" TRACESHIM_VERSION,
                               (char *)(show ? "--fd2=tree" : "--fd2=quiet"),
                               (char *)directory,
                               NULL};
    /*
     * A process in between, whose end sends no signal and which the program's wait does not see (clone with exit signal
     * 0, never exec'ed: exec would give it back SIGCHLD). It starts the renderer and waits for it in our place.
     */
    struct ts_signal_mask mask;
    ts_system_block_signals(&mask);
    int64_t middle = ts_system_clone(0);
    if (middle == 0) {
        int64_t pid = ts_system_clone(SIGCHLD);
        if (pid == 0)
            become_renderer(arguments, show);
        ts_system_close_from(0); /* what the program holds is not to outlast it, even if it is killed now */
        ts_system_exit_group(ts_system_failed(pid) ? NOT_STARTED : (int)wait_for((int)pid, timeout_seconds));
    }
    /* The mask stays: the program has ended, and a signal that comes while we wait must not change its status. */
    int status = NOT_STARTED << 8;
    while (!ts_system_failed(middle) && ts_system_wait((int)middle, &status, __WCLONE) == -EINTR)
        ;
    switch ((enum outcome)(status >> 8 & 0xff)) {
    case NOT_STARTED:
        ts_message("no process could be made to render; to do it now: traceshim render ", directory, NULL);
        break;
    case TOO_SLOW:
        ts_message("rendering took longer than TRACE_RENDER_TIMEOUT; to finish it: traceshim render ", directory, NULL);
        break;
    case CANNOT_RUN:
        ts_message("the renderer cannot run here; to render: traceshim render ", directory, NULL);
        break;
    case FAILED: /* the renderer has told why */
    case RENDERED:
        break;
    }
}
