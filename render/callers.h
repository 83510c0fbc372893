/*
 * Where calls were made: what CALL_SITE, STACK and FRAME records say, of one window after the other. Frames that are
 * known from a stack alone go to a sink that has a place for them; others are told the callers as an attribute.
 */
#ifndef TRACESHIM_RENDER_CALLERS_H
#define TRACESHIM_RENDER_CALLERS_H

#include "collector/trace_format.h"
#include "render/function_cache.h"
#include "render/lane.h"
#include "render/replay.h"
#include "render/sites.h"
#include "render/stack_text.h"

/* Callers of one call that are shown; the outermost of more are left out. */
#define TS_CALLERS_MOST 512

#define TS_CALLERS_SLOTS 1024u

struct ts_callers_frame {
    uint32_t window; /* 0: none has told of this number */
    uint32_t outer;
    uint64_t address;
    uint64_t identity;       /* the same as long as it is the same frame, in later windows too */
    uint64_t outer_identity; /* 0: none */
    struct ts_site *site;
};

struct ts_callers {
    struct ts_sites *sites;          /* the session's */
    struct ts_callers_frame *frames; /* by number */
    size_t frame_count;
    size_t frame_capacity;
    uint32_t window; /* counts them */
    uint64_t identities;
    struct ts_lane_frame found[TS_CALLERS_MOST]; /* of the newest stack, the outermost first */
    size_t found_count;
    uint32_t around; /* what lies around them: enum ts_frame_outer */
    char text[4096];
    struct ts_callers_slot { /* direct-mapped: where the CALL_SITE of this address is */
        uint32_t address;
        struct ts_site *site; /* NULL: the slot is empty */
        uint64_t epoch;       /* of the function cache: it holds as long as that one's slots */
    } slots[TS_CALLERS_SLOTS];
};

struct ts_callers *ts_callers_new(struct ts_sites *sites);
void ts_callers_free(struct ts_callers *callers);

/* Another window, whose FRAMEs are told anew; another process: what is known of any frame holds no more. */
void ts_callers_begin_window(struct ts_callers *callers);
void ts_callers_begin_process(struct ts_callers *callers);

/* A FRAME record. */
void ts_callers_add(struct ts_callers *callers, const struct ts_record_frame *record, struct ts_function_cache *cache,
                    uint64_t clock);

/* Whether a record at `at` tells of the call just before. */
static inline int ts_callers_tell(const uint32_t *at, const uint32_t *end) {
    return end - at >= 2 && (*at == TS_HEAD(TS_RECORD_CALL_SITE, 2) || *at == TS_HEAD(TS_RECORD_STACK, 2));
}

/* The STACK at `at`; NULL: there is none. */
static inline const uint32_t *ts_callers_stack(const uint32_t *at, const uint32_t *end) {
    return end - at >= 2 && *at == TS_HEAD(TS_RECORD_STACK, 2) ? at : NULL;
}

/*
 * Before the call is entered that the record at `at` tells of (NULL: no record does): opens and closes frames in the
 * lane. Returns where it is made, NULL: not known.
 */
struct ts_site *ts_callers_before(struct ts_callers *callers, struct ts_lane *lane, const struct ts_sink *sink,
                                  const uint32_t *at, struct ts_function_cache *cache, uint64_t clock,
                                  struct ts_totals *totals);

/*
 * The same before something that is told of the innermost open call, of which the STACK at `at` tells where it happens.
 * Its attributes are the caller's to tell: `at`, and callers->text as `caller` where it is not empty.
 */
struct ts_site *ts_callers_before_moment(struct ts_callers *callers, struct ts_lane *lane, const struct ts_sink *sink,
                                         const uint32_t *at);

/* That stack, with the open calls around it. Ended. */
void ts_callers_stack_text(struct ts_callers *callers, const struct ts_lane *lane, struct ts_site *site,
                           struct ts_functions *functions, struct ts_stack_text *text);

/* After its enter and arguments: tells the sink, as far as it takes that, where it was made. */
void ts_callers_after(struct ts_callers *callers, struct ts_site *site, const struct ts_sink *sink);

#endif
