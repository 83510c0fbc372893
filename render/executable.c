#include "render/executable.h"

#include "render/memory.h"
#include "render/program_find.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A script's interpreter may be a script: as deep as the kernel follows. */
enum { SCRIPTS_MOST = 4, HEADERS_MOST = 128, LINE_BYTES = 256 };

#if defined(__aarch64__)
#define OWN_MACHINE EM_AARCH64
#else
#define OWN_MACHINE EM_X86_64
#endif

char *ts_executable_path(const char *name, const char *directory) {
    if (name[0] == '/')
        return ts_memory_copy(name, strlen(name));
    if (strchr(name, '/'))
        return directory ? ts_memory_text("%s/%s", directory, name) : NULL;
    char *found = ts_program_find(name);
    if (found && found[0] == '/')
        return found;
    free(found); /* in the directory of this process */
    return NULL;
}

static const char *obstacle_of_elf(int fd, const unsigned char *ident, ssize_t bytes) {
    Elf64_Ehdr header;
    if (bytes < EI_NIDENT || memcmp(ident, ELFMAG, SELFMAG) != 0)
        return NULL;
    if (ident[EI_CLASS] != ELFCLASS64)
        return "another ELF class (32 bits)";
    if (pread(fd, &header, sizeof(header), 0) != (ssize_t)sizeof(header))
        return NULL;
    if (ident[EI_DATA] != ELFDATA2LSB || header.e_machine != OWN_MACHINE)
        return "for another processor";
    for (int i = 0; i < header.e_phnum && i < HEADERS_MOST; i++) {
        Elf64_Phdr segment;
        off_t at = (off_t)(header.e_phoff + (uint64_t)i * header.e_phentsize);
        if (pread(fd, &segment, sizeof(segment), at) != (ssize_t)sizeof(segment))
            return NULL;
        if (segment.p_type == PT_INTERP)
            return NULL;
    }
    return "statically linked";
}

/* "#! path argument": the path in place; NULL: not a script. */
static char *interpreter(char *line, ssize_t bytes) {
    if (bytes < 3 || line[0] != '#' || line[1] != '!')
        return NULL;
    line[bytes] = '\0';
    char *path = line + 2 + strspn(line + 2, " \t");
    path[strcspn(path, " \t\n")] = '\0';
    return path[0] == '/' ? path : NULL;
}

const char *ts_executable_obstacle(const char *path) {
    char line[LINE_BYTES + 1], next[LINE_BYTES + 1];
    const char *why = NULL;
    for (int script = 0; path && script <= SCRIPTS_MOST; script++) {
        struct stat status;
        int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
        if (fd < 0)
            return NULL;
        ssize_t bytes = fstat(fd, &status) == 0 && S_ISREG(status.st_mode) ? pread(fd, line, LINE_BYTES, 0) : -1;
        if (bytes > 0)
            why = obstacle_of_elf(fd, (const unsigned char *)line, bytes);
        if (bytes > 0 && !why && line[0] == ELFMAG0 && (status.st_mode & (S_ISUID | S_ISGID)))
            why = "set-user-id or set-group-id";
        close(fd);
        path = interpreter(line, bytes);
        if (path)
            path = strcpy(next, path);
    }
    return why;
}
