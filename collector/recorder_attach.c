#include "collector/recorder_attach.h"
#include "collector/control.h"
#include "collector/crash_stack.h"
#include "collector/process.h"
#include "collector/recorder_hold.h"
#include "collector/recorder_private.h"
#include "collector/system.h"
#include "collector/trace_map.h"

#include <limits.h>
#include <pthread.h>
#include <sys/prctl.h>

__thread struct ts_recorder *ts_this_recorder __attribute__((tls_model("initial-exec")));

/* What a thread that has ended goes on as, whose last destructors record after ours. thread 0: it has not. */
static __thread struct {
    uint64_t window_sequence;
    uint32_t process;
    uint32_t thread;
} ended __attribute__((tls_model("initial-exec")));

/* What this thread has come from, until it records. In a forked child that is another process's matter. */
static __thread struct {
    uint64_t clock;
    uint32_t process;
    uint32_t thread; /* 0: not known */
} maker __attribute__((tls_model("initial-exec")));

/*
 * The loader lays out the thread data of the libraries that are there at the start, rounds up to 64 bytes, and adds
 * what it keeps for libraries to come: with whole 64 bytes of ours (scripts/lint) they find as much as without us.
 */
static __thread uint8_t filling[8] __attribute__((tls_model("initial-exec"), used));

static pthread_key_t thread_end_key;
static int thread_end_known;
static char process_name[16];

/* When there was no memory for a recorder, this many events are lost before it is tried again: a try is a system call.
 */
#define ATTACH_PAUSE 10000
static uint32_t no_memory_for;

/*
 * Runs among the destructors of thread-specific data. Others may record after it: it asks to be called again until the
 * last round that libc makes.
 */
static void thread_ends(void *round) {
    uint64_t next = (uint64_t)round + 1;
    struct ts_recorder *recorder;
    struct ts_recorder_hold hold;
    if (next < PTHREAD_DESTRUCTOR_ITERATIONS) {
        pthread_setspecific(thread_end_key, (void *)next);
        return;
    }
    uint64_t clock = ts_clock_now();
    if (!ts_this_recorder || ts_recorder_hold(&hold, &recorder, TS_RECORDER_HERE, 0, clock))
        return;
    if (TS_CURSOR_OF(recorder)->base)
        ts_recorder_unwind_to(recorder, recorder->tracks[recorder->track].first, clock, TS_UNWIND_THREAD_END);
    struct ts_record_thread_end record = {.head = TS_RECORD_THREAD_END, .clock = ts_u64_of(clock)};
    if (TS_CURSOR_OF(recorder)->base && ts_recorder_make_room(recorder, sizeof record, clock) == 0)
        ts_recorder_write(recorder, &record.head, sizeof record / 4);
    ts_recorder_end_window(recorder, clock, 1);
    ended.thread = recorder->thread;
    ended.process = recorder->process;
    ended.window_sequence = recorder->window_sequence;
    ts_crash_stack_unset(recorder);
    ts_recorder_pool_give(recorder);
    ts_recorder_release(&hold, NULL);
}

int ts_recorder_begin(uint64_t clock) {
    struct ts_process_memory memory;
    if (ts_recorder_pool_begin(&memory))
        return -1;
    ts_process_begin(&memory, clock);
    ts_system_prctl(PR_GET_NAME, (uint64_t)process_name, 0);
    ts_recorder_stack_begin();
    /* libc keeps the first keys' values in the thread itself; for later ones it would allocate, in the middle of an
     * event. */
    thread_end_known = pthread_key_create(&thread_end_key, thread_ends) == 0 && thread_end_key < 32;
    return 0;
}

static uint64_t thread_pointer(void) {
    return (uint64_t)pthread_self();
}

struct ts_recorder *ts_recorder_attach(struct ts_recorder *recorder, uint64_t clock) {
    if (recorder)
        return recorder;
    if (!ts_process_fresh)
        return NULL;
    if (ts_system_forbidden) {
        ts_window_count_lost(NULL, TS_LOST_NO_SYSCALL, 1, clock);
        return NULL;
    }
    ts_process_make_known(clock);
    int tid = ts_system_gettid();
    recorder = no_memory_for ? NULL : ts_recorder_pool_take(TS_RECORDER_OWNER(tid));
    if (recorder) {
        recorder->pid = (int)ts_process_fresh->pid;
        recorder->tid = tid;
        recorder->thread_pointer = thread_pointer();
        if (ts_recorder_stack_start(recorder)) {
            ts_recorder_pool_give(recorder);
            recorder = NULL;
        }
    }
    if (!recorder) {
        no_memory_for = no_memory_for ? no_memory_for - 1 : ATTACH_PAUSE;
        ts_window_count_lost(NULL, TS_LOST_MEMORY, 1, clock);
        return NULL;
    }
    recorder->epoch = UINT64_MAX;
    recorder->window.header = NULL;
    int goes_on = ended.thread && ended.process == ts_process->number;
    recorder->window_sequence = goes_on ? ended.window_sequence : 0;
    recorder->lowest_depth = 0;
    recorder->windows = 0;
    recorder->thread =
        goes_on ? ended.thread : __atomic_add_fetch(&ts_trace_map.header->thread_count, 1, __ATOMIC_RELAXED);
    recorder->process = ts_process->number;
    recorder->process_start = ts_process->start;
    recorder->maker = maker.process == ts_process->number && !goes_on ? maker.thread : 0;
    recorder->made_clock = maker.clock;
    recorder->lost = 0;
    recorder->first_of_process = 0;
    recorder->paused = 0;
    recorder->other_words = 0;
    recorder->unwound = 0;
    for (unsigned i = 0; i < sizeof recorder->name; i++)
        recorder->name[i] = process_name[i];
    ts_crash_stack_set(recorder);
    if (thread_end_known)
        pthread_setspecific(thread_end_key, (void *)1);
    return recorder;
}

void ts_recorder_end_process(enum ts_end_reason reason, int status) {
    struct ts_file_header *header = ts_trace_map.header;
    if (!header || !ts_process_fresh->known || (ts_system_forbidden && ts_process->number != 1))
        return;
    struct ts_recorder *recorder = ts_this_recorder;
    if (ts_process->number == 1) {
        struct ts_clock_pair pair = {0};
        if (reason != TS_END_NOT_SEEN) /* else an exec has failed: it goes on */
            ts_clock_pair_take(&pair);
        header->end = pair;
        header->end_reason = reason;
        header->end_status = status;
    } else if (recorder && recorder->window.header && TS_CURSOR_OF(recorder)->base && reason != TS_END_SIGNAL) {
        struct ts_window_header *window = recorder->window.header;
        window->process_end_reason = reason;
        window->process_end_status = status;
        window->process_end_clock = ts_clock_now();
        struct ts_recorder_hold hold;
        if (ts_recorder_hold(&hold, &recorder, TS_RECORDER_HERE, 0, window->process_end_clock))
            return;
        ts_recorder_end_window(recorder, window->process_end_clock, 0);
        ts_recorder_release(&hold, recorder);
    } else {
        struct ts_recorder_hold hold;
        if (recorder && recorder->rest.header &&
            ts_recorder_hold(&hold, &recorder, TS_RECORDER_HERE, 0, ts_clock_now()) == 0) {
            ts_recorder_end_rest(recorder, 1); /* else a ring could never use its block again */
            ts_recorder_release(&hold, recorder);
        }
        struct ts_record_process_end record = {
            .clock = ts_u64_of(ts_clock_now()), .process = ts_process->number, .reason = reason, .status = status};
        ts_control_write(TS_RECORD_PROCESS_END, &record, sizeof record, NULL, 0, NULL, 0);
    }
}

void ts_recorder_after_fork(void) {
    ts_process_after_fork();
    struct ts_recorder *recorder = ts_recorder_of_thread();
    if (recorder && ts_process_fresh && !ts_process_fresh->known) {
        struct ts_cursor *cursor = TS_CURSOR_OF(recorder);
        ts_cursor_set_limit(cursor, 0);
        cursor->base = cursor->next = 0;
    }
}

uint32_t ts_recorder_thread_number(void) {
    const struct ts_recorder *recorder = ts_recorder_of_thread();
    return recorder && recorder->process == ts_process->number ? recorder->thread : 0;
}

void ts_recorder_made_by(uint32_t thread, uint64_t clock) {
    maker.clock = clock;
    maker.process = ts_process->number;
    maker.thread = thread;
}

void ts_recorder_before_lock(void) {
    ts_recorder_memory.shadow_most = 0;
    ts_recorder_pool_shrink();
}

void ts_recorder_forbid_system_calls(void) {
    struct ts_recorder_hold hold;
    struct ts_recorder *recorder;
    if (!ts_process_fresh || ts_system_forbidden)
        return;
    if (ts_recorder_hold(&hold, &recorder, TS_RECORDER_HERE, 0, ts_clock_now()) == 0) {
        ts_process_make_known(ts_clock_now());
        if (recorder)
            ts_recorder_reserve(recorder, ts_clock_now());
        ts_recorder_release(&hold, recorder);
    }
    ts_system_forbidden = 1;
}
