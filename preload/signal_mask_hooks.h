#ifndef TRACESHIM_PRELOAD_SIGNAL_MASK_HOOKS_H
#define TRACESHIM_PRELOAD_SIGNAL_MASK_HOOKS_H

#include <signal.h>

/* The program is about to change its thread's mask, as sigprocmask is told. `set` may be NULL or unreadable. */
void ts_signal_mask_look_at(int how, const sigset_t *set);

#endif
