/*
 * Stands in for libFuzzer where inputs are only replayed; needs no clang.
 *     TARGET FILE-OR-DIRECTORY...       each input once
 *     TARGET --damage CUT BIT FILE...   each input cut at every CUT-th byte, and with every BIT-th bit turned over
 * An input that takes longer than SECONDS_MOST of processor time fails. Cannot find what only new inputs reach.
 */
#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define SECONDS_MOST 2.0

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size) {
    (void)data;
    (void)max_size;
    return size;
}

static const char *running; /* for who reads that it failed */
static size_t running_cut, running_bit;

static void tell(void) {
    if (running)
        fprintf(stderr, "FAIL %s (cut at %zu, bit %zu)\n", running, running_cut, running_bit);
    running = NULL;
}

static void tell_abort(int number) {
    tell();
    signal(number, SIG_DFL);
}

/* A sanitizer's, where there is one. */
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

/* Runs the target. 0, or 1 when it took too long. */
static int run(const uint8_t *data, size_t size) {
    clock_t start = clock();
    LLVMFuzzerTestOneInput(data, size);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    if (seconds <= SECONDS_MOST)
        return 0;
    fprintf(stderr, "%.1f s: ", seconds);
    tell();
    return 1;
}

/* A copy that is just so long: reading behind it is seen. */
static int run_copy(const uint8_t *data, size_t size) {
    uint8_t *copy = malloc(size + !size);
    if (!copy)
        abort();
    memcpy(copy, data, size);
    int failed = run(copy, size);
    free(copy);
    return failed;
}

/* Both 0: inputs stay as they are. */
struct steps {
    size_t cut;
    size_t bit;
};

static int damage(uint8_t *data, size_t size, struct steps steps) {
    int failed = 0;
    for (running_cut = 0; running_cut < size; running_cut += steps.cut)
        failed |= run_copy(data, running_cut);
    for (running_bit = 0; running_bit < size * 8; running_bit += steps.bit) {
        data[running_bit / 8] ^= (uint8_t)(1u << running_bit % 8);
        failed |= run_copy(data, size);
        data[running_bit / 8] ^= (uint8_t)(1u << running_bit % 8);
    }
    return failed;
}

static int replay_file(const char *path, struct steps steps) {
    FILE *file = fopen(path, "rb");
    struct stat status;
    if (!file || fstat(fileno(file), &status) != 0) {
        fprintf(stderr, "FAIL cannot read %s\n", path);
        return 1;
    }
    size_t size = (size_t)status.st_size;
    uint8_t *data = malloc(size + !size);
    int failed = !data || fread(data, 1, size, file) != size;
    fclose(file);
    running = path;
    if (!failed)
        failed = steps.cut ? damage(data, size, steps) : run(data, size);
    running = NULL;
    free(data);
    return failed;
}

/* Every file of a directory. Returns whether one failed, and counts them. */
static int replay_directory(const char *path, DIR *directory, struct steps steps, unsigned *count) {
    int failed = 0;
    for (struct dirent *entry; (entry = readdir(directory));) {
        char file[4096];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        failed |= replay_file(file, steps);
        ++*count;
    }
    return failed;
}

int main(int argc, char **argv) {
    int damages = argc > 3 && !strcmp(argv[1], "--damage");
    struct steps steps = {0};
    if (damages)
        steps = (struct steps){strtoul(argv[2], NULL, 10), strtoul(argv[3], NULL, 10)};
    if (damages && (!steps.cut || !steps.bit)) {
        fprintf(stderr, "FAIL %s: --damage takes two numbers\n", argv[0]);
        return 2;
    }
    unsigned count = 0;
    int failed = 0;
    signal(SIGABRT, tell_abort);
    if (__sanitizer_set_death_callback)
        __sanitizer_set_death_callback(tell);
    for (int i = damages ? 4 : 1; i < argc; i++) {
        DIR *directory = opendir(argv[i]);
        if (directory) {
            failed |= replay_directory(argv[i], directory, steps, &count);
            closedir(directory);
        } else {
            failed |= replay_file(argv[i], steps);
            count++;
        }
    }
    if (count == 0)
        fprintf(stderr, "FAIL %s: no input\n", argv[0]);
    printf("%u inputs\n", count);
    return failed || count == 0;
}
