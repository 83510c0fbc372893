/* The program has libc start a shell: that gets the program's own environment, from inside libc. */
#include "preload/environment.h"
#include "preload/export.h"
#include "preload/real.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/*
 * Completes the program's environment for as long as the shell is started, where it lacks something. NULL: it does not.
 * A thread that changes the environment meanwhile keeps what it has made.
 */
static char **lend(char ***completed) {
    char **own = __environ;
    *completed = ts_environment_lacks(own) ? ts_environment_complete_own(own) : NULL;
    if (*completed)
        __environ = *completed;
    return own;
}

static void take_back(char **own, char **completed) {
    if (completed && __environ == completed)
        __environ = own;
}

TS_EXPORT int system(const char *command) {
    char **completed, **own = lend(&completed);
    int result = ts_real(system)(command);
    take_back(own, completed);
    return result;
}

TS_EXPORT FILE *popen(const char *command, const char *mode) {
    char **completed, **own = lend(&completed);
    FILE *result = ts_real(popen)(command, mode);
    take_back(own, completed);
    return result;
}
