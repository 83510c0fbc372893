/* The constructor: reads the options, makes the trace, finds the modules, points their calls at the recorder. */
#include "collector/clock.h"
#include "collector/placement.h"
#include "collector/recorder_attach.h"
#include "collector/recorder_pause.h"
#include "collector/system.h"
#include "collector/trace_map.h"
#include "preload/callers.h"
#include "preload/coverage.h"
#include "preload/environment.h"
#include "preload/fatal_signals.h"
#include "preload/finish.h"
#include "preload/function_filter.h"
#include "preload/hook_call.h"
#include "preload/hooks.h"
#include "preload/job.h"
#include "preload/loader_hooks.h"
#include "preload/message.h"
#include "preload/modules.h"
#include "preload/options.h"
#include "preload/pause.h"
#include "preload/readable.h"
#include "preload/real.h"
#include "preload/renderer.h"
#include "preload/session.h"
#include "preload/signal_handlers.h"
#include "preload/unseen.h"

#include <dlfcn.h>
#include <errno.h>
#include <sys/auxv.h>
#include <sys/utsname.h>
#include <unistd.h>

#define COMMAND_LINE_MOST 32768u

static void add_option(void *context, const char *text) {
    ts_preamble_add_metadata(context, TS_METADATA_OPTION, text, (uint32_t)ts_text_length(text));
}

static void add_text(struct ts_preamble *preamble, uint32_t key, const char *text) {
    if (text && *text)
        ts_preamble_add_metadata(preamble, key, text, (uint32_t)ts_text_length(text));
}

/* Arguments lie one behind the other, as the kernel laid them out, unless someone has changed argv before us. */
static void add_command_line(struct ts_preamble *preamble, int count, char **arguments) {
    TS_LARGE_TABLE static char line[COMMAND_LINE_MOST];
    struct ts_text text = TS_TEXT_IN(line);
    for (int i = 0; i < count && arguments[i] && !text.cut; i++)
        ts_text_add_bytes(&text, arguments[i], ts_text_length(arguments[i]) + 1);
    ts_preamble_add_metadata(preamble, TS_METADATA_COMMAND_LINE, line, (uint32_t)text.used);
}

static void add_metadata(struct ts_preamble *preamble, const struct ts_options *options, int count, char **arguments,
                         char **environment, const char *executable) {
    char here[4096], level[2] = {(char)('0' + options->level), 0};
    struct utsname host;
    struct ts_record_process process = {
        .pid = (uint32_t)ts_system_getpid(), .parent_pid = (uint32_t)ts_system_getppid(), .process = 1};
    uint64_t clock = ts_clock_now();
    process.clock = (struct ts_u64){(uint32_t)clock, (uint32_t)(clock >> 32)};
    ts_preamble_add(preamble, TS_RECORD_PROCESS, &process, sizeof process, NULL, 0, NULL, 0);
    add_command_line(preamble, count, arguments);
    add_text(preamble, TS_METADATA_EXECUTABLE, executable);
    int64_t bytes = ts_system_readlink("/proc/self/cwd", here, sizeof here);
    if (bytes > 0)
        ts_preamble_add_metadata(preamble, TS_METADATA_WORKING_DIRECTORY, here, (uint32_t)bytes);
    if (uname(&host) == 0)
        add_text(preamble, TS_METADATA_HOST, host.nodename);
    add_text(preamble, TS_METADATA_SHIM_VERSION, TRACESHIM_VERSION);
    add_text(preamble, TS_METADATA_LEVEL, level);
    add_text(preamble, TS_METADATA_RANK, ts_job_rank(environment));
    add_text(preamble, TS_METADATA_SIZE, ts_job_size(environment));
    ts_options_each_set(environment, add_option, preamble);
    struct ts_record_pause pause = {.clock = process.clock};
    if (options->paused)
        ts_preamble_add(preamble, TS_RECORD_PAUSE, &pause, sizeof pause, NULL, 0, NULL, 0);
}

/* Ticks of a duration, by the clock's stated rate or, where it is not stated, by a look at both clocks. */
static uint64_t ticks_of(uint64_t nanoseconds) {
    return (uint64_t)((unsigned __int128)nanoseconds * ts_clock_hz_measured() / 1000000000u);
}

static void say_patched(const struct ts_modules_summary *summary, int debug) {
    if (summary->own_hooks) {
        ts_message("the program brings its own __cyg_profile_func_enter: its instrumented calls are left to it", NULL,
                   NULL);
        ts_unseen("instrumented calls", "the program brings its own __cyg_profile_func_enter");
    }
    if (summary->refused)
        ts_message("some modules refused to be patched (mprotect): their calls are not recorded", NULL, NULL);
    if (summary->nameless) {
        ts_message(TS_MODULES_NAMELESS, NULL, NULL);
        ts_unseen("instrumented calls", TS_MODULES_NAMELESS);
    }
    if (debug) {
        char line[256];
        struct ts_text text = TS_TEXT_IN(line);
        ts_text_add_number(&text, summary->modules);
        ts_text_add(&text, " modules, ");
        ts_text_add_number(&text, summary->instrumented);
        ts_text_add(&text, " of them instrumented; the trace is in ");
        ts_message(line, ts_session_directory(), NULL);
    }
}

static int begin(const struct ts_options *options, int count, char **arguments, char **environment) {
    char executable[4096] = "";
    uint8_t trace_id[16], parent_span_id[8];
    struct ts_preamble preamble = {0};
    struct ts_modules_summary summary = {0};
    ts_clock_choose(options->clock_system);
    ts_function_filter_begin(options->functions, options->render_timeout);
    ts_hooks_begin(options->hooks);
    ts_hook_observers_begin(options->level);
    ts_readable_begin();
    ts_coverage_prepare(options->level, options->compares);
    ts_hook_call_begin(options->level >= 2);
    if (options->level >= 2)
        ts_callers_begin(ts_fatal_signals_is_ours);
    ts_recorder_limits.depth = options->depth ? options->depth : UINT64_MAX;
    ts_recorder_limits.duration_ticks = options->min_duration_ns ? ticks_of(options->min_duration_ns) : 0;
    int64_t bytes = ts_system_readlink("/proc/self/exe", executable, sizeof executable - 1);
    executable[bytes > 0 ? bytes : 0] = 0;
    add_metadata(&preamble, options, count, arguments, environment, executable);
    ts_job_trace_id(environment, trace_id, parent_span_id);
    ts_modules_begin(&preamble, &summary);
    ts_hooks_preamble = &preamble;
    ts_loader_prepare();
    ts_hooks_preamble = NULL;
    int failed = ts_session_begin(options, environment, executable, &preamble, trace_id, parent_span_id);
    ts_preamble_free(&preamble);
    if (failed || ts_recorder_begin(ts_trace_map.header->start.clock)) {
        ts_trace_map.header = NULL;
        return -1;
    }
    if (options->paused)
        ts_recorder_begin_paused(ts_trace_map.header->start.clock);
    if (options->level >= 3)
        ts_signal_handlers_begin();
    ts_coverage_begin(options->level);
    ts_modules_patch(&summary);
    say_patched(&summary, options->debug);
    if (options->level >= 2)
        ts_callers_say_missing();
    if (options->hooks && ts_session_first_pid() == ts_system_getpid())
        ts_hooks_say_unmatched();
    return 0;
}

/*
 * A second copy of the library, preloaded from another place: the first one in the order of search records, since calls
 * by name lead there. NULL: that is this one; else the other's path. One that the program was linked with is no second
 * copy: the loader knows it by its soname.
 */
static const char *other_copy(void) {
    Dl_info other;
    void *found = (void *)__sanitizer_cov_trace_pc; /* by the loader's search, once, when it loaded this copy */
    if (!found || found == ts_coverage_receiver() || !dladdr(found, &other) || !other.dli_fname)
        return NULL;
    const char *file = other.dli_fname;
    for (const char *at = file; *at; at++)
        if (*at == '/')
            file = at + 1;
    return ts_text_begins(file, "libtraceshim.so") ? other.dli_fname : NULL;
}

static void start_process(int count, char **arguments, char **environment) {
    uint64_t start_ns = ts_system_nanoseconds(CLOCK_MONOTONIC);
    uint64_t cpu_ns = ts_system_nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
    char problems_buffer[4096];
    struct ts_text problems = TS_TEXT_IN(problems_buffer);
    struct ts_options options;
    Dl_info shim;
    ts_real_resolve();
    ts_system_set_clock(ts_real_functions.clock_gettime);
    if (getauxval(AT_SECURE))
        return; /* a set-user-id program: its environment is not to be trusted with files */
    ts_options_read(&options, environment, &problems);
    ts_message_begin(options.quiet);
    ts_message_write(&problems);
    if (options.level == 0)
        return;
    options.paused = ts_session_begins_paused(environment, options.paused);
    const char *library = dladdr((void *)start_process, &shim) && shim.dli_fname ? shim.dli_fname : "libtraceshim.so";
    const char *other = other_copy();
    if (other) {
        ts_message(library, " does not record, for this copy of the library does: ", other);
        return;
    }
    ts_renderer_find(library);
    if (begin(&options, count, arguments, environment))
        return;
    char **end = __environ == environment && environment == arguments + count + 1 ? environment : NULL;
    while (end && *end)
        end++;
    ts_environment_begin(library, options.children, end ? (const uint64_t *)(end + 1) : NULL);
    ts_loader_begin();
    ts_pause_begin(options.paused);
    ts_fatal_signals_begin(options.signal);
    ts_finish_begin(&options, start_ns, cpu_ns);
}

__attribute__((constructor)) static void start(int count, char **arguments, char **environment) {
    int error = errno;
    start_process(count, arguments, environment);
    errno = error;
}
