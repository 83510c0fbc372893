#include "render/library_search.h"

#include "render/memory.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The directories that distributions build into their loaders, those of Debian's kind first; %s is the machine. */
static const char *const default_directories[] = {
    "/lib/%s-linux-gnu", "/usr/lib/%s-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib", "/usr/local/lib",
};

/* As directories and $PLATFORM are called. */
static const char *platform_of(const char *machine) {
    return !strcmp(machine, "x86-64") ? "x86_64" : machine;
}

/* A library of another class or machine is passed over, as the loader does. */
static struct ts_elf_file *open_fitting(const struct ts_library_search *search, const char *path) {
    struct ts_error ignored;
    struct ts_elf_file *file = access(path, R_OK) == 0 ? ts_elf_file_open(path, &ignored) : NULL;
    if (file && strcmp(file->machine, search->machine) != 0) {
        ts_elf_file_close(file);
        return NULL;
    }
    return file;
}

static struct ts_elf_file *open_in(const struct ts_library_search *search, const char *directory, size_t bytes,
                                   const char *name) {
    char *path = ts_memory_text("%.*s%s%s", (int)bytes, directory, bytes ? "/" : "", name);
    struct ts_elf_file *file = open_fitting(search, path);
    free(path);
    return file;
}

/* The directory of the file, for the program the one that it really lies in. */
static char *origin_of(const struct ts_library_asker *asker) {
    char *path = asker->asker ? NULL : realpath(asker->file->path, NULL);
    if (!path)
        path = ts_memory_text("%s", asker->file->path);
    char *slash = strrchr(path, '/');
    if (slash) {
        slash[slash == path] = '\0';
        return path;
    }
    free(path);
    return ts_memory_text(".");
}

/* The value of the token ($ORIGIN, ${LIB}) at `text`, and its length; NULL: it is none. */
static char *token_value(const char *text, const struct ts_library_asker *asker, size_t *length) {
    static const char *const names[] = {"ORIGIN", "LIB", "PLATFORM"};
    bool braces = text[1] == '{';
    const char *name = text + 1 + braces, *platform = platform_of(asker->file->machine);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        *length = strlen(names[i]);
        if (strncmp(name, names[i], *length) != 0 || (braces && name[*length] != '}'))
            continue;
        *length += 1 + 2 * (size_t)braces;
        if (i == 0)
            return origin_of(asker);
        if (i == 2)
            return ts_memory_text("%s", platform);
        char *directory = ts_memory_text("/lib/%s-linux-gnu", platform);
        bool is_there = access(directory, F_OK) == 0;
        free(directory);
        return is_there ? ts_memory_text("lib/%s-linux-gnu", platform) : ts_memory_text("lib64");
    }
    return NULL;
}

/* `text` with its tokens, in which no separator stands, replaced. The caller frees it. */
static char *expand(const char *text, size_t bytes, const struct ts_library_asker *asker) {
    char *expanded = NULL, *value;
    size_t size, length;
    FILE *out = open_memstream(&expanded, &size);
    if (!out)
        return ts_memory_copy("", 0);
    for (size_t i = 0; i < bytes;) {
        if (text[i] == '$' && (value = token_value(text + i, asker, &length))) {
            fputs(value, out);
            free(value);
            i += length;
        } else {
            fputc(text[i++], out);
        }
    }
    return fclose(out) == 0 ? expanded : ts_memory_copy("", 0);
}

/* An empty directory is the current one. */
static struct ts_elf_file *find_in_list(const struct ts_library_search *search, const char *list,
                                        const char *separators, const struct ts_library_asker *asker,
                                        const char *name) {
    struct ts_elf_file *file = NULL;
    while (list && !file) {
        size_t bytes = strcspn(list, separators);
        char *directory = expand(list, bytes, asker);
        file = open_in(search, directory, strlen(directory), name);
        free(directory);
        list = list[bytes] ? list + bytes + 1 : NULL;
    }
    return file;
}

static struct ts_elf_file *find_in_cache(const struct ts_library_search *search, const char *name) {
    struct ts_elf_file *file = NULL;
    const char *path;
    uint32_t at = 0;
    while (!file && (path = ts_library_cache_next(&search->cache, name, &at)))
        file = open_fitting(search, path);
    return file;
}

struct ts_elf_file *ts_library_search_find(const struct ts_library_search *search, const struct ts_library_asker *asker,
                                           const char *name) {
    const char *runpath = asker->file->runpath;
    struct ts_elf_file *file = NULL;
    if (strchr(name, '/')) {
        char *path = expand(name, strlen(name), asker);
        file = open_fitting(search, path);
        free(path);
        return file;
    }
    for (const struct ts_library_asker *from = asker; from && !runpath && !file; from = from->asker)
        if (!from->file->runpath)
            file = find_in_list(search, from->file->rpath, ":", from, name);
    if (!file && search->library_path && search->library_path[0])
        file = find_in_list(search, search->library_path, ":;", asker, name);
    if (!file)
        file = find_in_list(search, runpath, ":", asker, name);
    if (!file)
        file = find_in_cache(search, name);
    for (size_t i = 0; !file && i < sizeof default_directories / sizeof *default_directories; i++) {
        char *directory = ts_memory_text(default_directories[i], platform_of(search->machine));
        file = open_in(search, directory, strlen(directory), name);
        free(directory);
    }
    return file;
}
