#include "render/trace_threads.h"

#include "render/memory.h"
#include "render/record.h"

/*
 * The newest clock and pair of clocks in a thread's last window, and whether the thread said that it ends there. 0 when
 * it could be read: the copy holds it.
 */
static int read_last_window(struct ts_trace *trace, struct ts_thread_facts *thread, struct ts_window_copy *copy) {
    const struct ts_window *window = &trace->windows[thread->first_window + thread->window_count - 1];
    uint64_t newest = window->end_clock > window->clock ? window->end_clock : window->clock;
    int result = ts_trace_read_window(trace, window, copy);
    if (result == 0) {
        uint64_t clock = window->clock;
        uint32_t words;
        const uint32_t *at = copy->records;
        while ((at = ts_record_skip_holes(at, copy->end)) < copy->end) {
            enum ts_word word = ts_record_at(at, copy->end, &words);
            if (word == TS_WORD_DAMAGED ||
                (word == TS_WORD_TAGGED && *at & TS_HEAD_MUST_KNOW && !ts_record_name(TS_HEAD_TYPE(*at))))
                break; /* a replay stops here too */
            if (word == TS_WORD_ENTER || word == TS_WORD_EXIT)
                ts_record_clock(&clock, *at);
            if (word == TS_WORD_TAGGED && TS_HEAD_TYPE(*at) == TS_RECORD_THREAD_END)
                thread->ended = 1;
            if (word == TS_WORD_TAGGED && TS_HEAD_TYPE(*at) == TS_RECORD_CLOCK_PAIR) {
                const struct ts_record_clock_pair *pair = (const void *)at;
                thread->pair = (struct ts_clock_point){ts_record_u64(pair->clock), ts_record_u64(pair->monotonic_ns)};
            }
            uint64_t time;
            if (word == TS_WORD_TAGGED && ts_record_event_clock(at, &time) && time > clock &&
                ts_record_time_holds(time, window->clock))
                clock = time;
            at += words;
        }
        if (clock > newest)
            newest = clock;
    }
    thread->last_clock = newest;
    return result;
}

/*
 * What made the thread, and when its first event happened: its window's own clock was read a little later. What made
 * it stands before its first call, while the first of its windows is there.
 */
static uint64_t read_begin(const struct ts_trace *trace, const struct ts_window *window,
                           const struct ts_window_header *header, struct ts_thread_facts *thread) {
    uint32_t room[1024]; /* descriptors and a call with its arguments fit */
    uint64_t newest = window->clock;
    size_t bytes = header->records < window->bytes ? window->bytes - header->records : 0;
    bytes = bytes < sizeof(room) ? bytes : sizeof(room);
    if (ts_trace_read(trace, window->offset + header->records, room, bytes) < 0)
        return window->clock;
    const uint32_t *end = room + bytes / sizeof(*room);
    uint32_t words;
    for (const uint32_t *at = room; (at = ts_record_skip_holes(at, end)) < end; at += words) {
        enum ts_word word = ts_record_at(at, end, &words);
        if (word == TS_WORD_ENTER || word == TS_WORD_EXIT) {
            uint64_t clock = ts_record_clock(&newest, *at);
            return clock < window->clock ? clock : window->clock;
        }
        uint64_t clock;
        if (word == TS_WORD_TAGGED && TS_HEAD_TYPE(*at) == TS_RECORD_ENTER_WIDE && ts_record_event_clock(at, &clock) &&
            ts_record_time_holds(clock, window->clock))
            return clock < window->clock ? clock : window->clock;
        if (word == TS_WORD_DAMAGED)
            break;
        if (word == TS_WORD_TAGGED && TS_HEAD_TYPE(*at) == TS_RECORD_THREAD_CREATE && !thread->maker) {
            const struct ts_record_thread_create *made = (const void *)at;
            thread->maker = made->thread;
            thread->made_clock = ts_record_u64(made->clock);
        }
    }
    return window->clock;
}

static void read_all(struct ts_trace *trace, struct ts_facts *facts) {
    size_t capacity = 0;
    struct ts_window_copy copy = {0};
    for (size_t i = 0; i < trace->window_count;) {
        const struct ts_window *window = &trace->windows[i];
        size_t count = 1;
        while (i + count < trace->window_count && window[count].process == window->process &&
               window[count].thread == window->thread)
            count++;
        struct ts_process_facts *process = ts_facts_process(facts, window->process);
        struct ts_window_header header = {0};
        ts_trace_read(trace, window->offset, &header, sizeof(header));
        if (!process->pid)
            process->pid = header.pid;
        if (header.process_start >= trace->header.start.clock && header.process_start < process->start_clock)
            process->start_clock = header.process_start;
        if (window->thread) {
            facts->threads =
                ts_memory_grow(facts->threads, &capacity, facts->thread_count + 1, sizeof(*facts->threads));
            struct ts_thread_facts *thread = &facts->threads[facts->thread_count];
            *thread = (struct ts_thread_facts){.process = window->process,
                                               .thread = window->thread,
                                               .tid = header.tid,
                                               .thread_pointer = header.thread_pointer,
                                               .first_window = i,
                                               .window_count = count,
                                               .inherited = (window->flags & TS_WINDOW_FIRST_OF_PROCESS) != 0};
            thread->start_clock = read_begin(trace, window, &header, thread);
            int read = read_last_window(trace, thread, &copy) == 0;
            if (read && copy.header.process_end_reason && copy.header.process == process->number) {
                process->ended = 1;
                process->end_reason = copy.header.process_end_reason;
                process->end_status = copy.header.process_end_status;
                process->last_clock = copy.header.process_end_clock;
            }
            if (process->thread_count++ == 0)
                process->first_thread = facts->thread_count;
            facts->thread_count++;
        }
        i += count;
    }
    ts_window_copy_free(&copy);
}

/* How and when each process ended, as far as that can be known. */
static void settle_ends(struct ts_trace *trace, struct ts_facts *facts) {
    struct ts_process_facts *first = &facts->processes[0];
    if (!first->ended && trace->header.end.clock) {
        first->ended = 1;
        first->last_clock = trace->header.end.clock;
        first->end_reason = trace->header.end_reason;
        first->end_status = trace->header.end_status;
    }
    for (size_t i = 0; i < facts->process_count; i++) {
        struct ts_process_facts *process = &facts->processes[i];
        uint64_t last = process->start_clock == UINT64_MAX ? 0 : process->start_clock;
        for (size_t t = 0; t < process->thread_count; t++) {
            const struct ts_thread_facts *thread = &facts->threads[process->first_thread + t];
            if (thread->start_clock < process->start_clock)
                process->start_clock = thread->start_clock;
            if (thread->last_clock > last)
                last = thread->last_clock;
        }
        if (process->start_clock == UINT64_MAX)
            process->start_clock = trace->header.start.clock;
        /* An exec that failed is followed by more. */
        if (process->exec_clock && last <= process->exec_clock &&
            (!process->ended || process->end_reason == TS_END_EXEC)) {
            process->ended = 1;
            process->end_reason = TS_END_EXEC;
            process->last_clock = process->exec_clock;
        } else if (process->ended && process->end_reason == TS_END_EXEC && process->last_clock < last) {
            process->ended = 0;
            process->end_reason = TS_END_NOT_SEEN;
        }
        if (!process->ended || process->last_clock < last)
            process->last_clock = last;
    }
}

void ts_trace_threads_read(struct ts_trace *trace, struct ts_facts *facts) {
    read_all(trace, facts);
    settle_ends(trace, facts);
}
