#include "preload/message.h"
#include "tests/unit/recorder/scene.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

TestSuite(message, .init = scene_make_directory, .fini = scene_end);

static int own_stderr;

/* Descriptor 2 becomes a file in the directory. */
static void redirect(const char *name) {
    int fd = open(scene_path(name), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    cr_assert_geq(fd, 0);
    if (!own_stderr)
        own_stderr = fcntl(2, F_DUPFD_CLOEXEC, 10);
    dup2(fd, 2);
    close(fd);
}

static const char *written(const char *name) {
    static char text[65536];
    dup2(own_stderr, 2);
    FILE *file = fopen(scene_path(name), "r");
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    return text;
}

Test(message, whole_lines_with_our_name) {
    redirect("stderr");
    ts_message_begin(0);
    ts_message("one", NULL, NULL);
    ts_message("two", " and ", "three");
    ts_message("two", NULL, "three");
    cr_assert_str_eq(written("stderr"), "traceshim: one\ntraceshim: two and three\ntraceshim: twothree\n");
}

Test(message, nothing_before_the_start_and_nothing_when_quiet) {
    redirect("stderr");
    ts_message("early", NULL, NULL);
    ts_message_begin(1);
    ts_message("quiet", NULL, NULL);
    cr_assert_eq(ts_message_possible(), 0);
    cr_assert_str_eq(written("stderr"), "");
}

Test(message, not_into_a_file_that_the_program_opened_there) {
    redirect("stderr");
    ts_message_begin(0);
    redirect("data");
    ts_message("not here", NULL, NULL);
    cr_assert_eq(ts_message_possible(), 0);
    cr_assert_str_eq(written("data"), "");
    redirect("stderr");
    ts_message("here", NULL, NULL);
    cr_assert_str_eq(written("stderr"), "traceshim: here\n");
}

Test(message, without_a_stderr_there_is_no_message) {
    redirect("stderr");
    close(2);
    ts_message_begin(0);
    cr_assert_eq(ts_message_possible(), 0);
    redirect("stderr");
    ts_message("late", NULL, NULL);
    cr_assert_str_eq(written("stderr"), "");
}

Test(message, a_line_that_is_too_long_still_ends) {
    static char text[60000];
    memset(text, 'x', sizeof text - 1);
    redirect("stderr");
    ts_message_begin(0);
    ts_message(text, text, NULL);
    const char *line = written("stderr");
    cr_assert_geq(strlen(line), 1000);
    cr_assert_leq(strlen(line), 32768);
    cr_assert_eq(strchr(line, '\n'), line + strlen(line) - 1);
}

Test(message, written_text_is_empty_again) {
    char buffer[64];
    struct ts_text text = TS_TEXT_IN(buffer);
    redirect("stderr");
    ts_message_begin(0);
    ts_text_add(&text, "a\nb\n");
    ts_message_write(&text);
    ts_message_write(&text);
    cr_assert_eq(text.used, 0);
    cr_assert_str_eq(written("stderr"), "a\nb\n");
}
