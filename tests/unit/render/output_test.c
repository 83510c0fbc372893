/* Files that appear whole or not at all. Cannot find: what a network file system does. */
#include "render/output.h"
#include "render/output_parts.h"

#include "tests/unit/render/compiled.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char *directory;

static void set_up(void) {
    directory = compiled_directory();
}

static void tear_down(void) {
    compiled_remove(directory);
}

TestSuite(output, .init = set_up, .fini = tear_down, .timeout = 30);

static int write_file(const char *path, const char *text, bool keep, struct ts_error *error) {
    struct ts_output output;
    if (ts_output_open(&output, path, error) != 0)
        return -1;
    fputs(text, output.stream);
    return ts_output_close(&output, keep, error);
}

static void expect_content(const char *path, const char *text) {
    size_t bytes;
    uint8_t *content = compiled_read(path, &bytes);
    cr_expect(bytes == strlen(text) && !memcmp(content, text, bytes));
    free(content);
}

static int entries(const char *path) {
    int count = 0;
    DIR *stream = opendir(path);
    cr_assert(stream != NULL);
    for (struct dirent *entry; (entry = readdir(stream));)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(stream);
    return count;
}

Test(output, makes_parents_and_replaces) {
    struct ts_error error;
    const char *path = compiled_path(directory, "a/b/file");
    cr_expect_eq(write_file(path, "first", true, &error), 0);
    expect_content(path, "first");
    cr_expect_eq(write_file(path, "second", true, &error), 0);
    expect_content(path, "second");
    cr_expect_eq(entries(compiled_path(directory, "a/b")), 1, "a temporary file is left");
}

Test(output, a_name_without_a_directory) {
    struct ts_error error;
    cr_assert_eq(chdir(directory), 0);
    cr_expect_eq(write_file("plain", "x", true, &error), 0);
    expect_content("plain", "x");
    cr_assert_eq(chdir("/"), 0);
}

Test(output, what_is_not_kept_leaves_the_old_file) {
    struct ts_error error;
    const char *path = compiled_path(directory, "file");
    cr_expect_eq(write_file(path, "old", true, &error), 0);
    cr_expect_eq(write_file(path, "new", false, &error), 0);
    expect_content(path, "old");
    cr_expect_eq(entries(directory), 1);
}

Test(output, the_mode_is_the_umask_or_that_of_the_old_file) {
    struct stat status;
    struct ts_error error;
    umask(027);
    const char *path = compiled_path(directory, "file");
    write_file(path, "x", true, &error);
    stat(path, &status);
    cr_expect_eq(status.st_mode & 0777, 0640);
    chmod(path, 0604);
    write_file(path, "y", true, &error);
    stat(path, &status);
    cr_expect_eq(status.st_mode & 0777, 0604);
}

Test(output, a_symbolic_link_stays_one) {
    struct stat status;
    struct ts_error error;
    const char *path = compiled_path(directory, "file"), *link = compiled_path(directory, "link");
    write_file(path, "old", true, &error);
    cr_assert_eq(symlink("file", link), 0);
    cr_expect_eq(write_file(link, "new", true, &error), 0);
    expect_content(path, "new");
    lstat(link, &status);
    cr_expect(S_ISLNK(status.st_mode));
}

Test(output, a_device_is_written_in_place) {
    struct stat status;
    struct ts_error error;
    cr_expect_eq(write_file("/dev/null", "x", true, &error), 0);
    stat("/dev/null", &status);
    cr_expect(S_ISCHR(status.st_mode), "/dev/null was replaced");
}

Test(output, errors_name_the_file_and_the_cause) {
    struct ts_error error;
    write_file(compiled_path(directory, "file"), "x", true, &error);
    cr_expect_eq(write_file(compiled_path(directory, "file/below"), "x", true, &error), -1);
    cr_expect(strstr(error.text, "file/below: Not a directory"), "%s", error.text);
    cr_expect_eq(write_file(directory, "x", true, &error), -1);
    cr_expect(strstr(error.text, "is a directory"), "%s", error.text);
    cr_expect_eq(write_file("/dev/full", "x", true, &error), -1);
    cr_expect(strstr(error.text, "cannot write /dev/full: No space left on device"), "%s", error.text);
}

/* On a tmpfs of 64 KiB, where one may be mounted. */
Test(output, a_full_disk_leaves_no_file) {
    struct ts_output output;
    struct ts_error error;
    compiled_run(directory, "mkdir \"$D/full\" && (mount -t tmpfs -o size=64k none \"$D/full\" 2>/dev/null || true)");
    struct stat outer, inner;
    stat(directory, &outer);
    stat(compiled_path(directory, "full"), &inner);
    if (outer.st_dev == inner.st_dev)
        cr_skip_test("may not mount a small file system");
    cr_assert_eq(ts_output_open(&output, compiled_path(directory, "full/large"), &error), 0);
    for (int i = 0; i < 100000; i++)
        fputs("0123456789", output.stream);
    cr_expect_eq(ts_output_close(&output, true, &error), -1);
    cr_expect(strstr(error.text, "No space left on device"), "%s", error.text);
    cr_expect_eq(entries(compiled_path(directory, "full")), 0);
    compiled_run(directory, "umount \"$D/full\"");
}

/* Standard output that another process has made non-blocking, and a reader that takes its time. */
Test(output, a_pipe_that_does_not_block_gets_everything) {
    int ends[2], status;
    size_t wanted = 1000000, got = 0;
    char buffer[4096];
    cr_assert_eq(pipe2(ends, O_NONBLOCK), 0);
    pid_t pid = fork();
    if (pid == 0) {
        struct ts_output output;
        struct ts_error error;
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        ts_output_open(&output, NULL, &error);
        for (size_t i = 0; i < wanted; i++)
            putc('x', output.stream);
        _exit(ts_output_close(&output, true, &error) == 0 ? 0 : 1);
    }
    close(ends[1]);
    usleep(20000);
    for (ssize_t now; (now = read(ends[0], buffer, sizeof buffer)) > 0 || (now < 0 && errno == EAGAIN);) {
        got += now > 0 ? (size_t)now : 0;
        if (now < 0)
            usleep(100);
    }
    close(ends[0]);
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "wait status %#x", (unsigned)status);
    cr_expect_eq(got, wanted);
}

/* A reader that went away is no error: status 0, at once. */
Test(output, a_closed_pipe_ends_the_process_quietly) {
    int ends[2], status;
    cr_assert_eq(pipe(ends), 0);
    pid_t pid = fork();
    if (pid == 0) {
        struct ts_output output;
        struct ts_error error;
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        ts_output_open(&output, NULL, &error);
        for (;;)
            fputs("endless\n", output.stream);
    }
    close(ends[0]);
    close(ends[1]);
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "wait status %#x", (unsigned)status);
}

Test(output, sizes_of_parts_have_units_or_none) {
    static const struct {
        const char *text;
        uint64_t bytes; /* 0: refused */
    } sizes[] = {
        {"1", 1},
        {"100M", 100u << 20},
        {"100m", 100u << 20},
        {"3T", UINT64_C(3) << 40},
        {"20000000", 20000000},
        {"4194304K", UINT64_C(4) << 30},
        {"18446744073709551615", UINT64_MAX},
        {"", 0},
        {"0", 0},
        {"0M", 0},
        {"-1", 0},
        {"M", 0},
        {"1MB", 0},
        {"1X", 0},
        {"16777216T", 0},
        {"99999999999999999999G", 0},
    };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct ts_error error;
        cr_expect_eq(ts_output_parts_size(sizes[i].text, &error), sizes[i].bytes, "%s", sizes[i].text);
    }
}
