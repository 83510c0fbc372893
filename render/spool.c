#include "render/spool.h"

#include "render/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* Before each part. */
struct part {
    uint64_t next; /* as in struct ts_spool_text */
    uint64_t count;
};

static void open_file(struct ts_spool *spool) {
    const char *directory = getenv("TMPDIR");
    char *path = ts_memory_text("%s/traceshim.XXXXXX", directory && *directory ? directory : "/tmp");
    int fd = mkostemp(path, O_CLOEXEC);
    if (fd < 0)
        spool->failed = errno;
    else
        unlink(path);
    spool->file = fd + 1;
    free(path);
}

void ts_spool_free(struct ts_spool *spool) {
    if (spool->file)
        close(spool->file - 1);
    *spool = (struct ts_spool){0};
}

static void write_at(struct ts_spool *spool, uint64_t offset, const void *bytes, size_t count) {
    const char *from = bytes;
    while (count > 0 && !spool->failed) {
        ssize_t now = pwrite(spool->file - 1, from, count, (off_t)offset);
        if (now < 0 && errno != EINTR)
            spool->failed = errno;
        if (now > 0) {
            from += now;
            offset += (uint64_t)now;
            count -= (size_t)now;
        }
    }
}

void ts_spool_add(struct ts_spool *spool, struct ts_spool_text *text, const char *bytes, size_t count) {
    const struct part part = {.count = count};
    if (!spool->file && !spool->failed)
        open_file(spool);
    if (count == 0 || spool->failed)
        return;
    uint64_t number = spool->end + 1;
    write_at(spool, spool->end, &part, sizeof part);
    write_at(spool, spool->end + sizeof part, bytes, count);
    if (text->last)
        write_at(spool, text->last - 1, &number, sizeof number); /* its `next` */
    else
        text->first = number;
    text->last = number;
    spool->end += sizeof part + count;
}

/* 0, or -1: it is set why. */
static int read_at(struct ts_spool *spool, uint64_t offset, void *bytes, size_t count) {
    ssize_t now = 0;
    while (!spool->failed && (now = pread(spool->file - 1, bytes, count, (off_t)offset)) != (ssize_t)count)
        if (now >= 0 || errno != EINTR)
            spool->failed = now >= 0 ? EIO : errno;
    return spool->failed ? -1 : 0;
}

void ts_spool_read(struct ts_spool *spool, const struct ts_spool_text *text,
                   void (*take)(void *context, const char *bytes, size_t count), void *context) {
    char buffer[16384];
    struct part part;
    for (uint64_t number = text->first; number && read_at(spool, number - 1, &part, sizeof part) == 0;
         number = part.next) {
        uint64_t offset = number - 1 + sizeof part;
        while (part.count > 0) {
            size_t now = part.count < sizeof buffer ? part.count : sizeof buffer;
            if (read_at(spool, offset, buffer, now) != 0)
                return;
            take(context, buffer, now);
            offset += now;
            part.count -= now;
        }
    }
}
