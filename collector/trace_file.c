#include "collector/trace_file.h"
#include "collector/clock.h"
#include "collector/error_text.h"
#include "collector/place.h"
#include "collector/system.h"
#include "collector/trace_map.h"
#include "collector/trace_size.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#define BLOCK_MOST (UINT64_C(1) << 20)
#define BLOCK_LEAST (UINT64_C(64) << 10)
#define IMAGES_MOST 10000u

static uint32_t image;

uint32_t ts_trace_file_image(void) {
    return image;
}

static void build_path(struct ts_text *path, const char *directory, uint32_t number) {
    ts_text_add(path, directory);
    ts_text_add(path, "/");
    ts_text_add_number(path, (uint64_t)ts_system_getpid());
    if (number > 1) {
        ts_text_add(path, ".");
        ts_text_add_number(path, number);
    }
    ts_text_add(path, ".trace");
}

/* boot_id reads as a UUID in text; the header has its 16 bytes. */
static void read_boot_id(uint8_t *id) {
    char text[48];
    int64_t fd = ts_system_open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC, 0);
    if (ts_system_failed(fd))
        return;
    int64_t bytes = ts_system_read((int)fd, text, sizeof text);
    ts_system_close((int)fd);
    unsigned digits = 0;
    for (int64_t i = 0; i < bytes && digits < 32; i++) {
        unsigned digit;
        if (text[i] >= '0' && text[i] <= '9')
            digit = (unsigned)(text[i] - '0');
        else if (text[i] >= 'a' && text[i] <= 'f')
            digit = (unsigned)(text[i] - 'a') + 10;
        else
            continue;
        id[digits / 2] = (uint8_t)(id[digits / 2] << 4 | digit);
        digits++;
    }
}

static uint64_t pid_namespace(void) {
    struct stat status;
    return ts_system_failed(ts_system_stat("/proc/self/ns/pid", &status)) ? 0 : status.st_ino;
}

static uint64_t align_up(uint64_t value, uint64_t to) {
    return (value + to - 1) / to * to;
}

static int fill_header(struct ts_file_header *header, const struct ts_trace_file_options *options,
                       const struct ts_preamble *preamble, uint64_t bytes) {
    uint64_t block = BLOCK_MOST;
    while (block > BLOCK_LEAST && bytes / block < 64)
        block /= 2;
    header->magic = TS_TRACE_MAGIC;
    header->version_major = TS_VERSION_MAJOR;
    header->version_minor = TS_VERSION_MINOR;
    header->byte_order = TS_BYTE_ORDER;
    header->header_bytes = sizeof *header;
    header->page_bytes = (uint32_t)sysconf(_SC_PAGESIZE);
    header->machine = TS_CPU_ELF_MACHINE;
    header->full_mode = (uint16_t)options->full_mode;
    header->clock_kind = ts_clock_kind();
    header->tick_hz = ts_clock_hz();
    header->block_bytes = block;
    header->block_count = bytes / block;
    header->file_bytes = header->block_count * block;
    header->preamble_offset = sizeof *header;
    header->preamble_bytes = preamble->used;
    header->block_table_offset = align_up(header->preamble_offset + preamble->used, 64);
    uint64_t area = header->block_table_offset + header->block_count * sizeof(uint32_t);
    header->first_block = (area + block - 1) / block;
    header->next_block = header->first_block;
    header->usable_blocks = header->block_count;
    header->process_count = 1;
    header->pid = (uint32_t)ts_system_getpid();
    header->image = image;
    header->pid_namespace = pid_namespace();
    ts_system_getrandom(header->file_uuid, sizeof header->file_uuid);
    read_boot_id(header->boot_id);
    for (unsigned i = 0; i < sizeof header->trace_id; i++)
        header->trace_id[i] = options->trace_id[i];
    for (unsigned i = 0; i < sizeof header->parent_span_id; i++)
        header->parent_span_id[i] = options->parent_span_id[i];
    ts_clock_pair_take(&header->start);
    header->suspended_ns = ts_clock_suspended_ns();
    return header->first_block + 1 < header->block_count ? 0 : -1;
}

/* Through the page cache, not the mapping: a program that calls nothing never pays for the file's first page fault. */
static int write_start(int fd, const struct ts_file_header *header, const struct ts_preamble *preamble) {
    int64_t size = (int64_t)preamble->used;
    if (ts_system_pwrite(fd, header, sizeof *header, 0) != (int64_t)sizeof *header)
        return -1;
    return size && ts_system_pwrite(fd, preamble->bytes, preamble->used, header->preamble_offset) != size ? -1 : 0;
}

static void say_error(struct ts_text *reason, const char *what, int64_t error) {
    ts_text_add(reason, what);
    ts_text_add(reason, ": ");
    ts_error_text_add(reason, error);
}

int ts_trace_file_create(const struct ts_trace_file_options *options, const struct ts_preamble *preamble,
                         struct ts_text *reason, struct ts_text *note, int *place_refused) {
    char path[4096];
    *place_refused = 0;
    int64_t fd = -EEXIST;
    for (image = 1; image <= IMAGES_MOST && fd == -EEXIST; image++) {
        struct ts_text name = TS_TEXT_IN(path);
        build_path(&name, options->directory, image);
        if (name.cut) {
            ts_text_add(reason, "its path is too long");
            return -1;
        }
        fd = ts_system_open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0400);
    }
    image--;
    if (ts_system_failed(fd)) {
        say_error(reason, "the trace file cannot be made", fd);
        return -1;
    }
    ts_system_fchmod((int)fd, 0400); /* whatever the umask: the renderer must be able to read it */
    struct ts_file_header header = {0};
    uint64_t room = 0, step_bytes;
    int preallocated = !ts_trace_size_populates();
    int64_t error = 0;
    if (ts_place_check((int)fd, &room, reason)) {
        *place_refused = 1;
        goto fail;
    }
    uint64_t bytes = ts_trace_size_choose(options->max_bytes, room, preallocated, &step_bytes, note);
    if (bytes < TS_TRACE_SIZE_LEAST || fill_header(&header, options, preamble, bytes)) {
        ts_text_add(reason, bytes < TS_TRACE_SIZE_LEAST ? TS_TRACE_SIZE_NO_ROOM
                                                        : "the trace is too small for the program's module list");
        goto fail;
    }
    if ((error = ts_system_ftruncate((int)fd, header.file_bytes)) ||
        (preallocated && (error = ts_system_fallocate((int)fd, 0, 0, header.file_bytes)))) {
        say_error(reason, "the trace file cannot be sized", error);
        goto fail;
    }
    if (write_start((int)fd, &header, preamble)) {
        ts_text_add(reason, "there is no space");
        goto fail;
    }
    if ((error = ts_trace_map_open((int)fd, &header, step_bytes, preallocated))) {
        say_error(reason, "the trace file cannot be mapped", error);
        goto fail;
    }
    ts_system_close((int)fd);
    return 0;
fail:
    ts_system_close((int)fd);
    ts_system_unlink(path);
    return -1;
}
