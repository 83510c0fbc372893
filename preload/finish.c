#include "preload/finish.h"
#include "collector/control.h"
#include "collector/process.h"
#include "collector/recorder_attach.h"
#include "collector/recorder_cost.h"
#include "collector/system.h"
#include "collector/trace_map.h"
#include "preload/callers.h"
#include "preload/hook_cost.h"
#include "preload/hooks.h"
#include "preload/message.h"
#include "preload/module_slots.h"
#include "preload/render_process.h"
#include "preload/session.h"
#include "preload/unseen.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static struct ts_options options;
static uint64_t start_cost_ns, start_cpu_ns;

extern char _IO_2_1_stdout_[] __attribute__((weak)), _IO_2_1_stderr_[] __attribute__((weak)); /* glibc's */

/* The program's last words stand before the tree: exit would write them after us. */
static void flush_streams(void) {
    /* libc's own two, whatever the program has put into stdout and stderr. */
    FILE *const streams[] = {(FILE *)&_IO_2_1_stdout_, (FILE *)&_IO_2_1_stderr_};
    for (unsigned i = 0; i < sizeof streams / sizeof *streams; i++)
        if (streams[i] && ftrylockfile(streams[i]) == 0) {
            fflush_unlocked(streams[i]);
            funlockfile(streams[i]);
        }
}

/* 0: it is not known. */
static void add_number(uint32_t key, uint64_t value) {
    char digits[24];
    if (!value)
        return;
    struct ts_text text = TS_TEXT_IN(digits);
    ts_text_add_number(&text, value);
    struct ts_record_metadata record = {.key = key, .value_bytes = (uint32_t)text.used};
    ts_control_add(TS_RECORD_METADATA, &record, sizeof record, digits, record.value_bytes, NULL, 0);
}

/* What only the end knows; a program that nothing was recorded of is not worth a window for it. */
static void record_facts(int may_measure) {
    uint64_t cpu_ns = ts_system_nanoseconds(CLOCK_PROCESS_CPUTIME_ID), event_ns = 0, hook_ns = 0;
    int began_file = ts_process->number == 1;
    struct ts_signal_mask mask;
    if (began_file && may_measure) {
        event_ns = ts_recorder_cost_measure();
        hook_ns = ts_hooks_are_on() ? ts_hook_cost_measure() : 0;
    }
    ts_control_begin(&mask);
    add_number(TS_METADATA_CPU_TIME_NS, cpu_ns);
    if (began_file) {
        add_number(TS_METADATA_START_COST_NS, start_cost_ns);
        add_number(TS_METADATA_START_CPU_NS, start_cpu_ns);
        add_number(TS_METADATA_EVENT_COST_NS, event_ns);
        add_number(TS_METADATA_HOOK_COST_NS, hook_ns);
        ts_module_slots_add_all();
    }
    ts_control_end(&mask);
    if (!began_file)
        return;
    if (ts_hooks_without())
        ts_unseen("functions that TRACE_HOOKS selects", "more of them than there are stubs");
    ts_callers_record();
}

void ts_finish(enum ts_end_reason reason, int status) {
    if (!ts_process_fresh)
        return;
    if (ts_system_forbidden) {
        ts_recorder_end_process(reason, status);
        return;
    }
    int pid = ts_system_getpid();
    if (__atomic_exchange_n(&ts_process_fresh->finished_pid, (uint64_t)pid, __ATOMIC_ACQ_REL) == (uint64_t)pid)
        return;
    int has_control = pid == (int)ts_process_fresh->pid && ts_process_fresh->control;
    if (has_control || (pid == (int)ts_trace_map.header->pid && ts_trace_map.header->window_sequence))
        record_facts(reason != TS_END_SIGNAL && pid == ts_session_first_pid()); /* once for the session's machine */
    ts_recorder_end_process(reason, status);
    if (pid == ts_session_first_pid() && !(options.format && ts_text_equal(options.format, "none"))) {
        int error = errno;
        if (reason == TS_END_EXIT)
            flush_streams();
        /* With stderr gone, `traceshim run` has one still, and renders what it finds not rendered. */
        if (options.run_pid != (uint64_t)pid || options.quiet || ts_message_possible())
            ts_render_process_run(ts_session_directory(), options.render_timeout, options.quiet);
        errno = error;
    }
}

static void at_exit(int status, void *unused) {
    (void)unused;
    ts_finish(TS_END_EXIT, status);
}

static int quick_status;

void ts_finish_status(int status) {
    quick_status = status;
}

static void at_quick_exit_(void) {
    ts_finish(TS_END_QUICK_EXIT, quick_status);
}

void ts_finish_begin(const struct ts_options *the_options, uint64_t start_ns, uint64_t cpu_ns) {
    options = *the_options;
    /* Registered before the program's own handlers and the loader's destructors: runs after all of them. */
    on_exit(at_exit, NULL);
    at_quick_exit(at_quick_exit_);
    start_cost_ns = ts_system_nanoseconds(CLOCK_MONOTONIC) - start_ns;
    start_cpu_ns = ts_system_nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_ns;
}
