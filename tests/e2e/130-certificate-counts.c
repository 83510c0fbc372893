/* Counts its own calls in a shared file, which is then compared with `info`. Part of 130-certificate-counts.sh.
 * usage: counts FILE THREADS CALLS
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static uint64_t *counter;
static int calls;

#define COUNT() __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED)

__attribute__((noinline)) static void leaf(int n) {
    COUNT();
    __asm__ volatile("" ::"r"(n));
}

__attribute__((noinline)) static void branch(int n) {
    COUNT();
    leaf(n);
    if (n % 3 == 0)
        leaf(n);
}

__attribute__((noinline)) static void *work(void *unused) {
    COUNT();
    for (int i = 0; i < calls; i++)
        branch(i);
    return unused;
}

int main(int argc, char **argv) {
    pthread_t threads[64];
    int count = argc > 3 ? atoi(argv[2]) : 0, fd = open(argv[1], O_RDWR | O_CREAT, 0600);
    if (count > 64 || fd < 0 || ftruncate(fd, sizeof *counter))
        return 1;
    counter = mmap(NULL, sizeof *counter, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (counter == MAP_FAILED)
        return 1;
    COUNT();
    calls = atoi(argv[3]);
    for (int i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
