#include "render/callers.h"

#include "render/memory.h"
#include "render/record.h"

#include <stdlib.h>
#include <string.h>

struct ts_callers *ts_callers_new(struct ts_sites *sites) {
    struct ts_callers *callers = ts_memory_new(1, sizeof *callers);
    callers->sites = sites;
    return callers;
}

void ts_callers_free(struct ts_callers *callers) {
    free(callers->frames);
    free(callers);
}

void ts_callers_begin_window(struct ts_callers *callers) {
    callers->window++;
}

void ts_callers_begin_process(struct ts_callers *callers) {
    callers->frame_count = 0;
}

static struct ts_site *site_at(struct ts_callers *callers, struct ts_function_cache *cache, uint64_t address,
                               int low_bits_only, uint64_t clock) {
    uint64_t full = address;
    const struct ts_module *module = ts_module_map_find(cache->modules, address, low_bits_only, clock, &full);
    return module ? ts_sites_find(callers->sites, module->object, full - module->bias)
                  : ts_sites_find(callers->sites, NULL, address);
}

/* Of a CALL_SITE: the same few addresses come with nearly every call. */
static struct ts_site *call_site_at(struct ts_callers *callers, struct ts_function_cache *cache, uint32_t address,
                                    uint64_t clock) {
    if (clock >= cache->next_change)
        ts_function_cache_advance(cache, clock);
    struct ts_callers_slot *slot = &callers->slots[(address * UINT32_C(0x9e3779b9)) >> 22]; /* Fibonacci hashing */
    if (slot->site && slot->address == address && slot->epoch == cache->epoch)
        return slot->site;
    *slot = (struct ts_callers_slot){address, site_at(callers, cache, address, 1, clock), cache->epoch};
    return slot->site;
}
_Static_assert(TS_CALLERS_SLOTS == 1u << (32 - 22), "the hash's upper bits are the index");

/* What the window has told of this number; NULL: nothing. */
static struct ts_callers_frame *frame_of(struct ts_callers *callers, uint32_t number) {
    if (number < TS_FRAME_NUMBERS || number >= callers->frame_count ||
        callers->frames[number].window != callers->window)
        return NULL;
    return &callers->frames[number];
}

void ts_callers_add(struct ts_callers *callers, const struct ts_record_frame *record, struct ts_function_cache *cache,
                    uint64_t clock) {
    uint32_t number = record->frame;
    if (number < TS_FRAME_NUMBERS || number >= TS_FRAME_NUMBERS_END)
        return;
    if (number >= callers->frame_count) {
        size_t need = (size_t)number + 1;
        callers->frames = ts_memory_grow(callers->frames, &callers->frame_capacity, need, sizeof *callers->frames);
        memset(callers->frames + callers->frame_count, 0, (need - callers->frame_count) * sizeof *callers->frames);
        callers->frame_count = need;
    }
    const struct ts_callers_frame *outer = frame_of(callers, record->outer);
    struct ts_callers_frame *frame = &callers->frames[number];
    struct ts_callers_frame now = {.window = callers->window,
                                   .outer = record->outer,
                                   .address = ts_record_u64(record->address),
                                   .outer_identity = outer ? outer->identity : 0};
    now.site = site_at(callers, cache, now.address, 0, clock);
    int same = frame->window && frame->site == now.site && frame->outer == now.outer &&
               frame->outer_identity == now.outer_identity;
    now.identity = same ? frame->identity : ++callers->identities;
    *frame = now;
}

/* Of libc or the loader: what runs before main and around a thread's function. */
static int is_start_code(const struct ts_object *object) {
    return object && (!strncmp(object->scope, "libc.so", 7) || !strncmp(object->scope, "libc-", 5) ||
                      !strncmp(object->scope, "libpthread", 10) || !strncmp(object->scope, "ld-", 3));
}

/* Stubs of the recorder call handlers. */
static int is_recorder(const struct ts_object *object) {
    return object && object->is_recorder;
}

/* How many of the outermost frames come before main, or before the function that a thread was made for. */
static size_t count_start(const struct ts_lane_frame *frames, size_t count) {
    size_t start = 0;
    for (size_t i = 0; i < count && i < 8; i++)
        if (!strcmp(ts_function_name(frames[i].function), "main"))
            return i;
    if (count > 1 && !is_start_code(frames[0].function->object) && is_start_code(frames[1].function->object))
        start = 1; /* the program's _start */
    while (start < count && is_start_code(frames[start].function->object))
        start++;
    return start < count ? start : 0;
}

/* The functions of the stack from frame `number` on, into callers->found. */
static void find_functions(struct ts_callers *callers, uint32_t number) {
    size_t first = TS_CALLERS_MOST, frames = 0;
    struct ts_callers_frame *frame;
    uint32_t around = number;
    for (; (frame = frame_of(callers, around)) && frames < TS_CALLERS_MOST; frames++) {
        size_t count;
        struct ts_function *const *functions;
        around = frame->outer;
        const struct ts_callers_frame *outer = frame_of(callers, around);
        if (outer && is_recorder(outer->site->object) && outer->outer == TS_FRAME_CALL)
            around = TS_FRAME_CALL; /* a hooked function: its stub, which called it, is the innermost call */
        if (around == TS_FRAME_CALL || around == TS_FRAME_SIGNAL)
            break; /* no function that is not shown already */
        if (is_recorder(frame->site->object))
            continue;
        functions = ts_site_functions(callers->sites, frame->site, &count);
        for (; count > 0 && first > 0; count--)
            callers->found[--first] = (struct ts_lane_frame){
                .function = functions[count - 1], .outer = frame->outer_identity, .inlined = (uint32_t)(count - 1)};
        if (first == 0)
            break;
    }
    if (frame && first == 0)
        around = TS_FRAME_UNKNOWN;
    size_t found = TS_CALLERS_MOST - first;
    memmove(callers->found, callers->found + first, found * sizeof *callers->found);
    if (around == TS_FRAME_NOTHING) {
        size_t start = count_start(callers->found, found);
        memmove(callers->found, callers->found + start, (found - start) * sizeof *callers->found);
        found -= start;
    }
    callers->found_count = found;
    callers->around = around;
}

/* "main > load_config", cut at its beginning where it is longer than there is room for. */
static void write_text(struct ts_callers *callers) {
    static const char separator[] = " > ", cut[] = "... > ";
    char *end = callers->text + sizeof callers->text - 1, *at = end;
    size_t count = callers->found_count;
    *end = '\0';
    while (count > 0) {
        const char *name = ts_function_name(callers->found[--count].function);
        size_t bytes = strlen(name), need = bytes + (at == end ? 0 : sizeof separator - 1);
        if ((size_t)(at - callers->text) < need + sizeof cut) {
            at -= sizeof cut - 1;
            memcpy(at, cut, sizeof cut - 1);
            break;
        }
        if (at != end) {
            at -= sizeof separator - 1;
            memcpy(at, separator, sizeof separator - 1);
        }
        at -= bytes;
        memcpy(at, name, bytes);
    }
    memmove(callers->text, at, (size_t)(end - at) + 1);
}

static void forget_stack(struct ts_callers *callers) {
    callers->text[0] = '\0';
    callers->found_count = 0;
    callers->around = TS_FRAME_UNKNOWN;
}

struct ts_site *ts_callers_before(struct ts_callers *callers, struct ts_lane *lane, const struct ts_sink *sink,
                                  const uint32_t *at, struct ts_function_cache *cache, uint64_t clock,
                                  struct ts_totals *totals) {
    uint32_t number, around;
    struct ts_callers_frame *frame;
    struct ts_site *site = NULL;
    forget_stack(callers);
    if (at && TS_HEAD_TYPE(*at) == TS_RECORD_CALL_SITE) {
        totals->call_sites++;
        if (sink->attribute || sink->site)
            site = call_site_at(callers, cache, ((const struct ts_record_call_site *)(const void *)at)->address, clock);
        if (site && (is_recorder(site->object) || (ts_lane_depth(lane) == 0 && is_start_code(site->object))))
            site = NULL; /* main, or a thread's function: called by nobody's code */
    } else if (at && (frame = frame_of(callers, number = ((const struct ts_record_stack *)(const void *)at)->frame))) {
        site = is_recorder(frame->site->object) ? NULL : frame->site; /* jumped to by a hooked function */
        totals->stacks++;
        if (sink->frame_enter || sink->attribute) {
            find_functions(callers, number);
            around = callers->around;
            if (!sink->frame_enter)
                write_text(callers);
        } else {
            size_t depth = 0;
            for (around = number; (frame = frame_of(callers, around)) && depth < TS_CALLERS_MOST; depth++)
                around = frame->outer;
        }
        totals->whole_stacks +=
            around == TS_FRAME_NOTHING || around == TS_FRAME_SIGNAL || (around == TS_FRAME_CALL && ts_lane_depth(lane));
    }
    if (sink->frame_enter)
        ts_lane_set_frames(lane, sink, callers->found, callers->found_count);
    return site;
}

struct ts_site *ts_callers_before_moment(struct ts_callers *callers, struct ts_lane *lane, const struct ts_sink *sink,
                                         const uint32_t *at) {
    uint32_t number = at ? ((const struct ts_record_stack *)(const void *)at)->frame : 0;
    const struct ts_callers_frame *frame = frame_of(callers, number);
    forget_stack(callers);
    if (frame)
        find_functions(callers, number);
    if (frame && !sink->frame_enter)
        write_text(callers);
    if (sink->frame_enter && sink->attribute) /* who takes frames alone has no place for moments */
        ts_lane_set_frames(lane, sink, callers->found, callers->found_count);
    return frame ? frame->site : NULL;
}

void ts_callers_stack_text(struct ts_callers *callers, const struct ts_lane *lane, struct ts_site *site,
                           struct ts_functions *functions, struct ts_stack_text *text) {
    const char *at = ts_site_at(callers->sites, site);
    bool more = true;
    for (size_t i = callers->found_count; i > 0 && more; i--, at = NULL)
        more = ts_stack_text_add(text, callers->found[i - 1].function, at);
    bool goes_on = callers->around == TS_FRAME_CALL || callers->around == TS_FRAME_SIGNAL;
    for (size_t i = goes_on ? lane->depth : 0; i > 0 && more; i--, at = NULL)
        more = ts_stack_text_add(text, ts_functions_at(functions, lane->calls[i - 1].function), at);
    ts_stack_text_end(text, callers->around == TS_FRAME_UNKNOWN || (goes_on && lane->unknown));
}

void ts_callers_after(struct ts_callers *callers, struct ts_site *site, const struct ts_sink *sink) {
    if (site && sink->site)
        sink->site(sink->context, site);
    const char *at = site && sink->attribute ? ts_site_at(callers->sites, site) : NULL;
    if (at)
        sink->attribute(sink->context, &(struct ts_attribute){"at", {.kind = TS_VALUE_STRING, .string = at}});
    if (callers->text[0] && sink->attribute)
        sink->attribute(sink->context,
                        &(struct ts_attribute){"caller", {.kind = TS_VALUE_STRING, .string = callers->text}});
}
