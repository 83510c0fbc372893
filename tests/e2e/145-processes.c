/* Processes made in every way: from threads, in handlers, at the end, by the kernel's own calls, as daemons that close
 * everything, without rights and in another root, one below the other. Every call of each is in the trace.
 * BUILD: gcc -O1 -D_GNU_SOURCE
 * NOT-EMULATED: the emulator does not wipe our memory in a forked child
 * CALLS: in_thread 40
 * CALLS: in_handler 3
 * CALLS: in_raw_clone 12
 * CALLS: in_daemon 14
 * CALLS: in_jail 8
 * CALLS: in_chain 30
 * CALLS: at_end 2
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORK __attribute__((noinline)) static void
#define QUIET __attribute__((noinline, no_instrument_function))

WORK in_thread(void) {
}
WORK in_handler(void) {
}
WORK in_raw_clone(void) {
}
WORK in_daemon(void) {
}
WORK in_jail(void) {
}
WORK in_chain(void) {
}
WORK at_end(void) {
}

static QUIET void times(int count, void (*work)(void)) {
    for (int i = 0; i < count; i++)
        work();
}

static QUIET int wait_for(pid_t child) {
    int status = -1;
    while (waitpid(child, &status, __WALL) < 0 && errno == EINTR)
        ;
    return status;
}

static void *fork_from_thread(void *result) {
    for (int i = 0; i < 5; i++) {
        pid_t child = fork();
        if (child == 0) {
            times(2, in_thread);
            if (i % 2)
                exit(i);
            _exit(i);
        }
        *(int *)result += wait_for(child) >> 8;
    }
    return NULL;
}

static void threads(void) {
    pthread_t thread[4];
    int results[4] = {0};
    for (int i = 0; i < 4; i++)
        pthread_create(&thread[i], NULL, fork_from_thread, &results[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    printf("threads: %d %d %d %d\n", results[0], results[1], results[2], results[3]);
}

static void fork_in_handler(int signal) {
    pid_t child = fork();
    if (child == 0) {
        times(3, in_handler);
        _exit(signal == SIGUSR1);
    }
    printf("handler: %x\n", wait_for(child));
}

static QUIET int cloned(void *count) {
    times((int)(intptr_t)count, in_raw_clone);
    return 7;
}

static void raw_clones(void) {
    static char stack[1 << 16] __attribute__((aligned(4096)));
    struct clone_args arguments = {.exit_signal = SIGCHLD};
    long child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (child == 0) {
        times(4, in_raw_clone);
        _exit(1);
    }
    printf("clone: %x\n", wait_for((pid_t)child));
    child = syscall(SYS_clone3, &arguments, sizeof arguments);
    if (child == 0) {
        times(4, in_raw_clone);
        syscall(SYS_exit_group, 2);
    }
    printf("clone3: %x\n", wait_for((pid_t)child));
    child = clone(cloned, stack + sizeof stack, 0, (void *)4); /* its end sends no signal */
    printf("clone with a stack: %x\n", wait_for((pid_t)child));
}

static QUIET void become_daemon(int way, int out) {
    if (fork() != 0)
        _exit(0);
    setsid();
    if (fork() != 0)
        exit(0);
    umask(0777);
    if (way == 0) {
        for (int fd = 0; fd < 1024; fd++)
            if (fd != out)
                close(fd);
    } else {
        dup2(out, 0);
        closefrom(1);
        out = 0;
    }
    times(7, in_daemon);
    if (write(out, "d", 1) == 1 && way == 0)
        exit(0);
    _exit(0);
}

static void daemons(void) {
    for (int way = 0; way < 2; way++) {
        int ends[2];
        char byte = 0;
        fflush(stdout);
        pid_t child = pipe(ends) == 0 ? fork() : -1;
        if (child == 0)
            become_daemon(way, ends[1]);
        close(ends[1]);
        long bytes = read(ends[0], &byte, 1), end = read(ends[0], &byte, 1);
        close(ends[0]);
        printf("daemon: %x, %c, %ld %ld\n", wait_for(child), byte, bytes, end);
    }
}

static void jail(void) {
    mkdir("jail", 0755);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        struct rlimit none = {0, 0};
        if (chroot("jail") == 0 && chdir("/") == 0 && setgroups(0, NULL) == 0 && setgid(65534) == 0)
            setuid(65534);
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        setrlimit(RLIMIT_NOFILE, &none);
        times(4, in_jail);
        pid_t grandchild = fork();
        if (grandchild == 0) {
            times(4, in_jail);
            exit(3);
        }
        _exit(wait_for(grandchild) >> 8);
    }
    printf("jail: %x\n", wait_for(child));
}

static QUIET int chain(int depth) {
    in_chain();
    pid_t child = depth > 1 ? fork() : -1;
    if (child == 0)
        _exit(chain(depth - 1) + 1);
    return child > 0 ? wait_for(child) >> 8 : 0;
}

static void fork_at_end(void) {
    pid_t child = fork();
    if (child == 0) {
        times(2, at_end);
        _exit(0);
    }
    wait_for(child);
}

int main(void) {
    setvbuf(stdout, NULL, _IONBF, 0);
    threads();
    signal(SIGUSR1, fork_in_handler);
    raise(SIGUSR1);
    raw_clones();
    daemons();
    jail();
    printf("chain: %d\n", chain(30));
    atexit(fork_at_end);
    return 0;
}
