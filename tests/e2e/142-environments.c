/* What the program makes of the environment, its children are recorded, with the options that it was started with; and
 * every process sees the environment that was meant for it.
 * BUILD: gcc -O1
 * BUILD: clang -O1 -fno-plt
 * ENV: TRACE_HOOKS=proc
 * NOT-EMULATED: the emulator reads environments that it does not pass on
 * ENV: TRACE_FUNCTIONS=*,-filtered
 * CALLS: work 96
 * CALLS: filtered 0
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define QUIET __attribute__((noinline, no_instrument_function))

extern char **environ;

static __attribute__((noinline)) int filtered(int n) {
    return n + 1;
}

static __attribute__((noinline)) int work(int n) {
    return filtered(n) - 1;
}

static QUIET void show_environment(void) {
    for (char **variable = environ; variable != NULL && *variable != NULL; variable++)
        if (strncmp(*variable, "LD_PRELOAD=", 11) != 0 && strncmp(*variable, "TRACE", 5) != 0)
            printf(" %s", strncmp(*variable, "SMALL_", 6) == 0 ? *variable : "one");
    printf(";");
}

static QUIET int wait_for(pid_t child) {
    int status = -1;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -status;
}

enum way { SPAWN, SPAWNP, VFORK, EXECVE, EXECV, EXECVPE, EXECLE, FEXECVE, EXECVEAT, BY_CALL, AT_BY_CALL, WAYS };

static QUIET void become(enum way way, char **arguments, char **variables) {
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    switch (way) {
    case EXECV:
        environ = variables;
        execv("/proc/self/exe", arguments);
        break;
    case EXECVPE:
        execvpe("/proc/self/exe", arguments, variables);
        break;
    case EXECLE:
        execle("/proc/self/exe", arguments[0], arguments[1], (char *)NULL, variables);
        break;
    case FEXECVE:
        fexecve(fd, arguments, variables);
        break;
    case EXECVEAT:
        execveat(fd, "", arguments, variables, AT_EMPTY_PATH);
        break;
    case BY_CALL:
        syscall(SYS_execve, "/proc/self/no", arguments, variables);
        syscall(SYS_execve, "/proc/self/exe", arguments, variables);
        break;
    case AT_BY_CALL:
        syscall(SYS_execveat, fd, "", arguments, variables, AT_EMPTY_PATH);
        break;
    default:
        execve("/proc/self/exe", arguments, variables);
    }
    _exit(errno);
}

static QUIET int start(enum way way, char **arguments, char **variables) {
    pid_t child = -1;
    fflush(stdout);
    if (way == SPAWN && posix_spawn(&child, "/proc/self/exe", NULL, NULL, arguments, variables) != 0)
        return -1;
    if (way == SPAWNP && posix_spawnp(&child, "/proc/self/exe", NULL, NULL, arguments, variables) != 0)
        return -1;
    if (way == VFORK && (child = vfork()) == 0)
        become(EXECVE, arguments, variables);
    if (way > VFORK && (child = fork()) == 0)
        become(way, arguments, variables);
    return wait_for(child);
}

/* The shell that libc starts itself: its environment is ours, which is empty or not there at all. */
static QUIET void shells(void) {
    char command[4200];
    ssize_t bytes = readlink("/proc/self/exe", command, 4096);
    strcpy(command + (bytes > 0 ? bytes : 0), " child");
    clearenv();
    fflush(stdout);
    printf("system %d\n", WEXITSTATUS(system(command)));
    printf("nothing was added: %d\n", environ == NULL || *environ == NULL);
    environ = NULL;
    FILE *reader = popen(command, "r");
    char line[64] = "";
    while (fgets(line, sizeof line, reader) != NULL)
        ;
    printf("popen %d%s\n", WEXITSTATUS(pclose(reader)), line);
    setenv("SMALL_A", "later", 1);
    fflush(stdout);
    printf("system %d\n", WEXITSTATUS(system(command)));
}

int main(int count, char **arguments) {
    if (count > 1) {
        show_environment();
        for (int i = 0; i < 4; i++)
            work(i);
        return 7;
    }
    char *child_arguments[] = {arguments[0], "child", NULL};
    char *nothing[] = {NULL}, *small[] = {"SMALL_A=1", "SMALL_B=2", NULL};
    for (enum way way = SPAWN; way < WAYS; way++) {
        printf("%d:", start(way, child_arguments, small));
        printf("%d\n", start(way, child_arguments, way % 2 ? NULL : nothing));
    }
    shells();
    return 0;
}
