/*
 * Paths that cannot be read are found out by reading them, unless a fault's signal is the program's or may be blocked:
 * in each such state the calls fail with EFAULT, as without us, and no handler of the program runs.
 * BUILD: gcc -w -O1 -fno-instrument-functions -pthread
 * NOT-EMULATED: the emulator does not wipe our memory in a forked child
 * ENV: TRACE_HOOKS=access
 * CALLS: access 80
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char *nothing, *behind_the_file, *at_the_end;
static volatile int asked;

static void on_fault(int signal) {
    (void)signal;
    _exit(3);
}

static void ask(const char *what) {
    const char *paths[] = {nothing, behind_the_file, at_the_end, (char *)8, (char *)0xdead000000000000};
    for (unsigned i = 0; i < sizeof paths / sizeof *paths; i++) {
        errno = 0;
        if (access(paths[i], F_OK) != -1 || errno != EFAULT)
            printf("%s: %u: %s\n", what, i, strerror(errno));
        asked++;
    }
}

static void on_signal(int signal) {
    (void)signal;
    ask("in a handler");
}

static void *thread(void *unused) {
    ask("in a thread");
    return unused;
}

static void on_timer(union sigval value) {
    (void)value;
    ask("in a timer's thread");
}

static void block(int how) {
    sigset_t all;
    sigfillset(&all);
    switch (how) {
    case 0:
        sigprocmask(SIG_BLOCK, &all, NULL);
        break;
    case 1:
        pthread_sigmask(SIG_SETMASK, &all, NULL);
        break;
    case 2:
        syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, NULL, 8);
        break;
    default:
        sighold(SIGSEGV);
        sighold(SIGBUS);
        break;
    }
}

static void state(int number) {
    struct sigaction action = {.sa_handler = on_fault}, with_mask = {.sa_handler = on_signal};
    pthread_t other;
    switch (number) {
    case 0:
        break;
    case 1:
        signal(SIGSEGV, on_fault);
        signal(SIGBUS, on_fault);
        break;
    case 2:
        sigaction(SIGSEGV, &action, NULL);
        sigaction(SIGBUS, &action, NULL);
        break;
    case 3:
        signal(SIGSEGV, SIG_IGN);
        signal(SIGBUS, SIG_IGN);
        break;
    case 4:
    case 5:
    case 6:
    case 7:
        block(number - 4);
        break;
    case 8:
        block(1);
        pthread_create(&other, NULL, thread, NULL);
        pthread_join(other, NULL);
        break;
    case 9:
        sigfillset(&with_mask.sa_mask);
        sigaction(SIGUSR1, &with_mask, NULL);
        raise(SIGUSR1);
        break;
    case 10: {
        struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_timer};
        struct itimerspec soon = {.it_value.tv_nsec = 1000};
        timer_t timer;
        timer_create(CLOCK_MONOTONIC, &event, &timer);
        timer_settime(timer, 0, &soon, NULL);
        for (int i = 0; i < 5000 && asked < 5; i++)
            usleep(1000);
        break;
    }
    default:
        block(1);
        execl("/proc/self/exe", "bad", "again", NULL);
    }
    ask("here");
}

int main(int count, char **arguments) {
    (void)arguments;
    char name[] = "bad.XXXXXX";
    int file = mkstemp(name), status;
    unlink(name);
    if (ftruncate(file, 4096))
        return 2;
    nothing = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    behind_the_file = (char *)mmap(NULL, 8192, PROT_READ, MAP_SHARED, file, 0) + 4096;
    at_the_end = (char *)mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) + 4090;
    mprotect(at_the_end + 6, 4096, PROT_NONE);
    memset(at_the_end, 'x', 6);
    if (count > 1) {
        ask("after exec");
        fflush(stdout);
        _exit(0);
    }
    for (int i = 0; i < 12; i++) {
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            state(i);
            fflush(stdout);
            _exit(0);
        }
        waitpid(child, &status, 0);
        if (status)
            printf("state %d: status %#x\n", i, status);
    }
    ask("at the end");
    printf("done\n");
    return 0;
}
