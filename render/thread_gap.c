#include "render/thread_gap.h"

#include "render/pauses.h"
#include "render/record.h"

enum ts_gap ts_gap_before(const struct ts_window_copy *window) {
    const uint32_t *at = ts_record_skip_holes(window->records, window->end);
    if (at == window->end || (*at & 3) != TS_KIND_TAGGED)
        return TS_GAP_NONE;
    return TS_HEAD_TYPE(*at) == TS_RECORD_LOST     ? TS_GAP_LOST
           : TS_HEAD_TYPE(*at) == TS_RECORD_RESUME ? TS_GAP_PAUSE
                                                   : TS_GAP_NONE;
}

void ts_gap_begin(struct ts_thread_replay *thread, const struct ts_window_header *header) {
    if (!(header->flags & TS_WINDOW_PAUSED) || !(header->flags & TS_WINDOW_CLOSED))
        return;
    ts_event_tell_jump(thread->replay, &thread->jump, thread->lane, NULL, NULL);
    thread->paused_clock = header->end_clock > header->clock ? header->end_clock : header->clock;
    ts_event_pause(thread->replay, thread->lane, TS_MOMENT_PAUSE, ts_thread_replay_ns(thread, thread->paused_clock));
}

/* The thread's own events may begin long after the process went on. */
void ts_gap_end(struct ts_thread_replay *thread, enum ts_gap gap) {
    uint64_t clock = thread->replay->window.header.clock;
    uint64_t end_clock = thread->paused_clock ? ts_pauses_next_end(thread->process, thread->paused_clock) : 0;
    if (end_clock && end_clock < clock)
        clock = end_clock;
    if (gap == TS_GAP_PAUSE)
        ts_event_pause(thread->replay, thread->lane, TS_MOMENT_RESUME, ts_thread_replay_ns(thread, clock));
    thread->paused_clock = 0;
}

uint64_t ts_gap_open_ns(struct ts_thread_replay *thread, const struct ts_lane *lane, uint64_t otherwise) {
    if (!thread->paused_clock)
        return otherwise;
    uint64_t ns = ts_thread_replay_ns(thread, thread->paused_clock);
    return ns > lane->last_ns ? ns : lane->last_ns;
}
