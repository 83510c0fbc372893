#include "collector/process.h"
#include "collector/recorder_attach.h"
#include "collector/recorder_hold.h"
#include "collector/recorder_private.h"
#include "collector/recorder_tracks.h"
#include "collector/system.h"
#include "collector/text.h"

#include <signal.h>
#include <sys/auxv.h>

#define PAGE UINT64_C(4096)
#define PAGE_OF(address) ((address) & ~(PAGE - 1))
/* pthread stacks have at least 16 KiB, the thread's own data included. */
#define THREAD_STACK_SURE (8u << 10)
#define MAIN_STACK_MOST (UINT64_C(1) << 36)
/* Frames larger than this are taken for a jump to another stack: on the thread's own, and where bounds are guessed. */
#define OWN_STEP (1u << 20)
#define GUESSED_STEP (16u << 10)

/* Beside numbers of tracks, what `locate` answers. */
#define TRACK_ALTERNATE (TS_TRACK_NONE - 1)
#define TRACK_FOREIGN (TS_TRACK_NONE - 2)

/* Not so a forked child, which has not taken the recorder over yet. */
int ts_recorder_is_foreign(const struct ts_recorder *recorder) {
    return !ts_system_forbidden && recorder->process == ts_process->number &&
           ts_process_fresh->pid == (uint64_t)recorder->pid && ts_system_gettid() != recorder->tid;
}

/* How far down from `from`, where a page begins, all pages can be read, as those of one stack can. */
static uint64_t readable_down_to(uint64_t from, uint64_t least) {
    while (from > least && (ts_system_forbidden || ts_system_readable((const void *)(from - PAGE))))
        from -= PAGE;
    return from;
}

/* The main thread's stack ends just above the strings that the kernel put there, and grows down to its limit. */
static void find_main_stack(uint64_t *low, uint64_t *bytes) {
    uint64_t last_string = getauxval(AT_EXECFN);
    uint64_t end = last_string ? PAGE_OF(last_string + ts_text_length((const char *)last_string) + 9 + PAGE - 1) : 0;
    uint64_t most = 8u << 20;
    if (ts_recorder_memory.main_stack > most)
        most = ts_recorder_memory.main_stack < MAIN_STACK_MOST ? ts_recorder_memory.main_stack : MAIN_STACK_MOST;
    most += 1u << 20;
    *low = end > most ? PAGE_OF(end - most) : 0;
    *bytes = end - *low;
}

static int is_main(const struct ts_recorder *recorder) {
    return recorder->tid == recorder->pid;
}

/*
 * The thread's own stack goes on below what is known of it: whether `address` lies there. Stacks have a page between
 * them that cannot be read. Where it can, twice as much is taken as known, so that this is asked rarely.
 */
static int extend_own(struct ts_recorder *recorder, uint64_t address, uint64_t step) {
    struct ts_track *own = recorder->tracks;
    struct ts_stack other;
    uint64_t low = PAGE_OF(address);
    if (address >= own->stack_low || own->stack_low - address > step || readable_down_to(own->stack_low, low) > low)
        return 0;
    uint64_t ahead = own->stack_bytes < OWN_STEP ? own->stack_bytes : OWN_STEP;
    for (; ahead >= PAGE && !is_main(recorder) && !ts_system_forbidden; ahead -= PAGE, low -= PAGE)
        if (ts_stacks_find(low - PAGE, &other) == 0 || !ts_system_readable((const void *)(low - PAGE)))
            break;
    own->stack_bytes += own->stack_low - low;
    own->stack_low = low;
    return 1;
}

/* What is noted inside the thread's own stack: an array in a frame, unless it is older than the thread. */
static int has_ended(const struct ts_recorder *recorder, const struct ts_stack *stack) {
    const struct ts_track *own = recorder->tracks;
    return stack->low < own->stack_low + own->stack_bytes && own->stack_low < stack->low + stack->bytes &&
           (stack->stamp <= recorder->stack_stamp || stack->stamp & TS_STACK_GUESSED);
}

static int find_stack(const struct ts_recorder *recorder, uint64_t address, struct ts_stack *stack) {
    return ts_stacks_find(address, stack) == 0 && !has_ended(recorder, stack);
}

/* What the kernel says. Returns whether a handler runs on it now. */
static int ask_alternate(struct ts_recorder *recorder) {
    stack_t alternate = {.ss_flags = SS_DISABLE};
    if (ts_system_forbidden || ts_system_failed(ts_system_sigaltstack(NULL, &alternate)))
        return 0;
    recorder->alternate_known = 1;
    recorder->alternate_stamp = ts_stacks_newest();
    recorder->alternate_low = (uint64_t)alternate.ss_sp;
    recorder->alternate_bytes = alternate.ss_flags & SS_DISABLE ? 0 : alternate.ss_size;
    return !!(alternate.ss_flags & SS_ONSTACK);
}

void ts_recorder_set_alternate(uint64_t low, uint64_t bytes) {
    struct ts_recorder *recorder = ts_recorder_of_thread();
    if (!recorder)
        return;
    recorder->alternate_known = 1;
    recorder->alternate_stamp = ts_stacks_newest();
    recorder->alternate_low = low;
    recorder->alternate_bytes = bytes;
}

/* Whether `address` is on the alternate stack. A stack that was noted since has taken the place of one given up. */
static int alternate_holds(struct ts_recorder *recorder, uint64_t address, const struct ts_stack *noted) {
    if (!recorder->alternate_known)
        ask_alternate(recorder);
    return address - recorder->alternate_low < recorder->alternate_bytes &&
           (!noted || noted->stamp <= recorder->alternate_stamp);
}

int ts_recorder_stack_start(struct ts_recorder *recorder) {
    uint64_t address = (uint64_t)__builtin_frame_address(0);
    uint64_t low = PAGE_OF(recorder->thread_pointer) - THREAD_STACK_SURE, bytes = recorder->thread_pointer - low;
    uint64_t room = ts_recorder_memory.thread_stack;
    struct ts_stack stack;
    if (is_main(recorder)) {
        find_main_stack(&low, &bytes);
        room = bytes;
    }
    recorder->stack_stamp = is_main(recorder) ? 0 : ts_stacks_newest();
    recorder->alternate_known = 0;
    recorder->on_alternate = 0;
    recorder->handler_track = recorder->handler_from = TS_TRACK_NONE;
    recorder->overflow = 0;
    recorder->track = 0;
    if (ts_recorder_tracks_start(recorder, low, bytes, room))
        return -1;
    struct ts_track *own = recorder->tracks;
    if (!is_main(recorder) && address - low >= bytes && !extend_own(recorder, address, room) &&
        ts_stacks_find(address, &stack) && !alternate_holds(recorder, address, NULL)) {
        /* A thread that was not made by pthread: of its stack only this page is sure. */
        own->stack_low = PAGE_OF(address);
        own->stack_bytes = PAGE;
    }
    recorder->top = recorder->floor = own->first;
    recorder->last = own->last;
    recorder->stack_low = own->stack_low;
    recorder->stack_bytes = own->stack_bytes;
    return 0;
}

static void set_current(struct ts_recorder *recorder, uint32_t index, uint64_t clock) {
    struct ts_track *track = &recorder->tracks[index];
    struct ts_record_switch record = {
        .head = TS_RECORD_SWITCH,
        .clock = ts_u64_of(clock),
        .track = track->number,
        .kind = index ? TS_SWITCH_CONTEXT : TS_SWITCH_THREAD_STACK,
        .depth = ts_u64_of((uint64_t)(track->top - track->first)),
    };
    if (ts_recorder_make_room(recorder, sizeof record, clock) == 0)
        ts_recorder_write(recorder, &record.head, sizeof record / 4);
    ts_recorder_end_overflow(recorder);
    recorder->tracks[recorder->track].top = recorder->top;
    recorder->track = index;
    recorder->top = track->top;
    recorder->floor = track->first;
    recorder->last = track->last;
    recorder->stack_low = track->stack_low;
    recorder->stack_bytes = track->stack_bytes;
    recorder->on_alternate = 0;
    recorder->handler_from = TS_TRACK_NONE;
}

/*
 * Below the handler's calls. They are told by their frames: a hook that it interrupted goes on when it has returned,
 * and then adds or removes a call of its own at any number.
 */
static struct ts_shadow_entry *below_handler(const struct ts_recorder *recorder, struct ts_shadow_entry *top) {
    const struct ts_shadow_entry *first = recorder->tracks[recorder->handler_track].first;
    for (; top > first; top--) {
        uint64_t cfa = top->cfa & ~TS_AT_WORK;
        if (cfa && cfa - recorder->handler_low - 1 >= recorder->handler_bytes)
            break;
    }
    return top;
}

/* The handler's calls lie on those that it interrupted, in the same track. */
static void run_handler(struct ts_recorder *recorder) {
    recorder->on_alternate = 1;
    recorder->floor = below_handler(recorder, recorder->top);
    recorder->stack_low = recorder->handler_low;
    recorder->stack_bytes = recorder->handler_bytes;
}

static void begin_handler(struct ts_recorder *recorder) {
    recorder->handler_track = recorder->track;
    recorder->handler_low = recorder->alternate_low;
    recorder->handler_bytes = recorder->alternate_bytes;
    run_handler(recorder);
}

/* The handler has returned or jumped out; its track is the current one. */
static void end_handler(struct ts_recorder *recorder, uint64_t clock) {
    const struct ts_track *track = &recorder->tracks[recorder->track];
    ts_recorder_unwind_to(recorder, below_handler(recorder, recorder->top), clock, TS_UNWIND_UNKNOWN);
    recorder->handler_track = recorder->handler_from = TS_TRACK_NONE;
    recorder->on_alternate = 0;
    recorder->floor = track->first;
    recorder->stack_low = track->stack_low;
    recorder->stack_bytes = track->stack_bytes;
}

/* Whether a frame at `address` lies below the innermost call of the handler that left the alternate stack. */
static int is_below_handler(const struct ts_recorder *recorder, uint64_t address) {
    struct ts_shadow_entry *top = recorder->tracks[recorder->handler_track].top;
    const struct ts_shadow_entry *floor = below_handler(recorder, top);
    while (top > floor && ts_recorder_is_at_work(top))
        top--;
    return top > floor && address < top->cfa;
}

/*
 * An event on the alternate stack, which was not the current one: of a new handler; or of one that had left it by a
 * switch to another stack (swapcontext) and has come back. The stack that runs, at least, is not the one that the
 * handler interrupted: that one's first event has told that the handler is over.
 */
static void enter_alternate(struct ts_recorder *recorder, uint64_t address, uint64_t clock) {
    uint32_t from = recorder->track;
    if (recorder->handler_track != TS_TRACK_NONE) {
        int comes_back = is_below_handler(recorder, address);
        if (recorder->handler_track != from)
            set_current(recorder, recorder->handler_track, clock);
        if (comes_back) {
            run_handler(recorder);
            recorder->handler_from = from;
            recorder->handler_next = TS_CURSOR_OF(recorder)->next;
            return;
        }
        end_handler(recorder, clock);
        if (recorder->track != from)
            set_current(recorder, from, clock);
    }
    begin_handler(recorder);
}

/*
 * A stack that nobody announced. A guessed one that ends shortly above goes on here, if what lies between can be read;
 * else this page is the top of another. What is known otherwise is left out.
 */
static int guess_stack(const struct ts_recorder *recorder, uint64_t address, struct ts_stack *stack) {
    uint64_t low = PAGE_OF(address), above = low + PAGE;
    struct ts_stack other;
    if (ts_system_forbidden || ts_stacks_find(above - 1, &other) == 0)
        return -1;
    if (ts_stacks_find(low, &other) == 0)
        low = other.low + other.bytes;
    while (above - address < GUESSED_STEP && !find_stack(recorder, above, stack))
        above += PAGE;
    if (find_stack(recorder, above, stack) && stack->stamp & TS_STACK_GUESSED &&
        readable_down_to(stack->low, PAGE_OF(address)) == PAGE_OF(address)) {
        ts_stacks_extend(stack, low);
        return 0;
    }
    return ts_stacks_guess(low, PAGE_OF(address) + PAGE - low, stack);
}

/*
 * The track of the stack that holds `address`, made if need be; *stack is that stack, known already or not (`known`),
 * but for track 0. TS_TRACK_NONE: there is no memory, or it is not a time for system calls.
 */
static uint32_t locate(struct ts_recorder *recorder, uint64_t address, int known, struct ts_stack *stack) {
    if (known) {
        uint32_t index = ts_recorder_tracks_find(recorder, stack);
        if (index != TS_TRACK_NONE && recorder->tracks[index].stamp == stack->stamp)
            return index;
    } else if (address - recorder->tracks->stack_low < recorder->tracks->stack_bytes) {
        return 0;
    }
    if (ts_recorder_is_foreign(recorder))
        return TRACK_FOREIGN;
    int may_have_ended = !known || stack->stamp & TS_STACK_GUESSED || stack->stamp <= recorder->stack_stamp;
    if (may_have_ended && extend_own(recorder, address, OWN_STEP))
        return 0;
    if (!known) {
        if (ask_alternate(recorder) && address - recorder->alternate_low < recorder->alternate_bytes)
            return TRACK_ALTERNATE;
        if (guess_stack(recorder, address, stack))
            return TS_TRACK_NONE;
    }
    uint32_t index = ts_recorder_tracks_find(recorder, stack);
    return index != TS_TRACK_NONE || ts_system_forbidden ? index : ts_recorder_tracks_add(recorder, stack);
}

/* The current track's stack runs, with the bounds that it has now. Calls of one that was there before it are dead. */
static void use_stack(struct ts_recorder *recorder, const struct ts_stack *stack, uint64_t clock) {
    struct ts_track *track = &recorder->tracks[recorder->track];
    if (recorder->track && track->stamp != stack->stamp) {
        ts_recorder_unwind_to(recorder, track->first, clock, TS_UNWIND_UNKNOWN);
        ts_recorder_tracks_renew(track, stack);
        recorder->top = recorder->floor = track->first;
        recorder->last = track->last;
    } else if (recorder->track) {
        track->stack_low = stack->low;
        track->stack_bytes = stack->bytes;
    }
    recorder->stack_low = track->stack_low;
    recorder->stack_bytes = track->stack_bytes;
}

/* The top is another track's, and given back to it. Entries above the own one have neither CFA nor position. */
static void repair_top(struct ts_recorder *recorder) {
    struct ts_track *track = &recorder->tracks[recorder->track];
    struct ts_shadow_entry *stray = recorder->top, *top = track->first;
    for (uint32_t i = 0; i < recorder->track_count; i++)
        if (ts_recorder_track_holds(&recorder->tracks[i], stray))
            recorder->tracks[i].top = stray;
    while (top < track->last && (top[1].cfa || top[1].position))
        top++;
    recorder->top = top;
}

void ts_recorder_stack_check(struct ts_recorder *recorder) {
    if (!ts_recorder_track_holds(&recorder->tracks[recorder->track], recorder->top))
        repair_top(recorder);
    if (recorder->on_alternate)
        recorder->floor = below_handler(recorder, recorder->top);
}

void ts_recorder_recover(struct ts_recorder *recorder) {
    struct ts_cursor *cursor = TS_CURSOR_OF(recorder);
    ts_recorder_lose_window(recorder);
    ts_cursor_set_limit(cursor, 0);
    cursor->base = 0;
    cursor->next = 0;
    if (!ts_recorder_track_holds(&recorder->tracks[recorder->track], recorder->top))
        repair_top(recorder);
    const struct ts_track *track = &recorder->tracks[recorder->track];
    recorder->overflow = 0;
    recorder->last = track->last;
    recorder->floor = track->first;
    recorder->stack_low = track->stack_low;
    recorder->stack_bytes = track->stack_bytes;
    recorder->on_alternate = 0;
    recorder->handler_track = recorder->handler_from = TS_TRACK_NONE;
}

int ts_recorder_stack_select(struct ts_recorder *recorder, uint64_t address, uint64_t clock) {
    struct ts_stack stack;
    int known = find_stack(recorder, address, &stack);
    if (!recorder->on_alternate && alternate_holds(recorder, address, known ? &stack : NULL)) {
        enter_alternate(recorder, address, clock);
        return 0;
    }
    uint32_t index = locate(recorder, address, known, &stack);
    if (index == TRACK_FOREIGN)
        return -1;
    if (index == TRACK_ALTERNATE) {
        enter_alternate(recorder, address, clock);
        return 0;
    }
    if (recorder->on_alternate && below_handler(recorder, recorder->top) == recorder->top)
        end_handler(recorder, clock); /* it has no call that could go on */
    if (index != TS_TRACK_NONE && index != recorder->track)
        set_current(recorder, index, clock); /* a handler that was running may come back */
    if (recorder->handler_track == recorder->track)
        end_handler(recorder, clock);
    if (index != TS_TRACK_NONE)
        use_stack(recorder, &stack, clock);
    return 0;
}

int ts_recorder_stack_is_elsewhere(struct ts_recorder *recorder, uint64_t address, uint64_t clock) {
    const struct ts_track *track = &recorder->tracks[recorder->track];
    struct ts_stack stack;
    if (recorder->on_alternate) {
        uint32_t from = recorder->handler_from;
        if (from == TS_TRACK_NONE || recorder->handler_next != TS_CURSOR_OF(recorder)->next)
            return 0;
        /* One that comes back begins with its innermost call alive: another one has begun in its place. */
        end_handler(recorder, clock);
        set_current(recorder, from, clock);
        begin_handler(recorder);
        return 1;
    }
    int known = find_stack(recorder, address, &stack);
    if (alternate_holds(recorder, address, known ? &stack : NULL)) {
        enter_alternate(recorder, address, clock);
        return 1;
    }
    if (!known || (stack.low == track->stack_low && stack.bytes == track->stack_bytes))
        return 0;
    ts_recorder_stack_select(recorder, address, clock);
    return 1;
}
