/* Runs the traced program as a child, as if it had been started without us. */
#ifndef TRACESHIM_RENDER_RUN_CHILD_H
#define TRACESHIM_RENDER_RUN_CHILD_H

#include "render/error.h"

#include <sys/types.h>

struct ts_run_child {
    pid_t pid;
    int wait_status; /* as waitpid tells it */
    int exec_errno;  /* why it could not be executed; 0: it ran */
};

/*
 * Forks, calls `prepare` in the child (for its environment), executes argv and waits until it ends. Signals of the
 * terminal reach the child from the kernel and are ignored here from now on; SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1
 * and SIGUSR2 that come from elsewhere are passed on. Returns
 * 0, or -1 and the error when no child could be made.
 */
int ts_run_child(char **argv, void (*prepare)(void *context), void *context, struct ts_run_child *child,
                 struct ts_error *error);

#endif
