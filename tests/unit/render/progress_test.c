/* The line that tells how far a replay is: only on a terminal, only after a second, and gone at the end. */
#include "render/progress.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <pty.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What was written to the terminal so far. */
static const char *shown(int master) {
    static char text[512];
    fcntl(master, F_SETFL, O_NONBLOCK);
    ssize_t got = read(master, text, sizeof text - 1);
    text[got > 0 ? got : 0] = '\0';
    return text;
}

Test(progress, on_a_terminal_after_a_second) {
    int master, terminal;
    setenv("TERM", "xterm", 1);
    if (openpty(&master, &terminal, NULL, NULL, NULL) != 0)
        cr_skip("no terminal can be made here (/dev/pts)");
    struct ts_progress progress = ts_progress_on(terminal);
    ts_progress_begin(&progress, 1000);
    ts_progress_add(&progress, 100, 5);
    cr_expect_str_eq(shown(master), "");
    progress.begin_ns -= UINT64_C(2000000000);
    ts_progress_add(&progress, 400, 5);
    const char *line = shown(master);
    cr_expect(strstr(line, "traceshim: 50 %, ") && strstr(line, " million calls/s, 2 s left"), "'%s'", line);
    ts_progress_add(&progress, 1, 1);
    cr_expect_str_eq(shown(master), "", "drawn again at once");
    ts_progress_end(&progress);
    cr_expect_str_eq(shown(master), "\r\033[K");
    close(master);
    close(terminal);
}

Test(progress, nowhere_else) {
    int ends[2];
    setenv("TERM", "xterm", 1);
    cr_assert_eq(pipe(ends), 0);
    cr_expect_eq(ts_progress_on(ends[1]).fd, -1);
    struct ts_progress progress = ts_progress_on(ends[1]);
    ts_progress_begin(&progress, 10);
    progress.begin_ns -= UINT64_C(2000000000);
    ts_progress_add(&progress, 5, 5);
    ts_progress_end(&progress);
    cr_expect_str_eq(shown(ends[0]), "");
    setenv("TERM", "dumb", 1);
    int master, terminal;
    if (openpty(&master, &terminal, NULL, NULL, NULL) != 0)
        cr_skip("no terminal can be made here (/dev/pts)");
    cr_expect_eq(ts_progress_on(terminal).fd, -1);
}
