/* Hooked calls on every kind of stack: of a coroutine, of a thread that has the smallest there is, of a signal handler,
 * of the program's first thread; arguments up to the last byte of the stack.
 * LIBRARY: libstack.so
 * BUILD: gcc -O2 -fno-instrument-functions
 * BUILD: gcc -O1 -fno-instrument-functions -fno-plt
 * BUILD: gcc -O1 -fno-instrument-functions -no-pie -fno-pie
 * ENV: TRACE_HOOKS=stack_*,io,time
 * CALLS: stack_many 24
 * CALLS: stack_wide 24
 * CALLS: open 24
 * INFO: unfinished: 0
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

struct wide {
    unsigned char bytes[300];
};
long stack_many(int a, int b, int c, int d, int e, int f, long g, long h, long i, double x);
int stack_wide(struct wide wide);

#ifdef LIBRARY
long stack_many(int a, int b, int c, int d, int e, int f, long g, long h, long i, double x) {
    return a + b + c + d + e + f + 10 * g + 100 * h + 1000 * i + (long)x;
}
int stack_wide(struct wide wide) {
    int sum = 0;
    for (int i = 0; i < 300; i++)
        sum += wide.bytes[i];
    return sum;
}
#else
static volatile long total;

__attribute__((noinline)) static void use(int n) {
    struct wide wide;
    memset(&wide, n, sizeof wide);
    total += stack_many(n, 1, 2, 3, 4, 5, 6, 7, 8, 0.5) + stack_wide(wide);
    int fd = open("/dev/null", O_RDONLY);
    total += fd >= 0;
    close(fd);
}

static void *run(void *n) {
    for (int i = 0; i < 3; i++)
        use((int)(long)n);
    return NULL;
}

static void on_signal(int number) {
    use(number);
}

static ucontext_t main_context, contexts[3];

static void coroutine(int n) {
    for (int i = 0; i < 3; i++) {
        use(n);
        swapcontext(&contexts[n], n == 2 ? &main_context : &contexts[n + 1]);
    }
}

/* Stacks with nothing behind them: an access beyond their ends is a fault. */
static void *map_stack(size_t bytes) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    bytes = (bytes + page - 1) / page * page;
    char *memory = mmap(NULL, bytes + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory + page, bytes, PROT_READ | PROT_WRITE))
        exit(3);
    return memory + page;
}

int main(void) {
    pthread_attr_t attributes;
    pthread_t threads[2];
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN);
    for (long i = 0; i < 2; i++) {
        if (i)
            pthread_attr_setstack(&attributes, map_stack(PTHREAD_STACK_MIN), PTHREAD_STACK_MIN);
        if (pthread_create(&threads[i], &attributes, run, (void *)i))
            return 1;
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    for (int n = 0; n < 3; n++) {
        getcontext(&contexts[n]);
        contexts[n].uc_stack.ss_sp = map_stack(16384);
        contexts[n].uc_stack.ss_size = 16384;
        makecontext(&contexts[n], (void (*)(void))coroutine, 1, n);
    }
    for (int i = 0; i < 3; i++)
        swapcontext(&main_context, &contexts[0]);
    size_t bytes = 4 * (size_t)sysconf(_SC_MINSIGSTKSZ);
    stack_t alternate = {.ss_sp = map_stack(bytes), .ss_size = bytes};
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
    sigaltstack(&alternate, NULL);
    sigaction(SIGUSR1, &action, NULL);
    for (int i = 0; i < 4; i++)
        raise(SIGUSR1);
    for (int i = 0; i < 5; i++)
        use(i);
    printf("total %ld\n", total);
    return 0;
}
#endif
