#include "render/written.h"

#include <errno.h>
#include <string.h>

int ts_written_all(FILE *out, const char *what, struct ts_error *error) {
    errno = 0;
    if (fflush(out) == 0 && !ferror(out))
        return 0;
    return ts_error_set(error, "cannot write %s: %s", what, errno ? strerror(errno) : "an earlier write failed");
}
