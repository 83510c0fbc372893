#include "preload/fatal_signals.h"
#include "collector/crash_stack.h"
#include "collector/memory_probe.h"
#include "collector/process.h"
#include "collector/recorder_attach.h"
#include "collector/system.h"
#include "interrupted.h"
#include "preload/crash.h"
#include "preload/finish.h"
#include "preload/pause.h"

#define SIGNALS 65
/* libc's own: cancellation of threads, and set*id in all of them. */
#define FIRST_OF_LIBC 32
#define LAST_OF_LIBC 33

static int active;
static int toggling;                              /* the signal of TRACE_SIGNAL; 0: none */
static struct ts_fatal_default defaults[SIGNALS]; /* as the program has given them */

/* Signals that the hardware sends to the very instruction that failed. */
static int is_fault(int signal) {
    return signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL;
}

static int ends_process(int signal) {
    switch (signal) {
    case SIGKILL: /* has no handler */
    case SIGSTOP:
    case SIGTSTP:
    case SIGTTIN:
    case SIGTTOU:
    case SIGCONT:
    case SIGCHLD:
    case SIGURG:
    case SIGWINCH:
        return 0;
    default:
        return signal > 0 && signal < SIGNALS && (signal < FIRST_OF_LIBC || signal > LAST_OF_LIBC);
    }
}

/* The first process of a pid namespace does not die of a signal's default but by a fault: there is nothing to see. */
static int stands_in_for(int signal) {
    return (toggling && signal == toggling) || (active && ends_process(signal) && (active > 1 || is_fault(signal)));
}

/* A child made by vfork, or a clone that shares the memory: what happens to it is not this process's end. */
static int shares_memory(int pid) {
    return !ts_process_fresh || (ts_process_fresh->pid && ts_process_fresh->pid != (uint64_t)pid);
}

static uint64_t first; /* pid << 32 | tid of the thread that the first signal of this process came to */
static int rendered;   /* pid, when it has done so */

#define WAIT_STEP_NS 1000000u

/* The thread that is waited for runs nothing of the program's: it comes to an end, or the process does. */
static void wait_until_rendered(int pid) {
    while (__atomic_load_n(&rendered, __ATOMIC_ACQUIRE) != pid)
        ts_system_sleep(WAIT_STEP_NS);
}

/* Whether this thread is the first one of this process to come here. A forked child has its parent's `first`. */
static int is_first(int pid, int tid) {
    uint64_t before = __atomic_load_n(&first, __ATOMIC_ACQUIRE);
    return before >> 32 != (uint32_t)pid &&
           __atomic_compare_exchange_n(&first, &before, (uint64_t)(uint32_t)pid << 32 | (uint32_t)tid, 0,
                                       __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

static void restore_default(int signal) {
    struct ts_signal_action action = {.handler = (uint64_t)SIG_DFL};
    ts_system_sigaction(signal, &action, NULL);
}

struct stop {
    int pid, tid, signal;
};

static void stop_thread(int tid, void *context) {
    const struct stop *stop = context;
    siginfo_t information = {.si_signo = stop->signal, .si_code = SI_QUEUE};
    information.si_pid = stop->pid;
    information.si_value.sival_ptr = &first;
    if (tid != stop->tid)
        ts_system_signal_thread(stop->pid, tid, stop->signal, &information);
}

/*
 * The default would end all threads at once: the others that record are sent the signal too, and wait in its handler.
 * Those that block it, or have recorded nothing, go on until the process ends. (/proc/self/task would list them all,
 * and an emulator's own.)
 */
static void stop_others(int pid, int tid, int signal) {
    ts_recorder_each_thread(stop_thread, &(struct stop){.pid = pid, .tid = tid, .signal = signal});
}

static int is_to_stop(const siginfo_t *information, int pid) {
    return information->si_code == SI_QUEUE && information->si_pid == pid && information->si_value.sival_ptr == &first;
}

/* `information` is that of the first signal: records and renders. */
static void end_process(int signal, const siginfo_t *information, const void *context, int pid, int tid) {
    stop_others(pid, tid, signal);
    ts_crash_record(signal, information, context, 1);
    ts_finish(TS_END_SIGNAL, signal);
    __atomic_store_n(&rendered, pid, __ATOMIC_RELEASE);
}

/* How long the first thread has to take the process with it. */
#define LAST_WAIT_NS UINT64_C(1000000000)

/* Another thread is about to end the process, by its own signal. One that came to this thread is recorded too. */
static void join_end(int signal, const siginfo_t *information, const void *context, int pid) {
    if (!is_to_stop(information, pid))
        ts_crash_record(signal, information, context, 0);
    wait_until_rendered(pid);
    ts_system_sleep(LAST_WAIT_NS);
}

/* An instruction failed, and does so again when the handler returns to it; nor does the kernel's log miss it so. */
static int fails_again(int signal, const siginfo_t *information) {
    int code = information->si_code;
    return is_fault(signal) && code > 0 && code != SI_KERNEL && !(signal == SIGBUS && code == BUS_MCEERR_AO);
}

/*
 * Any other signal is sent once more, to this thread, as it came: it is delivered when the handler returns, with the
 * registers of the moment when it first came.
 */
static void pass_on(int signal, const siginfo_t *information, int pid, int tid) {
    restore_default(signal);
    if (!fails_again(signal, information) && ts_system_failed(ts_system_signal_thread(pid, tid, signal, information)))
        ts_system_signal_thread(pid, tid, signal, NULL);
}

static int is_probe(const void *context) {
    return ts_interrupted_program_counter(context) == (uint64_t)ts_memory_probe_reads;
}

/* All signals are blocked. */
static void on_signal(int signal, siginfo_t *information, void *context) {
    if (is_fault(signal) && is_probe(context)) {
        ts_interrupted_go_on(context, (uint64_t)ts_memory_probe_failed);
        return;
    }
    ts_memory_probe_end();
    int pid = ts_system_getpid(), tid = ts_system_gettid();
    if (!shares_memory(pid) && active && !ts_system_forbidden) {
        if (is_first(pid, tid))
            end_process(signal, information, context, pid, tid);
        else
            join_end(signal, information, context, pid);
    }
    if (!is_to_stop(information, pid))
        pass_on(signal, information, pid, tid);
}

int ts_fatal_signals_is_ours(uint64_t handler) {
    return handler == (uint64_t)on_signal;
}

static int is_ours(uint64_t handler) {
    return handler == (uint64_t)on_signal || handler == (uint64_t)ts_pause_on_signal;
}

/* What stands in for the signal's default. */
static struct sigaction ours_for(int signal) {
    struct sigaction ours = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    if (signal == toggling) {
        ours.sa_sigaction = ts_pause_on_signal;
        ours.sa_flags |= SA_RESTART;
    }
    ours.sa_mask.__val[0] = ~0UL;
    return ours;
}

/* One system call for most signals: a start has few. Returns whether ours stands there now. */
static int stand_in_for(int signal) {
    struct sigaction action = ours_for(signal);
    struct ts_signal_action before, ours = {.handler = (uint64_t)action.sa_sigaction,
                                            .flags = (uint64_t)action.sa_flags | TS_SIGNAL_RETURN_FLAG,
                                            .restorer = TS_SIGNAL_RETURN,
                                            .mask = action.sa_mask.__val[0]};
    if (ts_system_failed(ts_system_sigaction(signal, &ours, &before)))
        return 0;
    if (signal == toggling && before.handler != (uint64_t)SIG_DFL)
        ts_pause_say_untaken(signal, before.handler == (uint64_t)SIG_IGN
                                         ? "is ignored here from the start, and stays so: recording is not toggled"
                                         : "has a handler already, which stays: recording is not toggled");
    defaults[signal] = (struct ts_fatal_default){.flags = before.flags, .mask = before.mask};
    if (before.handler == (uint64_t)SIG_DFL)
        return 1;
    ts_system_sigaction(signal, &before, NULL);
    return 0;
}

void ts_fatal_signals_begin(int the_toggling) {
    toggling = the_toggling;
    active = ts_system_getpid() == 1 ? 1 : 2;
    ts_crash_stack_begin();
    struct ts_signal_mask mask;
    ts_system_block_signals(&mask); /* none comes while ours stands where the program ignores it */
    int faults_are_ours = 1;
    for (int signal = 1; signal < SIGNALS; signal++)
        if (stands_in_for(signal) && !stand_in_for(signal) && is_fault(signal))
            faults_are_ours = 0;
    if (faults_are_ours)
        ts_memory_probe_begin();
    ts_memory_probe_look_at_mask(mask.old);
    ts_system_restore_signals(&mask);
}

void ts_fatal_signals_handled(int signal, uint64_t mask) {
    if (is_fault(signal))
        ts_memory_probe_end();
    ts_memory_probe_look_at_mask(mask);
}

void ts_fatal_signals_give_back(int signal) {
    ts_fatal_signals_handled(signal, 0);
    struct ts_signal_action now;
    if (!stands_in_for(signal) || ts_system_failed(ts_system_sigaction(signal, NULL, &now)) || !is_ours(now.handler))
        return;
    now = (struct ts_signal_action){
        .handler = (uint64_t)SIG_DFL, .flags = defaults[signal].flags, .mask = defaults[signal].mask};
    ts_system_sigaction(signal, &now, NULL);
}

void ts_fatal_signals_end(void) {
    for (int signal = 1; signal < SIGNALS; signal++)
        if (signal != toggling)
            ts_fatal_signals_give_back(signal);
    active = 0;
}

static int alternate_is_set;     /* by the program, in some thread */
static uint64_t wants_alternate; /* its handlers' signals, while it is not; bit signal - 1 */

static uint64_t bit_of(int signal) {
    return signal > 0 && signal < SIGNALS ? UINT64_C(1) << (signal - 1) : 0;
}

void ts_fatal_signals_alternate_is_set(void) {
    if (__atomic_exchange_n(&alternate_is_set, 1, __ATOMIC_ACQ_REL))
        return;
    for (int signal = 1; signal < SIGNALS; signal++) {
        struct ts_signal_action now;
        if (!(__atomic_load_n(&wants_alternate, __ATOMIC_ACQUIRE) & bit_of(signal)) ||
            ts_system_failed(ts_system_sigaction(signal, NULL, &now)))
            continue;
        now.flags |= SA_ONSTACK;
        ts_system_sigaction(signal, &now, NULL);
    }
}

/* A handler of the program's. */
static const struct sigaction *replace_handler(int signal, const struct sigaction *action, struct sigaction *room) {
    ts_fatal_signals_handled(signal, action->sa_mask.__val[0]);
    uint64_t bit = bit_of(signal);
    if (toggling && signal == toggling)
        ts_pause_say_untaken(signal, "is handled, or ignored, by the program itself: recording is not toggled");
    __atomic_fetch_and(&wants_alternate, ~bit, __ATOMIC_ACQ_REL);
    if (!(action->sa_flags & SA_ONSTACK) || !active || __atomic_load_n(&alternate_is_set, __ATOMIC_ACQUIRE))
        return action;
    __atomic_fetch_or(&wants_alternate, bit, __ATOMIC_ACQ_REL);
    *room = *action;
    room->sa_flags &= ~SA_ONSTACK;
    return room;
}

const struct sigaction *ts_fatal_signals_replace(int signal, const struct sigaction *action, struct sigaction *room) {
    if (!action)
        return NULL;
    if (action->sa_handler != SIG_DFL || !stands_in_for(signal))
        return replace_handler(signal, action, room);
    /* libc adds what makes the kernel return through it, and shows that to who asks. */
    defaults[signal] = (struct ts_fatal_default){.flags = (uint32_t)action->sa_flags | TS_SIGNAL_RETURN_FLAG,
                                                 .mask = action->sa_mask.__val[0]};
    __atomic_fetch_and(&wants_alternate, ~bit_of(signal), __ATOMIC_ACQ_REL);
    *room = ours_for(signal);
    return room;
}

struct ts_fatal_default ts_fatal_signals_before(int signal) {
    struct ts_fatal_default before = signal > 0 && signal < SIGNALS ? defaults[signal] : (struct ts_fatal_default){0};
    before.wants_alternate = !!(__atomic_load_n(&wants_alternate, __ATOMIC_ACQUIRE) & bit_of(signal));
    return before;
}

void ts_fatal_signals_hide(struct sigaction *old, const struct ts_fatal_default *before) {
    if (!is_ours((uint64_t)old->sa_sigaction)) {
        old->sa_flags |= before->wants_alternate ? SA_ONSTACK : 0;
        return;
    }
    old->sa_handler = SIG_DFL;
    old->sa_flags = (int)before->flags;
    old->sa_mask.__val[0] = before->mask;
}
