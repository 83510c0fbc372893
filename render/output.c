#include "render/output.h"

#include "render/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER_BYTES = 1 << 16 };

static const char *name_of(const struct ts_output *output) {
    return output->target ? output->target : "standard output";
}

static void write_all(void *context, const char *bytes, size_t count) {
    struct ts_output *output = context;
    size_t written = 0;
    while (written < count && !output->failure) {
        ssize_t now = write(output->fd, bytes + written, count - written);
        if (now >= 0)
            written += (size_t)now;
        else if (errno == EPIPE && !output->target)
            _exit(0);
        else if (errno == EAGAIN) /* whom we share the descriptor with has made it so: none of ours may be lost */
            poll(&(struct pollfd){.fd = output->fd, .events = POLLOUT}, 1, -1);
        else if (errno != EINTR)
            output->failure = errno;
    }
}

static ssize_t take(void *cookie, const char *bytes, size_t count) {
    struct ts_output *output = cookie;
    if (output->gzip)
        ts_gzip_write(output->gzip, bytes, count);
    else
        write_all(output, bytes, count);
    return output->failure ? 0 : (ssize_t)count;
}

static bool is_gzip_name(const char *path) {
    size_t length = strlen(path);
    return length > 3 && !strcmp(path + length - 3, ".gz");
}

/* *made: the outermost of them that was not there; the caller's. */
static int make_parents(const char *path, char **made, struct ts_error *error) {
    char *parent = ts_memory_copy(path, strlen(path));
    int result = 0;
    for (char *slash = strchr(parent + 1, '/'); slash && result == 0; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(parent, 0777) == 0)
            *made = *made ? *made : ts_memory_copy(parent, strlen(parent));
        else if (errno != EEXIST)
            result = ts_error_set(error, "cannot make the directory %s: %s", parent, strerror(errno));
        *slash = '/';
    }
    free(parent);
    return result;
}

/* Under no name where the file system can (O_TMPFILE), else under the temporary one. */
static int open_temporary(struct ts_output *output, mode_t mode) {
    const char *slash = strrchr(output->target, '/');
    char *directory = ts_memory_copy(output->target, slash ? (size_t)(slash - output->target + 1) : 0);
    int fd = open(directory[0] ? directory : ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
    free(directory);
    output->temporary = ts_memory_text("%s.%ld.tmp", output->target, (long)getpid());
    output->unnamed = fd >= 0;
    unlink(output->temporary); /* of a process that had our number */
    return fd >= 0 ? fd : open(output->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
}

/* Whatever the umask of the program that is traced: its user is to read what he asked for. */
static void keep_readable(int fd) {
    struct stat status;
    if (fstat(fd, &status) == 0 && (status.st_mode & 0600) != 0600)
        fchmod(fd, (status.st_mode & 07777) | 0600);
}

static int open_file(struct ts_output *output, const char *path, struct ts_error *error) {
    struct stat status;
    char *followed = realpath(path, NULL);
    output->target = ts_memory_copy(followed ? followed : path, strlen(followed ? followed : path));
    free(followed);

    output->fd = -1;
    bool exists = stat(output->target, &status) == 0;
    if (exists && S_ISDIR(status.st_mode))
        return ts_error_set(error, "%s is a directory", output->target);
    if (exists && !S_ISREG(status.st_mode)) {
        output->fd = open(output->target, O_WRONLY | O_CLOEXEC);
    } else {
        if (make_parents(output->target, &output->made, error) != 0)
            return -1;
        output->fd = open_temporary(output, exists ? 0600 : 0666);
        if (output->fd >= 0 && exists && fchmod(output->fd, status.st_mode & 07777) != 0)
            return ts_error_set(error, "cannot set the mode of %s: %s", output->target, strerror(errno));
        if (output->fd >= 0 && !exists)
            keep_readable(output->fd);
    }
    return output->fd < 0 ? ts_error_set(error, "cannot write %s: %s", output->target, strerror(errno)) : 0;
}

static int give_name(struct ts_output *output) {
    char *file = ts_memory_text("/proc/self/fd/%d", output->fd);
    int result = linkat(AT_FDCWD, file, AT_FDCWD, output->temporary, AT_SYMLINK_FOLLOW);
    free(file);
    output->unnamed = result != 0;
    return result;
}

int ts_output_open(struct ts_output *output, const char *path, struct ts_error *error) {
    *output = (struct ts_output){.fd = STDOUT_FILENO};
    signal(SIGPIPE, SIG_IGN);
    if (path && open_file(output, path, error) != 0)
        goto failed;
    bool compress = path && is_gzip_name(path);
    if (compress)
        output->gzip = ts_gzip_open(write_all, output);
    output->stream = fopencookie(output, "w", (cookie_io_functions_t){.write = take});
    if (!output->stream || (compress && !output->gzip)) {
        ts_error_set(error, "cannot write %s: %s", name_of(output), strerror(errno));
        goto failed;
    }
    setvbuf(output->stream, NULL, _IOFBF, BUFFER_BYTES);
    return 0;
failed:;
    struct ts_error ignored;
    ts_output_close(output, false, &ignored);
    return -1;
}

int ts_output_close(struct ts_output *output, bool keep, struct ts_error *error) {
    int result = 0;
    if (output->stream && fclose(output->stream) != 0 && !output->failure)
        output->failure = errno;
    if (output->gzip)
        ts_gzip_close(output->gzip);
    if (output->unnamed && keep && !output->failure && give_name(output) != 0)
        output->failure = errno;
    /* A network file system reports a full disk here. */
    if (output->fd >= 0 && close(output->fd) != 0 && !output->failure)
        output->failure = errno;
    if (output->temporary && keep && !output->failure && rename(output->temporary, output->target) != 0)
        output->failure = errno;
    if (output->temporary && (!keep || output->failure))
        unlink(output->temporary);
    if (output->failure)
        result = ts_error_set(error, "cannot write %s: %s", name_of(output), strerror(output->failure));
    free(output->temporary);
    free(output->target);
    free(output->made);
    *output = (struct ts_output){.fd = -1};
    return result;
}
