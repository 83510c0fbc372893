#include "preload/message.h"
#include "collector/system.h"

static struct stat stderr_at_start;
static int silent = 1;

void ts_message_begin(int quiet) {
    silent = quiet || ts_system_failed(ts_system_fstat(2, &stderr_at_start));
}

int ts_message_possible(void) {
    struct stat now;
    return !silent && !ts_system_failed(ts_system_fstat(2, &now)) && now.st_dev == stderr_at_start.st_dev &&
           now.st_ino == stderr_at_start.st_ino;
}

void ts_message_write(struct ts_text *text) {
    if (text->used && ts_message_possible())
        ts_system_write(2, text->start, text->used);
    text->used = 0;
}

void ts_message(const char *first, const char *second, const char *third) {
    char line[2048];
    struct ts_text text = TS_TEXT_IN(line);
    text.size--; /* the newline always fits */
    ts_text_add(&text, "traceshim: ");
    ts_text_add(&text, first);
    if (second)
        ts_text_add(&text, second);
    if (third)
        ts_text_add(&text, third);
    text.size++;
    ts_text_add(&text, "\n");
    ts_message_write(&text);
}
