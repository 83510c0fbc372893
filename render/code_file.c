#include "render/code_file.h"

#include "render/memory.h"
#include "render/symbols.h"

#include <elf.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* No function is larger; a symbol that says so is damaged. */
#define FUNCTION_MOST (64u << 20)

static int read_segments(struct ts_code_file *file, const Elf64_Ehdr *header) {
    Elf64_Phdr segment;
    size_t capacity = 0;
    if (header->e_phentsize != sizeof segment)
        return -1;
    for (unsigned i = 0; i < header->e_phnum; i++) {
        if (pread(file->fd, &segment, sizeof segment, (off_t)(header->e_phoff + i * sizeof segment)) != sizeof segment)
            return -1;
        if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X))
            continue;
        file->segments = ts_memory_grow(file->segments, &capacity, file->segment_count + 1, sizeof *file->segments);
        file->segments[file->segment_count++] =
            (struct ts_code_segment){segment.p_vaddr, segment.p_filesz, segment.p_offset};
    }
    return 0;
}

int ts_code_file_open(struct ts_code_file *file, const char *path, const uint8_t *build_id, uint32_t build_id_bytes,
                      struct ts_error *error) {
    Elf64_Ehdr header;
    struct stat status;
    *file = (struct ts_code_file){.fd = ts_symbols_open_file(path, build_id, build_id_bytes, error)};
    if (file->fd < 0)
        return -1;
    if (pread(file->fd, &header, sizeof header, 0) == sizeof header && header.e_ident[EI_CLASS] == ELFCLASS64 &&
        header.e_ident[EI_DATA] == ELFDATA2LSB)
        file->decode = ts_code_decoder(header.e_machine);
    if (fstat(file->fd, &status) == 0)
        file->budget = 8 * (uint64_t)status.st_size;
    if (!file->decode || read_segments(file, &header)) {
        ts_code_file_close(file);
        return ts_error_set(error, "%s is for a machine whose code is not known here: its lines cannot be counted",
                            path);
    }
    return 0;
}

void ts_code_file_close(struct ts_code_file *file) {
    if (file->fd >= 0)
        close(file->fd);
    free(file->segments);
    free(file->code);
    *file = (struct ts_code_file){.fd = -1};
}

const uint8_t *ts_code_file_read(struct ts_code_file *file, uint64_t address, size_t *bytes) {
    for (size_t i = 0; i < file->segment_count; i++) {
        const struct ts_code_segment *segment = &file->segments[i];
        uint64_t offset = address - segment->address;
        if (offset >= segment->bytes)
            continue;
        if (*bytes > FUNCTION_MOST)
            *bytes = FUNCTION_MOST;
        if (*bytes > segment->bytes - offset)
            *bytes = segment->bytes - offset;
        if (*bytes > file->budget)
            *bytes = file->budget;
        file->budget -= *bytes;
        if (*bytes > file->capacity)
            file->code = ts_memory_grow(file->code, &file->capacity, *bytes, 1);
        ssize_t got = pread(file->fd, file->code, *bytes, (off_t)(segment->offset + offset));
        *bytes = got > 0 ? (size_t)got : 0;
        return file->code;
    }
    *bytes = 0;
    return file->code;
}
