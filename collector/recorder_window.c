#include "collector/control.h"
#include "collector/process.h"
#include "collector/recorder_pause.h"
#include "collector/recorder_private.h"
#include "collector/system.h"
#include "collector/trace_map.h"

#include <sys/prctl.h>

/*
 * While nothing can be written, a window is asked for again after this many events: a ring has one sooner or later, and
 * the program may give memory back, or get more.
 */
#define RETRY_EVENTS 4096

int ts_recorder_reader_has(const struct ts_shadow_entry *entry) {
    uint64_t position = entry->position;
    if (position < TS_POSITION_FIRST)
        return position == TS_POSITION_LISTED;
    uint32_t written = *(volatile uint32_t *)(position & ~UINT64_C(3)) & 3;
    return position & 1 ? !written : !!written;
}

/* Where the window ends, whatever a pause has made of the cursor's limit. There is a window. */
static uint64_t limit_of(const struct ts_recorder *recorder) {
    uint64_t limit = ts_cursor_limit(TS_CURSOR_OF(recorder));
    return limit ? limit : recorder->window.bytes - TS_CURSOR_SLACK;
}

/* Whether a hook has reserved the last `bytes` before `next` and not written them yet. */
static int is_reserved(const struct ts_recorder *recorder, uint64_t next, uint64_t bytes) {
    uint64_t at = next - bytes, base = TS_CURSOR_OF(recorder)->base, limit = limit_of(recorder);
    if (at < recorder->tagged_end || at - base >= limit || at - base + bytes > limit + TS_CURSOR_SLACK)
        return 0;
    for (; at < next; at += 4)
        if (*(volatile uint32_t *)at)
            return 0;
    return 1;
}

static void commit_enter(struct ts_shadow_entry *entry, uint64_t position, int wide) {
    TS_STORE(entry->position, position);
    if (wide)
        ts_recorder_write_wide(position, entry->function, entry->clock);
    else
        *(volatile ts_record_words *)position = ts_recorder_enter_word(entry->function, entry->clock);
    if (ts_recorder_limits.behind_bytes)
        *(volatile ts_record_words *)(position + (wide ? sizeof(struct ts_record_enter_wide) : TS_ENTER_BYTES)) =
            ts_recorder_behind(TS_RECORD_CALL_SITE, entry->site);
}

/* Arguments and results that are not there yet stay zero until the hook goes on. */
static void commit_pending(const struct ts_shadow_entry *entry, uint64_t position, uint32_t type, uint64_t clock) {
    volatile uint32_t *record = (volatile uint32_t *)position;
    if (!record[2] || type == TS_RECORD_ENTER_WIDE) {
        record[1] = (uint32_t)clock;
        record[2] = (uint32_t)(clock >> 32);
    }
    if (type == TS_RECORD_ENTER_WIDE) {
        record[TS_VALUES_AT] = (uint32_t)entry->function;
        record[TS_VALUES_AT + 1] = (uint32_t)(entry->function >> 32);
    }
    __atomic_store_n(record, TS_HEAD(type, TS_HEAD_WORDS(record[0])), __ATOMIC_RELEASE);
}

static void settle_enter(const struct ts_recorder *recorder, struct ts_shadow_entry *entry, uint64_t next) {
    int wide = entry->position == TS_POSITION_WIDE;
    uint64_t plain = (wide ? sizeof(struct ts_record_enter_wide) : TS_ENTER_BYTES) + ts_recorder_limits.behind_bytes;
    uint64_t bytes = entry->bytes ? entry->bytes : plain;
    if (is_reserved(recorder, next, bytes))
        commit_enter(entry, next - bytes, wide);
}

static void settle_exit(const struct ts_recorder *recorder, struct ts_shadow_entry *entry, uint64_t next,
                        uint32_t written) {
    uint64_t bytes = entry->bytes ? entry->bytes : TS_EXIT_BYTES;
    if (entry->position >= TS_POSITION_FIRST) {
        uint64_t own = (written & 3) == TS_KIND_ENTER ? TS_ENTER_BYTES : TS_HEAD_WORDS(written) * UINT64_C(4);
        if (next < entry->position + own + ts_recorder_limits.behind_bytes + bytes)
            return; /* nothing but its own ENTER, which may end in zeros */
    }
    if (is_reserved(recorder, next, bytes)) {
        TS_STORE(entry->position, (next - bytes) | 1);
        *(volatile uint32_t *)(next - bytes) = ((uint32_t)ts_clock_now() & TS_CLOCK_FIELD) | TS_KIND_EXIT;
    }
}

/*
 * What a hook reserves is all zero and ends where the cursor stands: every handler that recorded after it came through
 * here first. The exact clock of an exit is in the hook's registers; now is as long after it as the handler took to
 * begin, and the hook's own store corrects it.
 */
void ts_recorder_settle(struct ts_recorder *recorder) {
    ts_recorder_stack_check(recorder);
    struct ts_shadow_entry *entry = recorder->top;
    const struct ts_cursor *cursor = TS_CURSOR_OF(recorder);
    uint64_t next = cursor->next, position = entry->position, place = position & ~UINT64_C(3);
    if (!ts_recorder_is_at_work(entry) || !cursor->base || entry == recorder->tracks[recorder->track].first)
        return;
    uint32_t written = position >= TS_POSITION_FIRST ? *(volatile uint32_t *)place : 0;
    int exits = position & 1;
    if (position <= TS_POSITION_WIDE) {
        settle_enter(recorder, entry, next);
    } else if (position >= TS_POSITION_FIRST && !written) {
        if (exits)
            *(volatile uint32_t *)place = ((uint32_t)ts_clock_now() & TS_CLOCK_FIELD) | TS_KIND_EXIT;
        else
            commit_enter(entry, position, entry->bytes != 0);
    } else if (position >= TS_POSITION_FIRST && (written & 3) == TS_KIND_PENDING) {
        commit_pending(entry, place, exits ? TS_RECORD_RESULT : TS_RECORD_ENTER_WIDE,
                       exits ? ts_clock_now() : entry->clock);
    } else if (!exits && position >= TS_POSITION_LISTED) {
        settle_exit(recorder, entry, next, written);
    }
    if (ts_recorder_limits.duration_ticks && cursor->next == next) {
        /* A hook that was taking its ENTER back must find that it is not the last record any more. */
        struct ts_record_time record = {.head = TS_RECORD_TIME, .clock = ts_u64_of(ts_clock_now())};
        if (ts_recorder_make_room(recorder, sizeof record, ts_clock_now()) == 0)
            ts_recorder_write(recorder, &record.head, sizeof record / 4);
    }
}

static int is_lost(const struct ts_shadow_entry *entry) {
    return entry->position == TS_POSITION_LOST;
}

/*
 * Marks the open calls that `is_known`, of those between `first` and `top`, as LISTED, down to the innermost that is
 * already: those below it are, but for calls in the middle of their hooks, which a handler interrupted. Returns how
 * many calls the reader knows; *lowest: of those that were LISTED before.
 */
static uint64_t list_calls(struct ts_shadow_entry *first, struct ts_shadow_entry *top,
                           int (*is_known)(const struct ts_shadow_entry *), uint64_t *lowest) {
    struct ts_shadow_entry *entry = top;
    while (entry > first && entry->position != TS_POSITION_LISTED)
        entry--;
    uint64_t unknown = entry > first ? entry->unknown : 0;
    *lowest = (uint64_t)(entry - first) - unknown;
    while (++entry <= top) {
        if (is_known(entry)) {
            TS_STORE(entry->position, TS_POSITION_LISTED);
            entry->unknown = unknown;
        } else {
            unknown++;
        }
    }
    return (uint64_t)(top - first) - unknown;
}

static uint64_t list_current(struct ts_recorder *recorder, int (*is_known)(const struct ts_shadow_entry *),
                             uint64_t *lowest) {
    return list_calls(recorder->tracks[recorder->track].first, recorder->top, is_known, lowest);
}

/* Hooks that a handler interrupted will store into the window once more. */
static int has_hooks_at_work(const struct ts_recorder *recorder) {
    const struct ts_shadow_entry *first = recorder->tracks[recorder->track].first, *entry = recorder->top;
    for (; entry > first && entry->position != TS_POSITION_LISTED; entry--)
        if (ts_recorder_is_at_work(entry) && entry->position >= TS_POSITION_FIRST)
            return 1;
    return 0;
}

/* What becomes of the rest of a window. */
enum rest { REST_UNUSED, REST_FOR_OTHERS, REST_KEPT };

/* What the file shows is looked up before: once the window is closed, a ring may recycle it at any moment. */
static void close_window(struct ts_recorder *recorder, uint64_t clock, enum rest rest) {
    struct ts_window_header *header = recorder->window.header;
    struct ts_cursor *cursor = TS_CURSOR_OF(recorder);
    int keep = has_hooks_at_work(recorder);
    header->end_depth = list_current(recorder, ts_recorder_reader_has, &recorder->lowest_depth);
    header->other_words = recorder->other_words;
    header->unwound = recorder->unwound;
    if (keep) {
        /* The block must not be recycled under them: it stays counted as written. */
        header->end_clock = clock;
        header->end_bytes = (uint32_t)(cursor->next - cursor->base);
        if (header->end_bytes > header->bytes)
            header->end_bytes = header->bytes;
        header->flags |= TS_WINDOW_CLOSED;
    } else if (rest == REST_KEPT) {
        recorder->rest = recorder->window;
        ts_window_split(&recorder->rest, (uint32_t)(cursor->next - cursor->base), clock);
    } else {
        ts_window_close(&recorder->window, (uint32_t)(cursor->next - cursor->base), clock, rest == REST_FOR_OTHERS);
    }
    ts_cursor_set_limit(cursor, 0);
    cursor->base = 0;
    cursor->next = 0;
}

/* The header's open calls: those that the closed window showed, which marked them so, and those entered while lost. */
static void list_open_calls(struct ts_recorder *recorder, struct ts_window_header *header) {
    const struct ts_track *track = &recorder->tracks[recorder->track];
    header->depth = list_current(recorder, is_lost, &header->lowest_depth);
    if (header->lowest_depth > recorder->lowest_depth)
        header->lowest_depth = recorder->lowest_depth;

    uint64_t most = header->bytes / 8 / sizeof(struct ts_open_call);
    uint64_t left = header->depth < most ? header->depth : most;
    struct ts_open_call *calls = (struct ts_open_call *)(header + 1);
    header->open_count = (uint32_t)left;
    header->records = (uint32_t)(sizeof *header + left * sizeof *calls);
    for (const struct ts_shadow_entry *entry = recorder->top; entry > track->first && left; entry--)
        if (entry->position == TS_POSITION_LISTED) {
            left--;
            calls[left].address = entry->function;
            calls[left].clock = entry->clock;
            calls[left].site = (uint32_t)entry->site;
        }
}

static void write_name(struct ts_recorder *recorder, uint64_t clock) {
    char name[16] = "";
    uint32_t bytes = 0;
    ts_system_prctl(PR_GET_NAME, (uint64_t)name, 0);
    int same = 1;
    for (; bytes < sizeof name && name[bytes]; bytes++)
        same &= name[bytes] == recorder->name[bytes];
    if (same && (bytes == sizeof name || !recorder->name[bytes]))
        return;
    for (unsigned i = 0; i < sizeof name; i++)
        recorder->name[i] = i < bytes ? name[i] : 0;
    struct ts_record_thread_name record = {
        .clock = ts_u64_of(clock), .thread_pointer = ts_u64_of(recorder->thread_pointer), .name_bytes = bytes};
    ts_control_write(TS_RECORD_THREAD_NAME, &record, sizeof record, name, bytes, NULL, 0);
}

static void write_maker(struct ts_recorder *recorder) {
    struct ts_record_thread_create record = {
        .head = TS_RECORD_THREAD_CREATE, .clock = ts_u64_of(recorder->made_clock), .thread = recorder->maker};
    ts_recorder_write(recorder, &record.head, sizeof record / 4);
    recorder->maker = 0;
}

void ts_recorder_lose_window(struct ts_recorder *recorder) {
    for (uint32_t i = 0; i < recorder->track_count; i++) {
        struct ts_track *track = &recorder->tracks[i];
        struct ts_shadow_entry *top = i == recorder->track ? recorder->top : track->top;
        for (struct ts_shadow_entry *entry = track->first + 1; entry <= top; entry++)
            if (entry->position >= TS_POSITION_FIRST)
                entry->position = TS_POSITION_LOST;
    }
    recorder->window.header = NULL;
}

/* The thread that forked goes on in the child: new process, new thread, the open calls inherited. */
static void become_child(struct ts_recorder *recorder) {
    ts_recorder_lose_window(recorder);
    recorder->rest.header = NULL; /* the parent's */
    recorder->windows = 0;
    recorder->window_sequence = 0;
    recorder->lowest_depth = 0;
    recorder->lost = 0;
    recorder->process = ts_process->number;
    recorder->process_start = ts_process->start;
    recorder->maker = 0;
    recorder->pid = (int)ts_process_fresh->pid;
    recorder->tid = recorder->pid; /* the only thread of a forked process */
    recorder->owner = TS_RECORDER_OWNER(recorder->tid);
    recorder->thread = __atomic_add_fetch(&ts_trace_map.header->thread_count, 1, __ATOMIC_RELAXED);
    recorder->first_of_process = 1;
    ts_recorder_pool_after_fork(recorder);
}

/* Sets the limit of a window that there is, unless recording pauses. */
static void open_window(struct ts_recorder *recorder) {
    struct ts_cursor *cursor = TS_CURSOR_OF(recorder);
    ts_cursor_set_limit(cursor, recorder->window.bytes - TS_CURSOR_SLACK);
    __atomic_thread_fence(__ATOMIC_SEQ_CST); /* see recorder_pause.h */
    if (ts_recorder_pauses())
        ts_cursor_set_limit(cursor, 0);
}

/* Recording is paused: from here on events are left out. */
static void end_for_pause(struct ts_recorder *recorder, uint64_t clock) {
    struct ts_window_header *header = recorder->window.header;
    uint64_t since = __atomic_load_n(&ts_process->pause_clock, __ATOMIC_RELAXED), lowest;
    recorder->paused = 1;
    if (!header || !TS_CURSOR_OF(recorder)->base)
        return;
    ts_recorder_stack_check(recorder);
    /* The thread may run on another stack when it goes on, and no record tells of the switch. */
    for (uint32_t i = 0; i < recorder->track_count; i++)
        if (i != recorder->track)
            list_calls(recorder->tracks[i].first, recorder->tracks[i].top, ts_recorder_reader_has, &lowest);
    header->flags |= TS_WINDOW_PAUSED;
    close_window(recorder, since < header->clock || since > clock ? clock : since, REST_KEPT);
    recorder->window.header = NULL;
}

/* Whether there may be another window: one that needs no system call, where those are forbidden. */
static int may_renew(const struct ts_recorder *recorder) {
    return !ts_system_forbidden ||
           (recorder->rest.header && ts_process_fresh->known && recorder->process == ts_process->number);
}

/* What a pause has left of the last window, or another one. 0, or the reason as of ts_window_claim. */
static int take_window(struct ts_recorder *recorder) {
    struct ts_window window = recorder->rest;
    uint32_t bytes = recorder->first_of_process ? TS_WINDOW_FORKED
                     : recorder->windows == 0   ? TS_WINDOW_SMALL
                     : recorder->windows == 1   ? TS_WINDOW_MIDDLE
                                                : (uint32_t)ts_trace_map.block_bytes;
    recorder->rest.header = NULL;
    if (window.header) {
        ts_window_begin_rest(&window);
    } else {
        int reason = ts_window_claim(&window, bytes, 0);
        if (reason)
            return reason;
        recorder->windows += !recorder->first_of_process;
    }
    recorder->window = window;
    return 0;
}

static void take_pair(const struct ts_recorder *recorder, struct ts_clock_pair *pair) {
    if (ts_system_forbidden)
        *pair = (struct ts_clock_pair){.clock = ts_clock_now()};
    else if (recorder->first_of_process)
        ts_clock_pair_take_in_child(pair);
    else
        ts_clock_pair_take(pair);
}

static int renew(struct ts_recorder *recorder, uint64_t clock) {
    struct ts_cursor *cursor = TS_CURSOR_OF(recorder);
    if (!may_renew(recorder)) {
        recorder->lost_reason = TS_LOST_NO_SYSCALL;
        recorder->lost += !recorder->lost;
        return -1;
    }
    ts_recorder_stack_check(recorder);
    if (recorder->window.header && cursor->base)
        close_window(recorder, clock, REST_UNUSED);
    ts_process_make_known(clock);
    if (recorder->process != ts_process->number)
        become_child(recorder);

    int reason = take_window(recorder);
    if (reason) {
        recorder->lost_reason = (uint32_t)reason - 1;
        if (ts_trace_map.full_mode == TS_FULL_RING)
            recorder->window.header = NULL; /* its block may be recycled: no counter lies there */
        if (!recorder->lost)
            recorder->lost = 1;
        recorder->lost_retry = recorder->lost + RETRY_EVENTS;
        return -1;
    }
    struct ts_window_header *header = recorder->window.header;
    int is_child = recorder->first_of_process; /* its thread has the name that it had in the parent */
    struct ts_clock_pair pair;
    take_pair(recorder, &pair);
    header->flags = is_child ? TS_WINDOW_FIRST_OF_PROCESS : 0;
    header->pid = (uint32_t)recorder->pid;
    header->tid = (uint32_t)recorder->tid;
    header->process = recorder->process;
    header->thread = recorder->thread;
    header->process_start = recorder->process_start;
    header->track = recorder->tracks[recorder->track].number;
    header->clock = pair.clock;
    header->monotonic_ns = pair.monotonic_ns;
    header->thread_pointer = recorder->thread_pointer;
    header->parent_process = ts_process->parent;
    header->parent_pid = ts_process->parent_pid;
    header->previous = recorder->window_sequence;
    list_open_calls(recorder, header);
    recorder->window_sequence = ts_window_publish(&recorder->window);
    recorder->first_of_process = 0;
    recorder->other_words = 0;
    recorder->unwound = 0;
    recorder->epoch = pair.clock >> TS_EPOCH_SHIFT;
    cursor->next = recorder->tagged_end = (uint64_t)header + header->records;
    cursor->base = (uint64_t)header;
    open_window(recorder);
    if (!is_child && !ts_system_forbidden)
        write_name(recorder, pair.clock);
    if (recorder->lost > 1) { /* a reader trusts the header where this comes first */
        struct ts_record_lost record = {.head = TS_RECORD_LOST,
                                        .clock = ts_u64_of(clock),
                                        .count = ts_u64_of(recorder->lost - 1),
                                        .reason = recorder->lost_reason};
        ts_recorder_write(recorder, &record.head, sizeof record / 4);
    }
    recorder->lost = 0;
    if (recorder->paused) { /* the same */
        struct ts_record_pause record = {.head = TS_RECORD_RESUME, .clock = ts_u64_of(clock)};
        ts_recorder_write(recorder, &record.head, sizeof record / 4);
        recorder->paused = 0;
    }
    if (recorder->maker)
        write_maker(recorder);
    return 0;
}

void ts_recorder_reserve(struct ts_recorder *recorder, uint64_t clock) {
    ts_recorder_end_rest(recorder, 0);
    if (recorder->windows < 2)
        recorder->windows = 2; /* the next window is a block */
    renew(recorder, clock);
}

int ts_recorder_stays_lost(const struct ts_recorder *recorder) {
    return recorder->lost && ts_process_fresh->known &&
           (ts_system_forbidden || recorder->lost < recorder->lost_retry ||
            (ts_trace_map.full_mode != TS_FULL_RING && recorder->lost_reason != TS_LOST_MEMORY));
}

/*
 * A new epoch. The record of it first: a reader must have it before a clock of the new epoch. Then both clocks, so that
 * the rate is known however the process ends and wherever the trace is read.
 */
static void write_time(struct ts_recorder *recorder, uint64_t clock) {
    struct ts_record_time time = {.head = TS_RECORD_TIME, .clock = ts_u64_of(clock)};
    struct ts_clock_pair pair;
    ts_recorder_write(recorder, &time.head, sizeof time / 4);
    recorder->epoch = clock >> TS_EPOCH_SHIFT;
    if (ts_system_forbidden)
        return;
    ts_clock_pair_take(&pair);
    struct ts_record_clock_pair record = {.head = TS_RECORD_CLOCK_PAIR,
                                          .clock = ts_u64_of(pair.clock),
                                          .monotonic_ns = ts_u64_of(pair.monotonic_ns),
                                          .realtime_ns = ts_u64_of(pair.realtime_ns)};
    ts_recorder_write(recorder, &record.head, sizeof record / 4);
}

int ts_recorder_make_room(struct ts_recorder *recorder, uint32_t bytes, uint64_t clock) {
    struct ts_cursor *cursor = TS_CURSOR_OF(recorder);
    if (ts_recorder_pauses()) {
        end_for_pause(recorder, clock);
        return 1;
    }
    if (ts_recorder_stays_lost(recorder))
        return -1;
    if (cursor->base && !ts_cursor_limit(cursor)) /* a pause has come and gone between two events */
        open_window(recorder);
    uint64_t most = bytes + sizeof(struct ts_record_time) + sizeof(struct ts_record_clock_pair);
    if (!cursor->base || cursor->next - cursor->base + most > limit_of(recorder)) {
        if (renew(recorder, clock))
            return -1;
    }
    if (clock >> TS_EPOCH_SHIFT != recorder->epoch)
        write_time(recorder, clock);
    return 0;
}

void ts_recorder_write(struct ts_recorder *recorder, const uint32_t *words, uint32_t count) {
    struct ts_cursor *cursor = TS_CURSOR_OF(recorder);
    volatile uint32_t *record = (volatile uint32_t *)ts_cpu_reserve(&cursor->next, count * 4);
    record[0] = TS_HEAD_PENDING(count);
    for (uint32_t i = 1; i < count; i++)
        record[i] = words[i];
    __atomic_store_n(record, TS_HEAD(words[0], count), __ATOMIC_RELEASE);
    recorder->tagged_end = (uint64_t)(record + count);
    recorder->other_words += count;
}

void ts_recorder_end_rest(struct ts_recorder *recorder, int is_last) {
    if (recorder->rest.header && ts_process_fresh->known && recorder->process == ts_process->number)
        (is_last ? ts_window_leave_rest : ts_window_give_rest)(&recorder->rest);
    recorder->rest.header = NULL;
}

void ts_recorder_end_window(struct ts_recorder *recorder, uint64_t clock, int keep_rest) {
    ts_recorder_end_rest(recorder, !keep_rest);
    if (!recorder->window.header || !TS_CURSOR_OF(recorder)->base)
        return;
    if (keep_rest)
        write_name(recorder, clock);
    close_window(recorder, clock, keep_rest ? REST_FOR_OTHERS : REST_UNUSED);
    recorder->window.header = NULL;
}
