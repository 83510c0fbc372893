#include "render/run_child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Handled in another way here than in the child, which gets back what we were started with. */
static const int ours[] = {SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGPIPE, SIGCHLD};
enum { OURS = sizeof ours / sizeof *ours };

struct signals {
    struct sigaction actions[OURS];
    sigset_t mask;
};

static void take_signals(struct signals *before, sigset_t *awaited) {
    static const int awaited_ones[] = {SIGCHLD, SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2};
    sigemptyset(awaited);
    for (size_t i = 0; i < sizeof awaited_ones / sizeof *awaited_ones; i++)
        sigaddset(awaited, awaited_ones[i]);
    sigprocmask(SIG_BLOCK, awaited, &before->mask);
    for (size_t i = 0; i < OURS; i++) {
        /* SIGCHLD ignored, as it may be inherited, would make the kernel forget the child's status. */
        struct sigaction action = {.sa_handler = ours[i] == SIGCHLD ? SIG_DFL : SIG_IGN};
        sigaction(ours[i], &action, &before->actions[i]);
    }
}

static void give_signals_back(const struct signals *before) {
    for (size_t i = 0; i < OURS; i++)
        sigaction(ours[i], &before->actions[i], NULL);
    sigprocmask(SIG_SETMASK, &before->mask, NULL);
}

static _Noreturn void execute(char **argv, int report_fd) {
    execvp(argv[0], argv);
    int failure = errno;
    ssize_t ignored = write(report_fd, &failure, sizeof failure);
    (void)ignored;
    _exit(127);
}

/* The terminal sends its own to all of its foreground processes: the child has it already. */
static bool is_passed_on(int number, const siginfo_t *information) {
    if (number == SIGINT || number == SIGQUIT)
        return information->si_code != SI_KERNEL;
    return number == SIGTERM || number == SIGHUP || number == SIGUSR1 || number == SIGUSR2;
}

/* Waits for signals instead of in waitpid, so that passing one on cannot be lost in between. */
static void wait_for(pid_t pid, const sigset_t *awaited, int *status) {
    for (;;) {
        pid_t ended = waitpid(pid, status, WNOHANG);
        if (ended == pid || (ended < 0 && errno != EINTR))
            return;
        siginfo_t information;
        int number = sigwaitinfo(awaited, &information);
        if (is_passed_on(number, &information))
            kill(pid, number);
    }
}

int ts_run_child(char **argv, void (*prepare)(void *context), void *context, struct ts_run_child *child,
                 struct ts_error *error) {
    struct signals before;
    sigset_t awaited;
    int report[2]; /* closed by a successful exec, else carries its errno */
    *child = (struct ts_run_child){.pid = -1};
    if (pipe2(report, O_CLOEXEC) != 0)
        return ts_error_set(error, "cannot start %s: %s", argv[0], strerror(errno));
    take_signals(&before, &awaited);
    child->pid = fork();
    if (child->pid == 0) {
        prepare(context);
        give_signals_back(&before);
        execute(argv, report[1]);
    }
    int failure = errno;
    close(report[1]);
    if (child->pid > 0) {
        ssize_t got;
        do
            got = read(report[0], &child->exec_errno, sizeof child->exec_errno);
        while (got < 0 && errno == EINTR);
        wait_for(child->pid, &awaited, &child->wait_status);
    }
    close(report[0]);
    sigprocmask(SIG_SETMASK, &before.mask, NULL);
    return child->pid > 0 ? 0 : ts_error_set(error, "cannot start %s: %s", argv[0], strerror(failure));
}
