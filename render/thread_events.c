#include "render/thread_events.h"

#include "render/crash.h"
#include "render/demangle.h"
#include "render/flag_names.h"
#include "render/memory.h"
#include "render/record.h"
#include "render/session_private.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* A return address is behind its call, which may be the last instruction of a function. */
static struct ts_function *function_of_site(struct ts_replay *replay, struct ts_u64 site, uint64_t clock) {
    return ts_function_cache_find(replay->cache, ts_record_u64(site) - 1, 0, clock);
}

struct moment_attributes {
    struct ts_attribute items[6];
    size_t count;
};

static void add(struct moment_attributes *attributes, const char *key, struct ts_value value) {
    attributes->items[attributes->count++] = (struct ts_attribute){key, value};
}

static void tell_moment_in(struct ts_replay *replay, struct ts_lane *lane, enum ts_moment_kind kind,
                           struct ts_object *object, uint64_t ns, const struct moment_attributes *attributes) {
    static const char *const names[TS_MOMENT_KINDS] = {[TS_MOMENT_CRASH] = "crash",
                                                       [TS_MOMENT_THROW] = "throw",
                                                       [TS_MOMENT_RETHROW] = "rethrow",
                                                       [TS_MOMENT_CATCH] = "catch",
                                                       [TS_MOMENT_TERMINATE] = "terminate",
                                                       [TS_MOMENT_JUMP] = "longjmp",
                                                       [TS_MOMENT_PAUSE] = "recording paused",
                                                       [TS_MOMENT_RESUME] = "recording resumed"};
    struct ts_functions *functions = replay->session->functions;
    struct ts_moment moment = {.kind = kind,
                               .function = ts_functions_intern_moment(functions, object, names[kind]),
                               .ns = ts_lane_time(lane, ns),
                               .is_error = kind == TS_MOMENT_TERMINATE,
                               .attributes = attributes->items,
                               .attribute_count = attributes->count};
    replay->sink.moment(replay->sink.context, &moment);
}

static void tell_moment(struct ts_replay *replay, struct ts_lane *lane, enum ts_moment_kind kind,
                        const struct ts_function *where, uint64_t ns, const struct moment_attributes *attributes) {
    tell_moment_in(replay, lane, kind, where->object, ns, attributes);
}

/* Those take exceptions before they end the program, and throw them again to say what they are. */
static bool is_runtime(const struct ts_function *function) {
    const char *scope = ts_function_scope(function);
    return !strncmp(scope, "libstdc++.", 10) || !strncmp(scope, "libc++abi.", 10);
}

/* Where it happens, as of a call: after ts_callers_before_moment, which found the site. */
static void add_site(const struct ts_callers *callers, struct ts_site *site, struct moment_attributes *attributes) {
    const char *at = site ? ts_site_at(callers->sites, site) : NULL;
    if (at)
        add(attributes, "at", ts_value_string(at));
    if (callers->text[0])
        add(attributes, "caller", ts_value_string(callers->text));
}

/* `text` gets the whole stack; NULL: nobody asks. */
static void add_place(struct ts_replay *replay, struct ts_lane *lane, const struct ts_event *event,
                      struct moment_attributes *attributes, struct ts_stack_text *text) {
    struct ts_callers *callers = replay->callers;
    struct ts_site *site = ts_callers_before_moment(callers, lane, &replay->sink, event->stack);
    add_site(callers, site, attributes);
    if (site && text)
        ts_callers_stack_text(callers, lane, site, replay->session->functions, text);
}

/* The detail of an exception's record; NULL: it has none. */
static const struct ts_record_exception_detail *detail_of(const struct ts_event *event) {
    size_t bytes = (size_t)(event->end - event->at) * sizeof(*event->at);
    return bytes < sizeof(struct ts_record_exception_detail) ? NULL : (const void *)event->at;
}

/* `bytes` of text at `offset` of the record, as far as it has them; NULL: none. */
static char *text_of(const struct ts_event *event, uint64_t offset, uint32_t bytes) {
    uint64_t room = (uint64_t)(event->end - event->at) * sizeof(*event->at);
    if (offset > room || bytes > room - offset)
        return NULL;
    return bytes ? ts_memory_copy((const char *)event->at + offset, bytes) : NULL;
}

/* The type as a person reads it. Demangled once for all that follow in a row. */
static char *type_of(struct ts_replay *replay, const struct ts_event *event,
                     const struct ts_record_exception_detail *record) {
    char *name = text_of(event, sizeof(*record), record->type_bytes);
    if (!name || record->flags & (TS_EXCEPTION_FOREIGN | TS_EXCEPTION_TYPE_CUT)) {
        char *cut = name && record->flags & TS_EXCEPTION_TYPE_CUT ? ts_memory_text("%s…", name) : NULL;
        if (cut)
            free(name);
        return cut ? cut : name;
    }
    if (!replay->type_name || strcmp(replay->type_name, name) != 0) {
        free(replay->type_name);
        free(replay->type);
        replay->type_name = name;
        replay->type = ts_demangle_type(name);
    } else {
        free(name);
    }
    return ts_memory_copy(replay->type, strlen(replay->type));
}

/* What is kept of the stack of a throw. What the run-time library throws again was thrown elsewhere. */
static char *stack_of(const struct ts_replay *replay, const struct ts_function *site, bool again,
                      const struct ts_stack_text *stack) {
    if (again && is_runtime(site) && replay->handled_stack)
        return ts_memory_copy(replay->handled_stack, strlen(replay->handled_stack));
    return stack->used ? ts_memory_copy(stack->text, stack->used) : NULL;
}

void ts_event_throw(struct ts_replay *replay, struct ts_lane *lane, const struct ts_event *event) {
    const struct ts_record_exception_detail *record = detail_of(event);
    if (!record) {
        ts_lane_throw(lane, &(struct ts_thrown){.header = 0});
        return;
    }
    struct moment_attributes attributes = {.count = 0};
    struct ts_stack_text stack = {.used = 0};
    bool again = record->flags & TS_EXCEPTION_RETHROWN;
    struct ts_function *site = function_of_site(replay, record->site, event->clock);
    char *type = type_of(replay, event, record);
    char *message = text_of(event, sizeof(*record) + (uint64_t)record->type_bytes, record->message_bytes);
    if (type)
        add(&attributes, "exception.type", ts_value_string(type));
    if (message)
        add(&attributes, "exception.message", ts_value_string(message));
    if (replay->sink.moment) {
        add(&attributes, "from", ts_value_string(ts_function_name(site)));
        add_place(replay, lane, event, &attributes, &stack);
        tell_moment(replay, lane, again ? TS_MOMENT_RETHROW : TS_MOMENT_THROW, site, event->ns, &attributes);
    }
    if (record->flags & TS_EXCEPTION_UNTRACKED) {
        free(type);
        free(message);
    } else {
        ts_lane_throw(lane, &(struct ts_thrown){.header = ts_record_u64(record->header),
                                                .type = type,
                                                .message = message,
                                                .stack = stack_of(replay, site, again, &stack)});
    }
}

/* Where the run-time library takes an exception that has found no catcher, before it ends the program. */
static bool ends_program(const char *catcher) {
    static const char *const names[] = {"__cxa_throw", "__cxa_rethrow", "__cxa_call_terminate",
                                        "__clang_call_terminate", "std::rethrow_exception"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(catcher, names[i]))
            return true;
    return false;
}

void ts_event_forget(struct ts_replay *replay) {
    free(replay->handled_type);
    free(replay->handled_message);
    free(replay->handled_stack);
    replay->handled_type = replay->handled_message = replay->handled_stack = NULL;
}

/* A run-time library that catches an exception may be about to end the program: from where, its symbols need not tell.
 */
static void note_handled(struct ts_replay *replay, struct ts_function *catcher, const struct ts_thrown *thrown) {
    ts_event_forget(replay);
    if (!thrown || !thrown->type || (!is_runtime(catcher) && !ends_program(ts_function_name(catcher))))
        return;
    replay->handled_type = ts_memory_copy(thrown->type, strlen(thrown->type));
    replay->handled_message = thrown->message ? ts_memory_copy(thrown->message, strlen(thrown->message)) : NULL;
    replay->handled_stack = thrown->stack ? ts_memory_copy(thrown->stack, strlen(thrown->stack)) : NULL;
}

size_t ts_event_fatal(const struct ts_replay *replay, uint32_t signal, struct ts_attribute *attributes) {
    size_t count = 0;
    if (signal != SIGABRT || !replay->handled_type)
        return 0;
    attributes[count++] = (struct ts_attribute){"exception.type", ts_value_string(replay->handled_type)};
    if (replay->handled_message)
        attributes[count++] = (struct ts_attribute){"exception.message", ts_value_string(replay->handled_message)};
    if (replay->handled_stack)
        attributes[count++] = (struct ts_attribute){"exception.stack", ts_value_string(replay->handled_stack)};
    return count;
}

bool ts_event_ends_program(struct ts_replay *replay, const struct ts_event *event) {
    const struct ts_record_exception_detail *record = detail_of(event);
    return record && ends_program(ts_function_name(function_of_site(replay, record->site, event->clock)));
}

void ts_event_catch(struct ts_replay *replay, struct ts_lane *lane, const struct ts_event *event) {
    const struct ts_record_exception_detail *record = detail_of(event);
    if (!record) {
        ts_lane_catch(lane, 0);
        return;
    }
    uint64_t header = ts_record_u64(record->header);
    if (replay->sink.moment) {
        struct ts_function *site = function_of_site(replay, record->site, event->clock);
        const struct ts_thrown *thrown = ts_lane_thrown(lane, header);
        struct moment_attributes attributes = {.count = 0};
        note_handled(replay, site, thrown);
        bool is_end = ends_program(ts_function_name(site));
        if (thrown && thrown->type)
            add(&attributes, "exception.type", ts_value_string(thrown->type));
        if (thrown && thrown->message && is_end)
            add(&attributes, "exception.message", ts_value_string(thrown->message));
        if (!is_end)
            add(&attributes, "in", ts_value_string(ts_function_name(site)));
        if (is_end && thrown && thrown->stack)
            add(&attributes, "stack", ts_value_string(thrown->stack));
        add_place(replay, lane, event, &attributes, NULL);
        tell_moment(replay, lane, is_end ? TS_MOMENT_TERMINATE : TS_MOMENT_CATCH, site, event->ns, &attributes);
    }
    ts_lane_catch(lane, header);
}

void ts_event_jump(struct ts_replay *replay, struct ts_jump *jump, struct ts_lane *lane, const struct ts_event *event) {
    *jump = (struct ts_jump){.lane = lane, .clock = event->clock, .ns = event->ns};
    if (replay->sink.moment)
        jump->site = ts_callers_before_moment(replay->callers, lane, &replay->sink, event->stack);
    memcpy(&jump->record, event->at, sizeof jump->record);
}

/* Names of left calls that are listed. */
#define LEFT_MOST 16

static void tell_jump(struct ts_replay *replay, const struct ts_jump *jump, uint64_t left) {
    struct ts_functions *functions = replay->session->functions;
    const struct ts_lane *lane = jump->lane;
    struct moment_attributes attributes = {.count = 0};
    struct ts_value names[LEFT_MOST + 1];
    size_t count = 0;
    struct ts_function *site = function_of_site(replay, jump->record.site, jump->clock);
    for (size_t depth = lane->depth; left && depth && count < LEFT_MOST; left--)
        names[count++] = ts_value_string(ts_function_name(ts_functions_at(functions, lane->calls[--depth].function)));
    if (left && count)
        names[count++] = ts_value_string("…");
    add(&attributes, "value", (struct ts_value){.kind = TS_VALUE_INTEGER, .integer = jump->record.value});
    add(&attributes, "from", ts_value_string(ts_function_name(site)));
    add_site(replay->callers, jump->site, &attributes);
    if (count)
        add(&attributes, "left", (struct ts_value){.kind = TS_VALUE_LIST, .list = {names, count}});
    tell_moment(replay, jump->lane, TS_MOMENT_JUMP, site, jump->ns, &attributes);
}

/* Calls that the records from `at` on say were left by a jump. */
static uint64_t left_by_jump(const uint32_t *at, const uint32_t *end) {
    uint32_t words;
    while (at < end && ts_record_at(at, end, &words) == TS_WORD_TAGGED) {
        if (TS_HEAD_TYPE(*at) == TS_RECORD_UNWIND) {
            const struct ts_record_unwind *unwind = (const void *)at;
            return unwind->reason == TS_UNWIND_JUMP ? unwind->count : 0;
        }
        if (TS_HEAD_TYPE(*at) != TS_RECORD_TIME && TS_HEAD_TYPE(*at) != TS_RECORD_CLOCK_PAIR &&
            TS_HEAD_TYPE(*at) != TS_RECORD_STACK)
            break;
        at = ts_record_skip_holes(at + words, end);
    }
    return 0;
}

void ts_event_tell_jump(struct ts_replay *replay, struct ts_jump *jump, const struct ts_lane *lane, const uint32_t *at,
                        const uint32_t *end) {
    if (!jump->lane)
        return;
    if (replay->sink.moment && jump->lane == lane)
        tell_jump(replay, jump, left_by_jump(at, end));
    jump->lane = NULL;
}

/* What stands behind the ENTER_WIDE, zero where it ends sooner. Returns how many words there were. */
static size_t signal_arguments(const struct ts_event *event, struct ts_signal_arguments *arguments) {
    const uint32_t *at = event->at + sizeof(struct ts_record_enter_wide) / sizeof(*event->at);
    size_t words = at < event->end ? (size_t)(event->end - at) : 0;
    size_t most = sizeof *arguments / sizeof(*at);
    memset(arguments, 0, sizeof *arguments);
    memcpy(arguments, at, (words < most ? words : most) * sizeof(*at));
    return words < most ? words : most;
}

static struct ts_function *handler_of(struct ts_replay *replay, const struct ts_function *stub, uint64_t clock) {
    return ts_function_cache_find(replay->cache, stub->address, 0, clock);
}

struct ts_function *ts_event_signal(struct ts_replay *replay, struct ts_function *stub, const struct ts_event *event) {
    struct ts_signal_arguments arguments;
    char name[TS_FLAG_NAMES_BYTES];
    if (!signal_arguments(event, &arguments))
        return stub;
    ts_flag_signal(name, arguments.signal);
    return ts_functions_intern_hooked(replay->session->functions, handler_of(replay, stub, event->clock)->object,
                                      stub->address, name, "", "", TS_HOOK_HANDLES_SIGNALS);
}

static void tell(struct ts_replay *replay, const char *key, struct ts_value value) {
    replay->sink.attribute(replay->sink.context, &(struct ts_attribute){key, value});
}

void ts_event_signal_tell(struct ts_replay *replay, struct ts_function *signal, const struct ts_event *event) {
    struct ts_signal_arguments arguments;
    char address[24];
    if (!replay->sink.attribute)
        return;
    tell(replay, "handler", ts_value_string(ts_function_name(handler_of(replay, signal, event->clock))));
    if (signal_arguments(event, &arguments) < sizeof arguments / sizeof(uint32_t))
        return;
    const char *code = ts_crash_code_name(arguments.signal, arguments.code);
    if (code)
        tell(replay, "code", ts_value_word(code));
    else
        tell(replay, "code", (struct ts_value){.kind = TS_VALUE_INTEGER, .integer = arguments.code});
    if (arguments.sender_pid)
        tell(replay, "sender", (struct ts_value){.kind = TS_VALUE_INTEGER, .integer = arguments.sender_pid});
    if (ts_record_u64(arguments.address)) {
        snprintf(address, sizeof address, "0x%" PRIx64, ts_record_u64(arguments.address));
        tell(replay, "address", ts_value_word(address));
    }
}

void ts_event_pause(struct ts_replay *replay, struct ts_lane *lane, enum ts_moment_kind kind, uint64_t ns) {
    if (!replay->sink.moment)
        return;
    ts_lane_leave_frames(lane, &replay->sink);
    struct ts_object *object = ts_functions_object(replay->session->functions, "traceshim", NULL, 0);
    tell_moment_in(replay, lane, kind, object, ns, &(struct moment_attributes){.count = 0});
}
