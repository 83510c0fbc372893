/* Strict mode and filters that end the process at the first call they do not know: none is made from then on, by any
 * thread. What was recorded before is in the trace.
 * BUILD: gcc -O1 -D_GNU_SOURCE
 * NOT-EMULATED: the emulator makes calls of its own
 * CALLS: before 50
 */
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define QUIET __attribute__((noinline, no_instrument_function))

__attribute__((noinline)) static int before(int n) {
    return n + 1;
}

__attribute__((noinline)) static int after(int n) {
    return n + 1;
}

static volatile int forbidden, done;

static QUIET void calls(int (*work)(int), int count) {
    for (int i = 0; i < count; i++)
        work(i);
}

static void *thread_body(void *unused) {
    calls(before, 5);
    done = 1;
    while (!forbidden)
        ;
    calls(after, 100000);
    done = 2;
    for (;;)
        ;
    return unused;
}

/* Lets write, exit, exit_group and the return from handlers through; all else is `action`. */
static QUIET void install(unsigned action, int by_system_call, unsigned flags) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 4, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, action),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (by_system_call)
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
    else
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

enum way { STRICT_BY_PRCTL, STRICT_BY_CALL, FILTER_BY_PRCTL, FILTER_BY_CALL, FILTER_ALL_THREADS, FILTER_REFUSES, WAYS };

static QUIET void child(enum way way) {
    pthread_t thread;
    calls(before, 5);
    if (way == FILTER_ALL_THREADS && pthread_create(&thread, NULL, thread_body, NULL) == 0)
        while (!done)
            ;
    if (way == STRICT_BY_PRCTL)
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
    else if (way == STRICT_BY_CALL)
        syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 0, NULL);
    else
        install(way == FILTER_REFUSES ? SECCOMP_RET_ERRNO | 1 : SECCOMP_RET_KILL_PROCESS, way != FILTER_BY_PRCTL,
                way == FILTER_ALL_THREADS ? SECCOMP_FILTER_FLAG_TSYNC : 0);
    forbidden = 1;
    calls(after, 100000);
    while (way == FILTER_ALL_THREADS && done != 2)
        ;
    if (way <= STRICT_BY_CALL)
        syscall(SYS_exit, 40 + way);
    if (way == FILTER_REFUSES)
        exit(40 + way);
    _exit(40 + way);
}

int main(void) {
    for (enum way way = STRICT_BY_PRCTL; way < WAYS; way++) {
        int status = -1;
        fflush(stdout);
        pid_t pid = fork();
        if (pid == 0)
            child(way);
        waitpid(pid, &status, 0);
        printf("way %d: %x\n", way, status);
        if (WIFSIGNALED(status))
            break;
    }
    calls(before, 15);
    fflush(stdout);
    install(SECCOMP_RET_KILL_PROCESS, 1, 0);
    calls(after, 10);
    exit(6);
}
