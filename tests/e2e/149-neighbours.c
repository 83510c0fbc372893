/* What its neighbours see too: allocates and frees in two threads and a child, asks for the time and who it is, sleeps,
 * prints. -DPRELOAD: a library that puts functions of its own before libc's; -DAUDIT: one for LD_AUDIT.
 */
#define _GNU_SOURCE
#ifdef PRELOAD
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

static int writes;

ssize_t write(int fd, const void *bytes, size_t count) {
    writes++;
    return ((ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write"))(fd, bytes, count);
}

pid_t fork(void) {
    pid_t child = ((pid_t(*)(void))dlsym(RTLD_NEXT, "fork"))();
    if (child == 0)
        write(1, "[forked]\n", 9);
    return child;
}

__attribute__((destructor)) static void count(void) {
    if (writes == 0)
        write(1, "[no writes]\n", 12);
}
#elif defined AUDIT
#include <link.h>
#include <stdio.h>

unsigned la_version(unsigned version) {
    return version;
}

unsigned la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie) {
    return LA_FLG_BINDTO | LA_FLG_BINDFROM;
}

uintptr_t la_symbind64(Elf64_Sym *symbol, unsigned index, uintptr_t *by, uintptr_t *of, unsigned *flags,
                       const char *name) {
    return symbol->st_value;
}

#ifdef __x86_64__
uintptr_t la_x86_64_gnu_pltenter(Elf64_Sym *symbol, unsigned index, uintptr_t *by, uintptr_t *of, La_x86_64_regs *regs,
                                 unsigned *flags, const char *name, long *frame_bytes) {
    return symbol->st_value;
}
#endif
#else
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

__attribute__((noinline)) static int step(int n) {
    char *memory = malloc((size_t)(n % 5000) + 1);
    memory[0] = (char)n;
    memory = realloc(memory, (size_t)(n % 7000) + 2);
    int first = memory[0];
    free(memory);
    return first & 1;
}

__attribute__((no_instrument_function)) static void *work(void *sum) {
    for (int i = 0; i < 2000; i++)
        *(int *)sum += step(i);
    return NULL;
}

__attribute__((noinline)) static void nap(void) {
    struct timespec time = {0, 3000000};
    nanosleep(&time, NULL);
}

int main(void) {
    int sums[3] = {0}, status = -1;
    pthread_t threads[2];
    struct timespec before, after;
    clock_gettime(CLOCK_REALTIME, &before);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, &sums[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    pid_t child = fork();
    if (child == 0) {
        work(&sums[2]);
        printf("child %d\n", sums[2]);
        return 6;
    }
    waitpid(child, &status, 0);
    nap();
    clock_gettime(CLOCK_REALTIME, &after);
    printf("%d %d, child %x, uid %d, year %ld\n", sums[0], sums[1], status, (int)getuid(),
           after.tv_sec / 31556952 + 1970);
    write(1, "written\n", 8);
    return 7;
}
#endif
