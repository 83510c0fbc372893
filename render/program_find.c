#include "render/program_find.h"

#include "render/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *ts_program_find(const char *name) {
    const char *list = getenv("PATH");
    struct stat status;
    if (strchr(name, '/'))
        return ts_memory_text("%s", name);
    for (list = list ? list : "/bin:/usr/bin"; list;) {
        size_t bytes = strcspn(list, ":");
        char *path = ts_memory_text("%.*s%s%s", (int)bytes, list, bytes ? "/" : "./", name);
        if (access(path, X_OK) == 0 && stat(path, &status) == 0 && S_ISREG(status.st_mode))
            return path;
        free(path);
        list = list[bytes] ? list + bytes + 1 : NULL;
    }
    return NULL;
}
