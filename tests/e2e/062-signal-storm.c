/*
 * storm CALLS: a timer signal every 20 microseconds while main calls `work`; the handler is instrumented too. In the
 * first half every handler returns; in the second half every eighth leaves by siglongjmp, wherever it struck.
 * Prints, for each function, how many calls there were: "NAME LEAST MOST". The two differ where a jump may have come
 * between a call and its counting.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile long begun, entered, handled, nested, jumps, after_jumps;
static volatile sig_atomic_t may_jump;
static sigjmp_buf back;

__attribute__((noinline)) static void in_handler(void) {
    nested++;
}

static void on_timer(int number) {
    (void)number;
    handled++;
    in_handler();
    if (may_jump && handled % 8 == 0) {
        may_jump = 0;
        jumps++;
        siglongjmp(back, 1);
    }
}

__attribute__((noinline)) static void work(void) {
    entered++;
}

__attribute__((noinline)) static void after_jump(void) {
    after_jumps++;
}

static void run(long calls, int jump) {
    while (begun < calls) {
        if (sigsetjmp(back, 1) != 0)
            after_jump();
        may_jump = jump;
        while (begun < calls) {
            begun++;
            work();
        }
        may_jump = 0;
    }
}

int main(int argc, char **argv) {
    long calls = argc > 1 ? atol(argv[1]) : 1000000;
    struct sigaction action = {.sa_handler = on_timer, .sa_flags = SA_RESTART};
    struct itimerspec often = {{0, 20000}, {0, 20000}};
    struct itimerspec never = {{0, 0}, {0, 0}};
    timer_t timer;
    sigaction(SIGALRM, &action, NULL);
    if (timer_create(CLOCK_MONOTONIC, NULL, &timer) != 0)
        return 1;
    timer_settime(timer, 0, &often, NULL);
    run(calls / 2, 0);
    long exact = begun - entered;
    run(calls, 1);
    timer_settime(timer, 0, &never, NULL);
    printf("work %ld %ld\n", entered, begun);
    printf("on_timer %ld %ld\n", handled, handled);
    printf("in_handler %ld %ld\n", nested, nested);
    printf("after_jump %ld %ld\n", after_jumps, after_jumps);
    printf("jumps %ld\n", jumps);
    return exact != 0 || jumps != after_jumps;
}
