/* The traced program as a child: status, signals, failures to execute. Cannot find: what a terminal's job control does.
 */
#include "render/run_child.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

TestSuite(run_child, .timeout = 30);

static void nothing(void *context) {
    (void)context;
}

static void set_variable(void *context) {
    setenv("TS_TEST", context, 1);
}

static struct ts_run_child run(const char *script, void (*prepare)(void *), void *context) {
    char *argv[] = {(char *)"sh", (char *)"-c", (char *)script, NULL};
    struct ts_run_child child;
    struct ts_error error;
    cr_assert_eq(ts_run_child(argv, prepare, context, &child, &error), 0);
    return child;
}

Test(run_child, the_status_is_the_programs) {
    for (int status = 0; status < 256; status += 51) {
        char script[32];
        snprintf(script, sizeof script, "exit %d", status);
        struct ts_run_child child = run(script, nothing, NULL);
        cr_expect_eq(child.exec_errno, 0);
        cr_expect(WIFEXITED(child.wait_status) && WEXITSTATUS(child.wait_status) == status);
    }
    struct ts_run_child child = run("kill -9 $$", nothing, NULL);
    cr_expect(WIFSIGNALED(child.wait_status) && WTERMSIG(child.wait_status) == SIGKILL);
}

Test(run_child, the_environment_is_prepared_in_the_child_only) {
    struct ts_run_child child = run("test \"$TS_TEST\" = yes", set_variable, (void *)"yes");
    cr_expect_eq(child.wait_status, 0);
    cr_expect_null(getenv("TS_TEST"));
}

Test(run_child, what_cannot_be_executed_is_told) {
    struct {
        const char *path;
        int failure;
    } cases[] = {{"/nowhere/program", ENOENT}, {"ts-no-such-program", ENOENT}, {"/etc/passwd", EACCES}, {"/", EACCES}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *argv[] = {(char *)cases[i].path, NULL};
        struct ts_run_child child;
        struct ts_error error;
        cr_assert_eq(ts_run_child(argv, nothing, NULL, &child, &error), 0);
        cr_expect_eq(child.exec_errno, cases[i].failure, "%s: %s", cases[i].path, strerror(child.exec_errno));
    }
}

/* Whatever was inherited: an ignored SIGCHLD must not lose the status, and the child gets it all back. */
Test(run_child, signals_are_as_we_were_started) {
    for (int number = 1; number < 32; number++) /* whatever nohup or a shell's background job left ignored */
        signal(number, SIG_DFL);
    signal(SIGCHLD, SIG_IGN);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_SETMASK, &set, NULL);
    /* Bits of SIGCHLD (17) and SIGUSR1 (10), the others clear; 32 is libc's own, and make leaves it ignored. */
    static const char *const expected[] = {"SigIgn:.00000000[08]0010000", "SigBlk:.0000000000000200"};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        char *argv[] = {(char *)"grep", (char *)"-q", (char *)expected[i], (char *)"/proc/self/status", NULL};
        struct ts_run_child child;
        struct ts_error error;
        cr_assert_eq(ts_run_child(argv, nothing, NULL, &child, &error), 0);
        cr_expect(WIFEXITED(child.wait_status) && WEXITSTATUS(child.wait_status) == 0, "%s", expected[i]);
        signal(SIGCHLD, SIG_IGN);
        signal(SIGPIPE, SIG_DFL);
        signal(SIGINT, SIG_DFL);
        signal(SIGQUIT, SIG_DFL);
    }
}

static void expect_after_signal(int number, const char *script, int status) {
    int ready[2], ended;
    char byte;
    cr_assert_eq(pipe(ready), 0);
    pid_t runner = fork();
    if (runner == 0) {
        dup2(ready[1], 9);
        signal(number, SIG_DFL); /* ignored where the tests run in a shell's background: then none could be trapped */
        struct ts_run_child child = run(script, nothing, NULL);
        _exit(WIFEXITED(child.wait_status) ? WEXITSTATUS(child.wait_status) : 99);
    }
    cr_assert_eq(read(ready[0], &byte, 1), 1);
    kill(runner, number);
    cr_assert_eq(waitpid(runner, &ended, 0), runner);
    cr_expect(WIFEXITED(ended) && WEXITSTATUS(ended) == status, "signal %d: wait status %#x", number, (unsigned)ended);
}

Test(run_child, terminate_and_hangup_are_passed_on) {
    expect_after_signal(SIGTERM, "trap 'exit 5' TERM; echo >&9; while :; do sleep 0.05; done", 5);
    expect_after_signal(SIGHUP, "trap 'exit 6' HUP; echo >&9; while :; do sleep 0.05; done", 6);
}

/* The terminal's own reach the child without us: tests/e2e/114. */
Test(run_child, interrupt_and_quit_of_a_process_are_passed_on) {
    expect_after_signal(SIGINT, "trap 'exit 7' INT; echo >&9; while :; do sleep 0.05; done", 7);
    expect_after_signal(SIGQUIT, "trap 'exit 8' QUIT; echo >&9; while :; do sleep 0.05; done", 8);
}
