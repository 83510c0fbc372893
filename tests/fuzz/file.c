#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char *empty_file(int *fd) {
    static char path[32];
    static int file = -1;
    if (file < 0) {
        file = memfd_create("fuzz", MFD_CLOEXEC);
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    }
    if (file < 0 || ftruncate(file, 0) != 0)
        abort();
    *fd = file;
    return path;
}

static void write_at(int fd, const uint8_t *data, size_t size, uint64_t offset) {
    if (size && pwrite(fd, data, size, (off_t)offset) != (ssize_t)size)
        abort();
}

const char *fuzz_file(const uint8_t *data, size_t size) {
    int fd;
    const char *path = empty_file(&fd);
    write_at(fd, data, size, 0);
    return path;
}

const char *fuzz_sparse_file(const uint8_t *data, size_t size) {
    int fd;
    const char *path = empty_file(&fd);
    uint32_t head[2];
    while (size > sizeof head) {
        memcpy(head, data, sizeof head);
        data += sizeof head;
        size -= sizeof head;
        uint64_t offset = (uint64_t)head[0] * FUZZ_PIECE_UNIT;
        if (head[1] & FUZZ_PIECE_SIZE) {
            if (ftruncate(fd, (off_t)offset) != 0)
                abort();
            continue;
        }
        size_t bytes = head[1] < size ? head[1] : size;
        write_at(fd, data, bytes, offset);
        data += bytes;
        size -= bytes;
    }
    return path;
}

void fuzz_output_open(struct fuzz_output *output) {
    output->stream = open_memstream(&output->bytes, &output->count);
    if (!output->stream)
        abort();
}

char *fuzz_output_text(struct fuzz_output *output) {
    if (fclose(output->stream) != 0)
        abort();
    return output->bytes;
}
