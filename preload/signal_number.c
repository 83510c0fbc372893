#include "preload/signal_number.h"
#include "collector/text.h"

#include <signal.h>
#include <stdint.h>

/* SIGRTMIN and SIGRTMAX, which libc computes: it keeps 32 and 33 for itself. */
#define REAL_TIME_FIRST 34
#define REAL_TIME_LAST 64

/* Characters, not pointers to them, which would have to be relocated at each start. */
static const struct {
    char name[7];
    uint8_t signal;
} names[] = {
    {"HUP", SIGHUP},
    {"INT", SIGINT},
    {"QUIT", SIGQUIT},
    {"ILL", SIGILL},
    {"TRAP", SIGTRAP},
    {"ABRT", SIGABRT},
    {"IOT", SIGIOT},
    {"BUS", SIGBUS},
    {"FPE", SIGFPE},
    {"KILL", SIGKILL},
    {"USR1", SIGUSR1},
    {"SEGV", SIGSEGV},
    {"USR2", SIGUSR2},
    {"PIPE", SIGPIPE},
    {"ALRM", SIGALRM},
    {"TERM", SIGTERM},
    {"CHLD", SIGCHLD},
    {"CONT", SIGCONT},
    {"STOP", SIGSTOP},
    {"TSTP", SIGTSTP},
    {"TTIN", SIGTTIN},
    {"TTOU", SIGTTOU},
    {"URG", SIGURG},
    {"XCPU", SIGXCPU},
    {"XFSZ", SIGXFSZ},
    {"VTALRM", SIGVTALRM},
    {"PROF", SIGPROF},
    {"IO", SIGIO},
    {"POLL", SIGPOLL},
    {"PWR", SIGPWR},
    {"WINCH", SIGWINCH},
    {"SYS", SIGSYS},
    {"STKFLT", 16},
    {"RTMIN", REAL_TIME_FIRST},
    {"RTMAX", REAL_TIME_LAST},
};

/* The whole text as a number of at most two digits; -1: it is none. */
static int number_of(const char *text) {
    int number = 0, digits = 0;
    for (; text[digits] >= '0' && text[digits] <= '9' && digits < 3; digits++)
        number = number * 10 + (text[digits] - '0');
    return digits && digits < 3 && !text[digits] ? number : -1;
}

int ts_signal_number(const char *text) {
    int number = number_of(text);
    if (number >= 0)
        return number <= REAL_TIME_LAST ? number : 0;
    if (ts_text_begins(text, "SIG"))
        text += 3;
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (ts_text_equal(text, names[i].name))
            return names[i].signal;
    int from_first = ts_text_begins(text, "RTMIN+"), from_last = ts_text_begins(text, "RTMAX-");
    number = from_first || from_last ? number_of(text + 6) : -1;
    if (number < 0 || number > REAL_TIME_LAST - REAL_TIME_FIRST)
        return 0;
    return from_first ? REAL_TIME_FIRST + number : REAL_TIME_LAST - number;
}

int ts_signal_may_toggle(int signal) {
    switch (signal) {
    case SIGKILL:
    case SIGSTOP:
    case SIGILL:
    case SIGTRAP:
    case SIGABRT:
    case SIGBUS:
    case SIGFPE:
    case SIGSEGV:
    case SIGSYS:
    case 32:
    case 33:
        return 0;
    default:
        return signal > 0 && signal <= REAL_TIME_LAST;
    }
}
