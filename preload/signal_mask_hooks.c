/* The program blocks signals: in a thread that blocks faults, memory is not probed (collector/memory_probe.h). */
#include "preload/signal_mask_hooks.h"
#include "collector/memory_probe.h"
#include "preload/export.h"
#include "preload/real.h"

/* A set that cannot be read is left to libc. */
void ts_signal_mask_look_at(int how, const sigset_t *set) {
    uint64_t address = (uint64_t)set;
    if (!set || how == SIG_UNBLOCK || !ts_memory_probe_is_on() || !ts_memory_probe_byte(address) ||
        !ts_memory_probe_byte(address + sizeof set->__val[0] - 1))
        return;
    ts_memory_probe_look_at_mask(set->__val[0]);
}

TS_EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old) {
    ts_signal_mask_look_at(how, set);
    return ts_real(sigprocmask)(how, set, old);
}

TS_EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old) {
    ts_signal_mask_look_at(how, set);
    return ts_real(pthread_sigmask)(how, set, old);
}

/* BSD's and System V's, with signals up to 32 in an int, and one. */
TS_EXPORT int sigblock(int mask) {
    ts_memory_probe_look_at_mask((uint32_t)mask);
    return ts_real(sigblock)(mask);
}

TS_EXPORT int sigsetmask(int mask) {
    ts_memory_probe_look_at_mask((uint32_t)mask);
    return ts_real(sigsetmask)(mask);
}

TS_EXPORT int sighold(int signal) {
    ts_memory_probe_look_at_mask(UINT64_C(1) << ((unsigned)(signal - 1) % 64));
    return ts_real(sighold)(signal);
}
