/* Processes made in every way, with the default packs: they run as without us, and the calls are those of the process
 * that made them.
 * BUILD: gcc -O1 -fno-instrument-functions
 * BUILD: gcc -O1 -fno-instrument-functions -no-pie -fno-pie -fno-plt
 * NOT-EMULATED: the emulator makes vfork a fork, which the kernel then does not wipe our memory for
 * ENV: TRACE_HOOKS=io,net,proc,sync,time,dl
 * CALLS: fork 1
 * CALLS: posix_spawn 1
 * CALLS: posix_spawnp 1
 * CALLS: system 1
 * CALLS: popen 1
 * CALLS: pclose 1
 * CALLS: execvp 1
 * CALLS: execve 1
 * CALLS: usleep 2
 */
#define _GNU_SOURCE
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void wait_for(const char *what, pid_t child) {
    int status = -1;
    if (waitpid(child, &status, 0) != child)
        perror("waitpid");
    printf("%s: %d\n", what, WIFEXITED(status) ? WEXITSTATUS(status) : status);
    fflush(stdout);
}

int main(void) {
    char *shell[] = {"sh", "-c", "exit 5", NULL}, line[64];
    pid_t child = fork();
    if (child == 0) {
        usleep(1);
        execvp("sh", shell);
        _exit(1);
    }
    wait_for("fork, execvp", child);
    child = vfork();
    if (child == 0) {
        execve("/bin/sh", shell, environ);
        _exit(1);
    }
    wait_for("vfork, execve", child);
    child = vfork();
    if (child == 0)
        _exit(7);
    wait_for("vfork, _exit", child);
    if (posix_spawn(&child, "/bin/sh", NULL, NULL, shell, environ) == 0)
        wait_for("posix_spawn", child);
    if (posix_spawnp(&child, "sh", NULL, NULL, shell, environ) == 0)
        wait_for("posix_spawnp", child);
    printf("system: %d\n", system("echo in a shell; exit 3"));
    FILE *pipe = popen("echo through a pipe", "r");
    if (pipe && fgets(line, sizeof line, pipe))
        printf("popen: %s", line);
    printf("pclose: %d\n", pclose(pipe));
    usleep(1);
    return 0;
}
