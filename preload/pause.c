#include "preload/pause.h"
#include "collector/counts.h"
#include "collector/process.h"
#include "collector/recorder_pause.h"
#include "collector/system.h"
#include "preload/coverage.h"
#include "preload/environment.h"
#include "preload/hook_call.h"
#include "preload/message.h"

static void follow(void) {
    ts_hook_call_pause(ts_recorder_pauses());
    ts_coverage_pause(ts_recorder_pauses());
    ts_environment_pause(ts_recorder_pauses());
}

void ts_pause_begin(int is_paused) {
    if (is_paused)
        follow();
}

/* A child made by vfork has its parent's memory, and no recording of its own to pause. */
static int is_borrowed(void) {
    return !ts_system_forbidden && ts_process_fresh->pid && ts_process_fresh->pid != (uint64_t)ts_system_getpid();
}

void ts_pause_on_signal(int signal, siginfo_t *information, void *context) {
    (void)signal, (void)information, (void)context;
    if (!ts_process_fresh || is_borrowed())
        return;
    ts_recorder_toggle();
    follow();
}

void ts_pause_say_untaken(int signal, const char *why) {
    static int said;
    char line[256];
    struct ts_text text = TS_TEXT_IN(line);
    if (ts_system_forbidden || __atomic_exchange_n(&said, 1, __ATOMIC_ACQ_REL))
        return;
    ts_text_add(&text, "traceshim: signal ");
    ts_text_add_number(&text, (uint64_t)signal);
    ts_text_add(&text, " (TRACE_SIGNAL) ");
    ts_text_add(&text, why);
    ts_text_add(&text, "\n");
    ts_message_write(&text);
}
