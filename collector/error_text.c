#include "collector/error_text.h"

#include <errno.h>

/* Those that files, mappings and processes fail with. */
#define ERRORS(X)                                                                                                      \
    X(EPERM, "not permitted")                                                                                          \
    X(ENOENT, "no such directory")                                                                                     \
    X(EINTR, "interrupted")                                                                                            \
    X(EIO, "input or output failed")                                                                                   \
    X(ENXIO, "no such device")                                                                                         \
    X(EBADF, "bad file descriptor")                                                                                    \
    X(EAGAIN, "a limit is reached")                                                                                    \
    X(ENOMEM, "no memory")                                                                                             \
    X(EACCES, "not permitted")                                                                                         \
    X(EBUSY, "in use")                                                                                                 \
    X(EEXIST, "it exists")                                                                                             \
    X(ENODEV, "it cannot be mapped there")                                                                             \
    X(ENOTDIR, "not a directory")                                                                                      \
    X(EINVAL, "not valid there")                                                                                       \
    X(ENFILE, "no free file descriptor")                                                                               \
    X(EMFILE, "no free file descriptor")                                                                               \
    X(ETXTBSY, "in use as a program")                                                                                  \
    X(EFBIG, "too large")                                                                                              \
    X(ENOSPC, "no space")                                                                                              \
    X(EROFS, "read-only file system")                                                                                  \
    X(ENAMETOOLONG, "too long a name")                                                                                 \
    X(ENOSYS, "the kernel does not have this call, or a filter forbids it")                                            \
    X(ELOOP, "too many symbolic links")                                                                                \
    X(EOVERFLOW, "too large")                                                                                          \
    X(EOPNOTSUPP, "not supported there")                                                                               \
    X(ESTALE, "the file server has lost it")                                                                           \
    X(EDQUOT, "no space")

void ts_error_text_add(struct ts_text *text, int64_t error) {
    switch (-error) {
#define X(name, words)                                                                                                 \
    case name:                                                                                                         \
        ts_text_add(text, words " (" #name ")");                                                                       \
        return;
        ERRORS(X)
#undef X
    default:
        ts_text_add(text, "errno ");
        ts_text_add_number(text, (uint64_t)-error);
    }
}
