#include "render/elf_file.h"

#include "render/elf_dynamic.h"
#include "render/memory.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* O_NONBLOCK: a FIFO must not hang us. */
static int open_file(struct ts_elf_file *file, uint64_t *bytes, struct ts_error *error) {
    struct stat status;
    file->fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file->fd < 0 || fstat(file->fd, &status) != 0)
        return ts_error_set(error, "cannot read %s: %s", file->path, strerror(errno));
    if (S_ISDIR(status.st_mode))
        return ts_error_set(error, "%s is a directory, not a program", file->path);
    if (!S_ISREG(status.st_mode))
        return ts_error_set(error, "%s is not an ELF file", file->path);
    file->device = status.st_dev;
    file->inode = status.st_ino;
    file->mode = status.st_mode;
    file->owner = status.st_uid;
    file->group = status.st_gid;
    *bytes = (uint64_t)status.st_size;
    return 0;
}

static int refuse_script(const struct ts_elf_file *file, struct ts_error *error) {
    char line[256] = "";
    if (pread(file->fd, line, sizeof line - 1, 0) < 3 || line[0] != '#' || line[1] != '!')
        return ts_error_set(error, "%s is not an ELF file", file->path);
    line[strcspn(line, "\n")] = '\0';
    return ts_error_set(error, "%s is a script, not an ELF file; ask for what runs it: %s", file->path,
                        line + 2 + strspn(line + 2, " \t"));
}

/* The fields that tell are at the same place in files of 32 and 64 bits; those of other byte orders are refused. */
static int check_header(struct ts_elf_file *file, Elf64_Ehdr *header, struct ts_error *error) {
    const unsigned char order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
    ssize_t bytes = pread(file->fd, header, sizeof *header, 0);
    if (bytes < SELFMAG || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
        return refuse_script(file, error);
    if (bytes > EI_CLASS && header->e_ident[EI_CLASS] == ELFCLASS32)
        return ts_error_set(
            error, "%s is a 32-bit program; traceshim records programs of 64 bits: build it without -m32", file->path);
    if (bytes < (ssize_t)sizeof *header || header->e_ident[EI_CLASS] != ELFCLASS64)
        return ts_error_set(error, "%s is damaged: its ELF header ends early", file->path);
    if (header->e_ident[EI_DATA] == order && header->e_machine == EM_X86_64)
        file->machine = "x86-64";
    else if (header->e_ident[EI_DATA] == order && header->e_machine == EM_AARCH64)
        file->machine = "aarch64";
    else
        return ts_error_set(error, "%s is for a machine that traceshim does not record on", file->path);
    if (header->e_type != ET_EXEC && header->e_type != ET_DYN)
        return ts_error_set(error, "%s is %s, not a program", file->path,
                            header->e_type == ET_CORE ? "a core file" : "an object file that is not linked");
    return 0;
}

static int compare_imports(const void *left, const void *right) {
    const struct ts_elf_import *a = left, *b = right;
    int order = strcmp(a->symbol, b->symbol);
    return order ? order : (int)a->through - (int)b->through;
}

/* Each symbol once, as it is used most plainly. */
static void sort_imports(struct ts_elf_file *file) {
    size_t kept = 0;
    if (file->import_count)
        qsort(file->imports, file->import_count, sizeof *file->imports, compare_imports);
    for (size_t i = 0; i < file->import_count; i++)
        if (!kept || strcmp(file->imports[kept - 1].symbol, file->imports[i].symbol) != 0)
            file->imports[kept++] = file->imports[i];
    file->import_count = kept;
}

static int compare_functions(const void *left, const void *right) {
    return strcmp(((const struct ts_elf_function *)left)->name, ((const struct ts_elf_function *)right)->name);
}

struct ts_elf_file *ts_elf_file_open(const char *path, struct ts_error *error) {
    struct ts_elf_file *file = ts_memory_new(1, sizeof *file);
    Elf64_Ehdr header;
    uint64_t bytes = 0;
    file->path = ts_memory_text("%s", path);
    if (open_file(file, &bytes, error) != 0 || check_header(file, &header, error) != 0)
        goto failed;
    if (ts_elf_dynamic_read(file, header.e_machine, header.e_type == ET_EXEC, bytes) != 0) {
        ts_error_set(error, "%s is damaged: libelf does not read it", path);
        goto failed;
    }
    sort_imports(file);
    if (file->function_count)
        qsort(file->functions, file->function_count, sizeof *file->functions, compare_functions);
    return file;
failed:
    ts_elf_file_close(file);
    return NULL;
}

void ts_elf_file_close(struct ts_elf_file *file) {
    if (!file)
        return;
    ts_elf_dynamic_close(file);
    if (file->fd >= 0)
        close(file->fd);
    free(file->path);
    free(file->needed);
    free(file->imports);
    free(file->functions);
    free(file);
}

const struct ts_elf_import *ts_elf_file_import(const struct ts_elf_file *file, const char *symbol) {
    size_t low = 0, high = file->import_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int side = strcmp(file->imports[middle].symbol, symbol);
        if (side == 0)
            return &file->imports[middle];
        low = side < 0 ? middle + 1 : low;
        high = side < 0 ? high : middle;
    }
    return NULL;
}

bool ts_elf_file_defines(const struct ts_elf_file *file, const char *function, const char *version) {
    size_t low = 0, high = file->function_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(file->functions[middle].name, function) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < file->function_count && !strcmp(file->functions[low].name, function); low++) {
        const char *own = file->functions[low].version;
        if (!version || !file->has_versions || (own && !strcmp(own, version)))
            return true;
    }
    return false;
}
