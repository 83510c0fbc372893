/* The program asks for signals' dispositions and sets them: what stands in for a default is the default to it. */
#include "preload/export.h"
#include "preload/fatal_signals.h"
#include "preload/real.h"
#include "preload/signal_handlers.h"

#include <errno.h>

/* The exported functions do not call each other: such a call would lead to the program's, where it has one of that
 * name. */
static int act(int number, const struct sigaction *action, struct sigaction *old) {
    struct sigaction room, handler_room;
    struct ts_fatal_default before = ts_fatal_signals_before(number);
    int has_default = action && action->sa_handler == SIG_DFL, added = ts_signal_handlers_before(number);
    const struct sigaction *replaced = ts_fatal_signals_replace(number, action, &room);
    if (!has_default)
        replaced = ts_signal_handlers_replace(number, replaced, &handler_room);
    int result = ts_real(sigaction)(number, replaced, old);
    if (result == 0 && old) {
        ts_fatal_signals_hide(old, &before);
        ts_signal_handlers_hide(old, added);
    }
    return result;
}

TS_EXPORT int sigaction(int number, const struct sigaction *action, struct sigaction *old) {
    return act(number, action, old);
}

/* With `handler` SIG_DFL, which libc would install without asking us. */
static ts_signal_handler *set_default(int number, int flags) {
    struct sigaction action = {.sa_handler = SIG_DFL, .sa_flags = flags}, old;
    if (flags & SA_RESTART)
        action.sa_mask.__val[0] = 1UL << ((unsigned)(number - 1) % 64);
    return act(number, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}

static ts_signal_handler *shown(ts_signal_handler *handler) {
    struct sigaction old = {.sa_handler = handler};
    ts_fatal_signals_hide(&old, &(struct ts_fatal_default){0});
    ts_signal_handlers_hide(&old, 0);
    return old.sa_handler;
}

static ts_signal_handler *set(int number, ts_signal_handler *handler,
                              ts_signal_handler *(*real)(int, ts_signal_handler *)) {
    struct sigaction action = {.sa_handler = handler}, room;
    if (handler != SIG_DFL)
        ts_fatal_signals_handled(number, 0);
    ts_signal_handler *old = real(number, handler);
    if (old != SIG_ERR && handler != SIG_DFL) {
        ts_fatal_signals_replace(number, &action, &room); /* as far as the program's handlers are remembered */
        int error = errno;
        ts_signal_handlers_adopt(number, handler);
        errno = error;
    }
    return shown(old);
}

static ts_signal_handler *set_bsd(int number, ts_signal_handler *handler) {
    return handler == SIG_DFL ? set_default(number, SA_RESTART) : set(number, handler, ts_real(signal));
}

/* System V's, which programs compiled with -ansi or -D_XOPEN_SOURCE mean by `signal`. */
static ts_signal_handler *set_system_v(int number, ts_signal_handler *handler) {
    return handler == SIG_DFL ? set_default(number, (int)SA_RESETHAND | SA_NODEFER)
                              : set(number, handler, ts_real(sysv_signal));
}

TS_EXPORT ts_signal_handler *signal(int number, ts_signal_handler *handler) {
    return set_bsd(number, handler);
}

TS_EXPORT ts_signal_handler *ssignal(int number, ts_signal_handler *handler) {
    return set_bsd(number, handler);
}

ts_signal_handler *bsd_signal(int number, ts_signal_handler *handler); /* no header declares it any more */

TS_EXPORT ts_signal_handler *bsd_signal(int number, ts_signal_handler *handler) {
    return set_bsd(number, handler);
}

TS_EXPORT ts_signal_handler *sysv_signal(int number, ts_signal_handler *handler) {
    return set_system_v(number, handler);
}

TS_EXPORT ts_signal_handler *__sysv_signal(int number, ts_signal_handler *handler) {
    return set_system_v(number, handler);
}

TS_EXPORT ts_signal_handler *sigset(int number, ts_signal_handler *handler) {
    return set(number, handler, ts_real(sigset));
}
