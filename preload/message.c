#include "preload/message.h"
#include "collector/placement.h"
#include "collector/system.h"
#include "collector/text_shown.h"

#include <errno.h>
#include <signal.h>

static struct stat stderr_at_start;
static int silent = 1, kept = -1;

/* Above what programs count their own descriptors to. */
#define KEPT_LEAST 64

void ts_message_begin(int quiet) {
    silent = quiet || ts_system_failed(ts_system_fstat(2, &stderr_at_start));
}

static int is_stderr(int fd) {
    struct stat now;
    return fd >= 0 && !ts_system_failed(ts_system_fstat(fd, &now)) && now.st_dev == stderr_at_start.st_dev &&
           now.st_ino == stderr_at_start.st_ino;
}

int ts_message_descriptor(void) {
    return silent ? -1 : is_stderr(2) ? 2 : is_stderr(kept) ? kept : -1;
}

int ts_message_possible(void) {
    return ts_message_descriptor() >= 0;
}

void ts_message_keep(void) {
    if (!silent && !is_stderr(kept) && is_stderr(2))
        kept = (int)ts_system_duplicate(2, KEPT_LEAST);
}

/* A pipe that nobody empties is given up after this long. */
#define PATIENCE_MS 200

void ts_message_write(struct ts_text *text) {
    struct ts_signal_mask mask;
    if (!text->used)
        return;
    ts_system_block_signals(&mask);
    int fd = ts_message_descriptor();
    if (fd >= 0 && ts_system_writable(fd, PATIENCE_MS)) {
        int pending = ts_system_signal_pending(SIGPIPE);
        if (ts_system_write(fd, text->start, text->used) == -EPIPE && !pending)
            ts_system_take_signal(SIGPIPE); /* ours, not the program's */
    }
    ts_system_restore_signals(&mask);
    text->used = 0;
}

void ts_message(const char *first, const char *second, const char *third) {
    TS_LARGE_TABLE static char line[8192]; /* said at start and end only, by one thread */
    struct ts_text text = TS_TEXT_IN(line);
    text.size--; /* the newline always fits */
    ts_text_add(&text, "traceshim: ");
    ts_text_add_shown(&text, first);
    if (second)
        ts_text_add_shown(&text, second);
    if (third)
        ts_text_add_shown(&text, third);
    text.size++;
    ts_text_add(&text, "\n");
    ts_message_write(&text);
}
