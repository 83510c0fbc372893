#include "tests/unit/render/compiled.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *compiled_directory(void) {
    const char *temporary = getenv("TMPDIR");
    char *directory = NULL;
    cr_assert(asprintf(&directory, "%s/traceshim-test-XXXXXX", temporary ? temporary : P_tmpdir) > 0);
    cr_assert(mkdtemp(directory) != NULL, "no temporary directory %s", directory);
    return directory;
}

void compiled_remove(char *directory) {
    compiled_run(directory, "rm -rf \"$D\"");
    free(directory);
}

void compiled_run(const char *directory, const char *format, ...) {
    char *command = NULL;
    va_list arguments;
    va_start(arguments, format);
    cr_assert(vasprintf(&command, format, arguments) > 0);
    va_end(arguments);
    setenv("D", directory, 1);
    cr_assert(system(command) == 0, "failed: %s", command);
    free(command);
}

int compiled_have(const char *program) {
    char command[128];
    snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", program);
    return system(command) == 0;
}

const char *compiled_path(const char *directory, const char *name) {
    static char paths[4][512];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", directory, name);
    return path;
}

uint64_t compiled_address(const char *path, const char *symbol) {
    char command[1024], line[1024], name[512], type;
    uint64_t address = 0, found;
    snprintf(command, sizeof command, "nm '%s'", path);
    FILE *nm = popen(command, "r");
    cr_assert(nm != NULL);
    int matches = 0;
    while (fgets(line, sizeof line, nm)) {
        if (sscanf(line, "%" SCNx64 " %c %511s", &found, &type, name) == 3 && !strcmp(name, symbol)) {
            address = found;
            matches++;
        }
    }
    pclose(nm);
    cr_assert(matches > 0, "no symbol %s in %s", symbol, path);
    return address;
}

uint8_t *compiled_read(const char *path, size_t *bytes) {
    FILE *file = fopen(path, "rb");
    cr_assert(file != NULL, "cannot read %s", path);
    fseek(file, 0, SEEK_END);
    *bytes = (size_t)ftell(file);
    rewind(file);
    uint8_t *content = malloc(*bytes + 1);
    cr_assert(content && fread(content, 1, *bytes, file) == *bytes);
    fclose(file);
    return content;
}

void compiled_write(const char *path, const void *bytes, size_t count) {
    FILE *file = fopen(path, "wb");
    cr_assert(file && fwrite(bytes, 1, count, file) == count && fclose(file) == 0, "cannot write %s", path);
}
