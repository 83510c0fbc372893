#include "collector/process.h"
#include "collector/recorder_attach.h"
#include "collector/recorder_hold.h"
#include "collector/recorder_pause.h"
#include "collector/recorder_private.h"
#include "collector/system.h"
#include "collector/trace_map.h"

struct ts_recorder_limits ts_recorder_limits = {.depth = UINT64_MAX};

static void count_lost(struct ts_recorder *recorder, uint64_t clock) {
    if (ts_process_fresh->known)
        recorder->lost++;
    ts_window_count_lost(recorder->window.header, recorder->lost_reason, 1, clock);
}

/* Whether the event is left out at once: recording is paused, or has no room, and the event is then counted. */
static int is_left_out(struct ts_recorder *recorder, uint64_t clock) {
    if (ts_recorder_pauses() && !TS_CURSOR_OF(recorder)->base) {
        recorder->paused = 1;
        return 1;
    }
    if (!ts_recorder_stays_lost(recorder))
        return 0;
    count_lost(recorder, clock);
    return 1;
}

static int within_limit(const struct ts_recorder *recorder) {
    return (uint64_t)(recorder->top - recorder->tracks[recorder->track].first) < ts_recorder_limits.depth;
}

static struct ts_shadow_entry *push(struct ts_recorder *recorder, uint64_t function, uint64_t site, uint64_t cfa,
                                    uint64_t clock, enum ts_position position) {
    struct ts_shadow_entry *entry = recorder->top + 1;
    TS_STORE(recorder->top, entry);
    TS_STORE(entry->function, function);
    TS_STORE(entry->site, site);
    TS_STORE(entry->clock, clock);
    TS_STORE(entry->position, position);
    TS_STORE(entry->cfa, cfa);
    return entry;
}

static void pop(struct ts_recorder *recorder) {
    TS_STORE(recorder->top->bytes, 0);
    ts_recorder_pop(recorder, recorder->top);
}

/* 0 where a hook had just begun. */
static uint64_t cfa_of(const struct ts_shadow_entry *entry) {
    return entry->cfa & ~TS_AT_WORK;
}

/* The innermost entry whose frame is not below `least`, nor unknown. */
static struct ts_shadow_entry *skip_dead(const struct ts_recorder *recorder, uint64_t least) {
    struct ts_shadow_entry *entry = recorder->top;
    while (entry > recorder->floor && cfa_of(entry) < least)
        entry--;
    return entry;
}

/* No room for a call: an entry without a function, which no exit matches, stands for it and those that follow. */
static void overflow(struct ts_recorder *recorder, uint64_t cfa, uint64_t clock) {
    ts_window_count_lost(NULL, TS_LOST_MEMORY, 1, clock);
    if (recorder->overflow++ == 0) {
        push(recorder, 0, 0, cfa, clock, TS_POSITION_NONE);
        recorder->last = recorder->top;
    }
}

void ts_recorder_end_overflow(struct ts_recorder *recorder) {
    if (!recorder->overflow)
        return;
    recorder->overflow = 0;
    recorder->last = recorder->tracks[recorder->track].last;
    if (recorder->top > recorder->last)
        pop(recorder);
}

/* Bytes of a record with these values. */
static uint32_t record_bytes(const struct ts_record_values *values) {
    return (TS_VALUES_AT + values->count) * 4;
}

/* Room for the record has been made. Returns where it stands. */
static uint64_t write_values(struct ts_recorder *recorder, uint32_t type, uint64_t clock,
                             const struct ts_record_values *values) {
    uint64_t position = ts_cpu_reserve(&TS_CURSOR_OF(recorder)->next, record_bytes(values));
    ts_recorder_write_values(position, type, clock, values);
    recorder->tagged_end = position + record_bytes(values);
    recorder->other_words += ts_recorder_other_words(type, values);
    return position;
}

/* Level 2: what stands behind the ENTER of the innermost call. Room has been made. */
static void write_behind(struct ts_recorder *recorder) {
    const struct ts_shadow_entry *entry = recorder->top;
    int known = recorder->stack_frame && recorder->stack_cfa == entry->cfa &&
                recorder->stack_window == recorder->window_sequence;
    uint64_t position = ts_cpu_reserve(&TS_CURSOR_OF(recorder)->next, TS_BEHIND_BYTES);
    *(volatile ts_record_words *)position = known ? ts_recorder_behind(TS_RECORD_STACK, recorder->stack_frame)
                                                  : ts_recorder_behind(TS_RECORD_CALL_SITE, entry->site);
    recorder->other_words += TS_BEHIND_WORDS;
}

/* The ENTER record of the innermost call, signals blocked. */
static void write_enter(struct ts_recorder *recorder, uint64_t clock, const struct ts_record_values *values) {
    struct ts_shadow_entry *entry = recorder->top;
    entry->position = TS_POSITION_NONE;
    entry->bytes = 0;
    int refused = ts_recorder_make_room(
        recorder, (values ? record_bytes(values) : TS_ENTER_BYTES) + (uint32_t)ts_recorder_limits.behind_bytes, clock);
    if (refused) {
        entry->position = TS_POSITION_LOST;
        if (refused < 0)
            count_lost(recorder, clock);
        return;
    }
    /* The call begins now: what we needed for its record is not its time. */
    uint64_t now = ts_clock_now();
    if (now >> TS_EPOCH_SHIFT == recorder->epoch)
        entry->clock = clock = now;
    if (values) {
        entry->position = write_values(recorder, TS_RECORD_ENTER_WIDE, clock, values);
    } else {
        entry->position = ts_cpu_reserve(&TS_CURSOR_OF(recorder)->next, TS_ENTER_BYTES);
        *(volatile ts_record_words *)entry->position = ts_recorder_enter_word(entry->function, clock);
    }
    if (ts_recorder_limits.behind_bytes)
        write_behind(recorder);
}

static void write_exit(struct ts_recorder *recorder, uint64_t clock, const struct ts_record_values *values) {
    struct ts_shadow_entry *entry = recorder->top;
    if (entry->position == TS_POSITION_NONE) {
        pop(recorder);
        return;
    }
    /* Entered in a pause that is over: the header of the window that is taken now names it. */
    int refused = entry->position == TS_POSITION_LOST && !recorder->paused
                      ? -1
                      : ts_recorder_make_room(recorder, values ? record_bytes(values) : TS_EXIT_BYTES, clock);
    if (refused) {
        if (refused < 0 && recorder->lost)
            count_lost(recorder, clock);
        pop(recorder);
        return;
    }
    if (values) {
        write_values(recorder, TS_RECORD_RESULT, clock, values);
    } else {
        uint64_t position = ts_cpu_reserve(&TS_CURSOR_OF(recorder)->next, TS_EXIT_BYTES);
        *(volatile uint32_t *)position = ((uint32_t)clock & TS_CLOCK_FIELD) | TS_KIND_EXIT;
    }
    pop(recorder);
}

void ts_recorder_unwind_to(struct ts_recorder *recorder, struct ts_shadow_entry *keep, uint64_t clock,
                           enum ts_unwind_reason reason) {
    uint32_t count = 0;
    uint64_t next = TS_CURSOR_OF(recorder)->next;
    if (reason == TS_UNWIND_UNKNOWN && next && next == recorder->jump_next)
        reason = TS_UNWIND_JUMP;
    for (const struct ts_shadow_entry *entry = recorder->top; entry > keep; entry--)
        count += (uint32_t)ts_recorder_reader_has(entry);
    if (count) {
        struct ts_record_unwind record = {
            .head = TS_RECORD_UNWIND, .clock = ts_u64_of(clock), .count = count, .reason = reason};
        /* Room before the calls are gone: a new window's header still names them. The shadow stack does not move here.
         */
        if (ts_recorder_make_room(recorder, sizeof record, clock) == 0) {
            ts_recorder_write(recorder, &record.head, sizeof record / 4);
            recorder->unwound += count;
        }
    }
    if (keep < recorder->top)
        ts_recorder_end_overflow(recorder);
    while (recorder->top > keep)
        pop(recorder);
}

/*
 * Which open calls ended without their exit, seen at the ENTER of a call with this CFA: those of frames below it; at
 * the same CFA (functions inlined into one frame) those with another call site, since the frame is another one, and all
 * down to one that this very ENTER opened before. On top may be calls whose hook had only begun: alive, if a handler
 * enters now, unless what they lie on is dead.
 */
static struct ts_shadow_entry *alive_at_enter(const struct ts_recorder *recorder, uint64_t cfa, uint64_t site) {
    struct ts_shadow_entry *known = skip_dead(recorder, 1), *entry = skip_dead(recorder, cfa);
    while (entry > recorder->floor && cfa_of(entry) == cfa && (uint32_t)entry->site != (uint32_t)site)
        entry--;
    for (struct ts_shadow_entry *same = entry; same > recorder->floor && cfa_of(same) == cfa; same--)
        if (same->site == site)
            return same - 1;
    return entry == known ? recorder->top : entry;
}

uint64_t ts_recorder_stack_end(uint64_t stack, uint64_t clock) {
    struct ts_recorder_hold hold;
    struct ts_recorder *recorder;
    uint64_t end = (stack | 4095) + 1;
    if (ts_recorder_hold(&hold, &recorder, stack, 0, clock))
        return end;
    recorder = ts_recorder_attach(recorder, clock);
    if (recorder && !ts_recorder_knows_stack(recorder, stack)) {
        ts_recorder_settle(recorder);
        ts_recorder_stack_select(recorder, stack, clock);
    }
    if (recorder && ts_recorder_knows_stack(recorder, stack))
        end = recorder->stack_low + recorder->stack_bytes;
    ts_recorder_release(&hold, recorder);
    return end;
}

void ts_recorder_enter_slow(uint64_t function, uint64_t site, uint64_t cfa, uint64_t stack, uint64_t clock,
                            const struct ts_record_values *values) {
    struct ts_recorder *recorder = ts_this_recorder;
    if (recorder && ts_recorder_track_holds(&recorder->tracks[recorder->track], recorder->top) &&
        alive_at_enter(recorder, cfa, site) == recorder->top && recorder->top != recorder->last &&
        ts_recorder_knows_stack(recorder, stack)) {
        if (!within_limit(recorder)) {
            push(recorder, function, site, cfa, clock, TS_POSITION_NONE);
            return;
        }
        if (is_left_out(recorder, clock)) {
            push(recorder, function, site, cfa, clock, TS_POSITION_LOST);
            return;
        }
    }
    struct ts_recorder_hold hold;
    if (ts_recorder_hold(&hold, &recorder, cfa, 1, clock))
        return;
    recorder = ts_recorder_attach(recorder, clock);
    if (recorder) {
        ts_recorder_settle(recorder);
        if (!ts_recorder_knows_stack(recorder, stack) && ts_recorder_stack_select(recorder, stack, clock)) {
            ts_window_count_lost(NULL, TS_LOST_FOREIGN, 1, clock);
            ts_recorder_release(&hold, recorder);
            return;
        }
        struct ts_shadow_entry *alive = alive_at_enter(recorder, cfa, site);
        if (alive != recorder->top && ts_recorder_stack_is_elsewhere(recorder, stack, clock))
            alive = alive_at_enter(recorder, cfa, site);
        if (alive != recorder->top)
            ts_recorder_unwind_to(recorder, alive, clock, TS_UNWIND_UNKNOWN);
        if (recorder->top != recorder->last) {
            int limited = !within_limit(recorder);
            push(recorder, function, site, cfa, clock, TS_POSITION_NONE);
            if (!limited)
                write_enter(recorder, clock, values);
        } else {
            overflow(recorder, cfa, clock);
        }
    }
    ts_recorder_release(&hold, recorder);
}

/* The call is on the shadow stack; the window has no room for its record. */
void ts_recorder_enter_full(struct ts_recorder *recorder, uint64_t position, uint64_t cfa, uint64_t clock,
                            const struct ts_record_values *values) {
    struct ts_shadow_entry *entry = recorder->top;
    struct ts_recorder_hold hold;
    if (is_left_out(recorder, clock)) {
        if (entry->position <= TS_POSITION_WIDE) /* as below */
            TS_STORE(entry->position, TS_POSITION_LOST);
        TS_STORE(entry->bytes, 0);
        TS_STORE(entry->cfa, cfa);
        return;
    }
    if (ts_recorder_hold(&hold, &recorder, cfa, 2, clock)) { /* its exit is not written either */
        TS_STORE(entry->position, TS_POSITION_NONE);
        TS_STORE(entry->bytes, 0);
        TS_STORE(entry->cfa, cfa);
        return;
    }
    /* What was reserved in vain is given back, so that the window ends where its records do. */
    uint64_t bytes = (values ? record_bytes(values) : TS_ENTER_BYTES) + ts_recorder_limits.behind_bytes;
    int settled = entry->position > TS_POSITION_WIDE; /* by a handler */
    if (!settled)
        ts_cpu_replace(&TS_CURSOR_OF(recorder)->next, position + bytes, position);
    TS_STORE(entry->bytes, 0);
    TS_STORE(entry->cfa, cfa);
    if (!settled)
        write_enter(recorder, clock, values);
    ts_recorder_release(&hold, recorder);
}

void ts_recorder_exit_full(struct ts_recorder *recorder, uint64_t position, uint64_t clock,
                           const struct ts_record_values *values) {
    if (is_left_out(recorder, clock)) {
        pop(recorder);
        return;
    }
    struct ts_recorder_hold hold;
    if (ts_recorder_hold(&hold, &recorder, cfa_of(recorder->top), 1, clock)) {
        pop(recorder);
        return;
    }
    int settled = recorder->top->position & 1; /* by a handler */
    if (!settled)
        ts_cpu_replace(&TS_CURSOR_OF(recorder)->next, position + (values ? record_bytes(values) : TS_EXIT_BYTES),
                       position);
    TS_STORE(recorder->top->cfa, cfa_of(recorder->top));
    if (settled)
        pop(recorder);
    else
        write_exit(recorder, clock, values);
    ts_recorder_release(&hold, recorder);
}

void ts_recorder_exit_slow(uint64_t function, uint64_t frame, int tail, uint64_t clock,
                           const struct ts_record_values *values) {
    struct ts_recorder *recorder = ts_this_recorder;
    uint64_t least = frame + !tail; /* the CFA of the call that ends is not below this */
    struct ts_shadow_entry *entry = recorder ? recorder->top : NULL;
    if (entry && entry->function == function && (int64_t)entry->cfa >= (int64_t)least &&
        ts_recorder_knows_stack(recorder, frame - 8)) {
        if (entry->position == TS_POSITION_NONE) {
            pop(recorder);
            return;
        }
        if (entry->position == TS_POSITION_LOST && is_left_out(recorder, clock)) {
            pop(recorder);
            return;
        }
    }
    struct ts_recorder_hold hold;
    if (!ts_recorder_of_thread() || ts_recorder_hold(&hold, &recorder, frame, 1, clock))
        return;
    ts_recorder_settle(recorder);
    if (!ts_recorder_knows_stack(recorder, frame - 8) && ts_recorder_stack_select(recorder, frame - 8, clock)) {
        ts_window_count_lost(NULL, TS_LOST_FOREIGN, 1, clock);
        ts_recorder_release(&hold, recorder);
        return;
    }
    entry = skip_dead(recorder, least);
    if (entry != recorder->top && ts_recorder_stack_is_elsewhere(recorder, frame - 8, clock))
        entry = skip_dead(recorder, least);
    if (recorder->overflow && entry == recorder->top) {
        ts_window_count_lost(NULL, TS_LOST_MEMORY, 1, clock);
        if (--recorder->overflow == 0) {
            recorder->overflow = 1;
            ts_recorder_end_overflow(recorder);
        }
        ts_recorder_release(&hold, recorder);
        return;
    }
    /* Among the functions inlined into that frame, the innermost of this name; those inside it were unwound. */
    struct ts_shadow_entry *own = entry;
    while (own > recorder->floor && cfa_of(own) == cfa_of(entry) && own->function != function)
        own--;
    if (own > recorder->floor && cfa_of(own) == cfa_of(entry))
        entry = own;
    else
        own = NULL;
    if (entry != recorder->top)
        ts_recorder_unwind_to(recorder, entry, clock, TS_UNWIND_UNKNOWN);
    if (own)
        write_exit(recorder, clock, values);
    else
        __atomic_fetch_add(&ts_trace_map.header->misnested, 1, __ATOMIC_RELAXED);
    ts_recorder_release(&hold, recorder);
}

void ts_recorder_enter_slow_wide(uint64_t function, uint64_t site, uint64_t cfa, uint64_t stack, uint64_t clock) {
    uint32_t address[TS_VALUES_OF_ENTER] = {(uint32_t)function, (uint32_t)(function >> 32)};
    ts_recorder_enter_slow(function, site, cfa, stack, clock,
                           &(struct ts_record_values){.words = address, .count = TS_VALUES_OF_ENTER});
}

void ts_recorder_enter_full_wide(struct ts_recorder *recorder, uint64_t position, uint64_t cfa, uint64_t clock) {
    uint64_t function = recorder->top->function;
    uint32_t address[TS_VALUES_OF_ENTER] = {(uint32_t)function, (uint32_t)(function >> 32)};
    ts_recorder_enter_full(recorder, position, cfa, clock,
                           &(struct ts_record_values){.words = address, .count = TS_VALUES_OF_ENTER});
}
