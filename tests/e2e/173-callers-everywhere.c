/*
 * Every hooked call comes from where it says. The path that is opened names the functions around it, as the program
 * itself knows them: two callers that alternate on one stack, recursion of any depth, callbacks from libc, a function
 * that moves its stack, threads, coroutines, calls after longjmp, and signal handlers at any moment, which also jump.
 */
#include <alloca.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#define OUTSIDE __attribute__((noinline, noipa))

static volatile int sink;

OUTSIDE static void touch(const char *path) {
    sink += open(path, O_RDONLY);
    sink++;
}

OUTSIDE static void load(void) {
    touch("/none/load>touch");
    sink++;
}

OUTSIDE static void save(void) {
    touch("/none/save>touch");
    sink++;
}

OUTSIDE static int down(int depth) {
    int below = depth ? down(depth - 1) : (touch("/none/down>touch"), 0);
    return below + 1 + sink * 0;
}

OUTSIDE static void moving(size_t bytes) {
    char *room = alloca(bytes);
    memset(room, 0, bytes);
    touch("/none/moving>touch");
    sink += room[bytes / 2];
}

OUTSIDE static void aligned(int bytes) {
    char room[64] __attribute__((aligned(64)));
    snprintf(room, sizeof room, "%d", bytes);
    touch("/none/aligned>touch");
    sink += room[0];
}

OUTSIDE static int compare(const void *left, const void *right) {
    touch("/none/compare>touch");
    return *(const int *)left - *(const int *)right;
}

static jmp_buf back;

OUTSIDE static void jump(int depth) {
    touch("/none/jump>touch");
    if (depth == 0)
        longjmp(back, 1);
    jump(depth - 1);
    sink++;
}

static void on_alarm(int number) {
    touch("/none/on_alarm>touch");
    sink += number;
}

static void *thread(void *unused) {
    for (int i = 0; i < 50; i++) {
        load();
        save();
    }
    return unused;
}

static ucontext_t outside, inside;

static void coroutine(void) {
    for (int i = 0;; i++) {
        touch("/none/coroutine>touch");
        swapcontext(&inside, &outside);
        sink += i;
    }
}

int main(void) {
    static char stack[64 << 10];
    struct itimerval every = {{0, 200}, {0, 200}};
    int numbers[8] = {5, 3, 8, 1, 7, 2, 6, 4};
    pthread_t other;
    signal(SIGALRM, on_alarm);
    setitimer(ITIMER_REAL, &every, NULL);
    getcontext(&inside);
    inside.uc_stack = (stack_t){.ss_sp = stack, .ss_size = sizeof stack};
    makecontext(&inside, coroutine, 0);
    for (int i = 0; i < 60; i++) {
        load();
        save();
        sink += down(i % 40);
        moving(16 + (size_t)i * 48 % 1000);
        aligned(i);
        qsort(numbers, 8, sizeof *numbers, compare);
        if (setjmp(back) == 0)
            jump(i % 5);
        swapcontext(&outside, &inside);
    }
    every = (struct itimerval){{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &every, NULL);
    pthread_create(&other, NULL, thread, NULL);
    pthread_join(other, NULL);
    puts("done");
    return 0;
}
