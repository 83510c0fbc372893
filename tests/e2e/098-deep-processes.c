/* Objects opened with RTLD_DEEPBIND make processes by the shim's functions too, which they would pass by: what runs
 * with an environment of its own is traced, and the calls are recorded. A function of their own stays theirs.
 * PLUGIN: plugin.so
 * BUILD: gcc -O1 -fno-instrument-functions -DNOW=RTLD_NOW
 * BUILD: gcc -O1 -fno-instrument-functions -DNOW=RTLD_LAZY -Wl,-z,lazy
 * BUILD: gcc -O1 -fno-instrument-functions -fno-plt -DNOW=RTLD_NOW
 * NOT-EMULATED: the emulator does not run what a program executes
 * ENV: TRACE_HOOKS=getsid,proc,time
 * CALLS: getsid 1
 * CALLS: usleep 4
 * CALLS: fork 4
 * CALLS: execve 1
 * CALLS: execle 1
 * CALLS: fexecve 1
 * CALLS: posix_spawn 1
 * CALLS: waitpid 5
 * PROCESSES: 6
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef PLUGIN
int prctl(int option, ...) {
    return option + 1;
}

static void wait_for(const char *what, pid_t child) {
    int status = -1;
    if (waitpid(child, &status, 0) != child)
        perror("waitpid");
    printf("%s: %d\n", what, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    fflush(stdout);
}

int plugin_run(void) {
    char *arguments[] = {"app", "child", NULL}, *environment[] = {"A=B", NULL};
    int file = open("app", O_RDONLY);
    pid_t child = fork();
    if (child == 0) {
        execve("app", arguments, environment);
        _exit(1);
    }
    wait_for("execve", child);
    if ((child = fork()) == 0) {
        execle("app", "app", "child", NULL, environment);
        _exit(1);
    }
    wait_for("execle", child);
    if ((child = fork()) == 0) {
        fexecve(file, arguments, environment);
        _exit(1);
    }
    wait_for("fexecve", child);
    if (posix_spawn(&child, "app", NULL, NULL, arguments, environment) == 0)
        wait_for("posix_spawn", child);
    if ((child = fork()) == 0)
        _exit(getsid(0) > 0);
    wait_for("_exit", child);
    close(file);
    return prctl(41);
}
#else
int main(int count, char **arguments) {
    (void)arguments;
    if (count > 1)
        return 10 + (usleep(1) == 0);
    void *plugin = dlopen("./plugin.so", NOW | RTLD_DEEPBIND);
    int (*run)(void) = plugin ? (int (*)(void))dlsym(plugin, "plugin_run") : NULL;
    printf("%d\n", run ? run() : -1);
    return 0;
}
#endif
