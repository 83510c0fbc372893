#include "render/screen.h"

#include "render/paint.h"
#include "render/program_find.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

unsigned ts_screen_width(int fd) {
    struct winsize size;
    return isatty(fd) && ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

/* The command that shows pages; NULL: none is wanted or there is none. */
static const char *pager_command(void) {
    const char *command = getenv("TRACESHIM_PAGER");
    if (!command)
        command = getenv("PAGER");
    if (command)
        return *command && strcmp(command, "cat") != 0 ? command : NULL;
    char *less = ts_program_find("less");
    command = less ? "less" : NULL;
    free(less);
    return command;
}

static void run_pager(const char *command, int from) {
    dup2(from, STDIN_FILENO);
    setenv("LESS", "FRX", 0);          /* ends at once what fits on the screen, shows colours, leaves it there */
    setenv("LESSCHARSET", "utf-8", 0); /* in any locale */
    setenv("LV", "-c", 0);
    signal(SIGPIPE, SIG_DFL);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

/* It reads until no descriptor is left that could write to it. */
static void wait_for_pager(pid_t pager) {
    int status;
    close(STDOUT_FILENO);
    close(STDERR_FILENO);
    while (waitpid(pager, &status, 0) < 0 && errno == EINTR)
        ;
}

static volatile sig_atomic_t interrupted_pager; /* a signal handler is told nothing */

/* Ctrl-C reaches the pager too, which goes on: as long as it has the terminal, the shell must not take it. */
static void end_interrupted(int signal) {
    wait_for_pager((pid_t)interrupted_pager);
    _exit(128 + signal);
}

static void start_pager(struct ts_screen *screen, const char *command) {
    int ends[2];
    if (pipe(ends) != 0)
        return;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[1]);
        run_pager(command, ends[0]);
    }
    close(ends[0]);
    if (pid > 0) {
        screen->pager = pid;
        if (isatty(STDERR_FILENO)) {
            screen->terminal = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
            dup2(ends[1], STDERR_FILENO);
        }
        dup2(ends[1], STDOUT_FILENO);
        interrupted_pager = pid;
        signal(SIGINT, end_interrupted);
    }
    close(ends[1]);
}

void ts_screen_begin(struct ts_screen *screen) {
    screen->terminal = STDERR_FILENO;
    screen->colour = ts_paint_wanted(STDOUT_FILENO);
    screen->width = screen->wide ? 0 : ts_screen_width(STDOUT_FILENO);
    const char *command = screen->no_pager || !isatty(STDOUT_FILENO) ? NULL : pager_command();
    if (command)
        start_pager(screen, command);
}

void ts_screen_end(struct ts_screen *screen) {
    if (!screen->pager)
        return;
    fflush(NULL);
    wait_for_pager(screen->pager);
    screen->pager = 0;
}

/* Of a stream that cuts lines. */
struct cut {
    FILE *out;
    unsigned width;
    unsigned column;  /* of the newest character; the first is 1 */
    bool in_sequence; /* between ESC [ and the letter that ends it */
    char held[32];    /* the last character that fits, and what follows it: goes out where the line ends there */
    size_t held_bytes;
};

static void drop_held(struct cut *cut, bool show) {
    fwrite(cut->held, 1, show ? cut->held_bytes : 0, cut->out);
    cut->held_bytes = 0;
}

static void cut_byte(struct cut *cut, char byte) {
    if (cut->in_sequence || byte == '\033') {
        bool ends = (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z');
        cut->in_sequence = byte == '\033' || !ends;
        putc(byte, cut->out);
        return;
    }
    if (byte == '\n') {
        drop_held(cut, true);
        cut->column = 0;
        putc(byte, cut->out);
        return;
    }
    bool begins = ((unsigned char)byte & 0xc0) != 0x80; /* a character, of one column; else UTF-8 goes on */
    cut->column += begins;
    if (cut->column < cut->width) {
        putc(byte, cut->out);
    } else if (cut->column == cut->width && cut->held_bytes < sizeof cut->held) {
        cut->held[cut->held_bytes++] = byte;
    } else if (begins && cut->column == cut->width + 1) {
        drop_held(cut, false);
        fputs("…", cut->out);
    }
}

static ssize_t cut_write(void *cookie, const char *bytes, size_t count) {
    for (size_t i = 0; i < count; i++)
        cut_byte(cookie, bytes[i]);
    return ferror(((struct cut *)cookie)->out) ? 0 : (ssize_t)count;
}

static int cut_close(void *cookie) {
    free(cookie);
    return 0;
}

FILE *ts_screen_cut(FILE *out, unsigned width) {
    struct cut *cut = calloc(1, sizeof *cut);
    if (!cut)
        return NULL;
    *cut = (struct cut){.out = out, .width = width};
    FILE *stream = fopencookie(cut, "w", (cookie_io_functions_t){.write = cut_write, .close = cut_close});
    if (!stream)
        free(cut);
    return stream;
}
