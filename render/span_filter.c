#include "render/span_filter.h"

#include "render/kept_attributes.h"
#include "render/memory.h"
#include "render/name_match.h"

#include <stdlib.h>

enum frame_state {
    FRAME_HIDDEN = 0, /* is not shown, or no longer */
    FRAME_PENDING,    /* will be when it, or a call in it, is a match */
    FRAME_SHOWN,
};

struct frame {
    struct ts_function *function;
    uint64_t start_ns;
    struct ts_site *site;   /* NULL: not known */
    size_t first_attribute; /* of the stream's kept ones */
    struct ts_failure failure;
    uint32_t flags;
    uint8_t state;
    bool failed;
    bool is_focus;
    bool is_target; /* of `callers` */
};

/* The filter's side of a ts_stream. */
struct stream {
    struct ts_stream *stream;
    struct frame *frames;
    size_t depth;
    size_t capacity;
    size_t focus_depth;  /* open calls that are in focus for their name */
    size_t target_depth; /* open calls of the `callers` function */
    size_t shown_depth;  /* frames that are not hidden */
    size_t settled;      /* so many of the outermost frames are not pending */
    uint64_t outer_unknown;
    uint64_t last_ns; /* of what was shown */
    bool over;        /* the time to show has passed */
    bool shown;       /* something of it was */
    struct ts_kept_attributes kept;
};

struct ts_filtered {
    const struct ts_span_filter *filter;
    struct ts_span_time time;
    struct ts_sink to;
    struct ts_name_match focus;
    struct ts_name_match callers;
    struct stream *current;
    const struct stream *selected; /* by `to` */
    bool decides_late;             /* whether a call is a match shows at its end */
    bool matched;
};

bool ts_span_filter_wants(const struct ts_span_filter *filter, const struct ts_stream *stream) {
    const struct ts_process *process = stream->process;
    if (filter->process && !ts_name_match_thing(filter->process, process->name, process->pid))
        return false;
    const char *name = *stream->name ? stream->name : process->name;
    return !filter->thread || ts_name_match_thing(filter->thread, name, stream->tid);
}

static uint64_t add(uint64_t ns, uint64_t more) {
    return ns + more < ns ? UINT64_MAX : ns + more;
}

struct ts_span_time ts_span_filter_time(const struct ts_span_filter *filter, const struct ts_session *session) {
    uint64_t begin = session->process_count ? session->processes[0]->start_ns : 0;
    return (struct ts_span_time){filter->from_ns ? add(begin, filter->from_ns) : 0, add(begin, filter->to_ns)};
}

static uint64_t show_time(const struct ts_filtered *filtered, struct stream *stream, uint64_t ns) {
    if (!filtered->filter->alone && stream->last_ns && ns <= stream->last_ns)
        ns = stream->last_ns + 1; /* cut calls begin and end at one moment */
    return stream->last_ns = ns;
}

static void show_mark(struct ts_filtered *filtered, const char *key) {
    struct ts_attribute mark = {key, {.kind = TS_VALUE_BOOLEAN, .boolean = true}};
    if (filtered->to.attribute)
        filtered->to.attribute(filtered->to.context, &mark);
}

static void show_attributes(struct ts_filtered *filtered, struct stream *stream, size_t first, size_t end) {
    for (size_t i = first; i < end; i++) {
        struct ts_attribute attribute = ts_kept_attributes_at(&stream->kept, i);
        filtered->to.attribute(filtered->to.context, &attribute);
    }
}

static void select_shown(struct ts_filtered *filtered, struct stream *stream) {
    if (filtered->selected == stream)
        return;
    filtered->selected = stream;
    stream->shown = filtered->matched = true;
    filtered->to.select(filtered->to.context, stream->stream);
    if (stream->outer_unknown && !filtered->filter->alone)
        filtered->to.outer_unknown(filtered->to.context, stream->outer_unknown);
    stream->outer_unknown = 0;
}

static void show_enter(struct ts_filtered *filtered, struct stream *stream, size_t index) {
    struct frame *frame = &stream->frames[index];
    const struct ts_sink *to = &filtered->to;
    bool cut = frame->start_ns < filtered->time.from_ns;

    select_shown(filtered, stream);
    frame->state = FRAME_SHOWN;
    uint64_t ns = show_time(filtered, stream, cut ? filtered->time.from_ns : frame->start_ns);
    to->enter(to->context, frame->function, ns, frame->flags);
    if (frame->site && to->site)
        to->site(to->context, frame->site);
    if (cut)
        show_mark(filtered, "cut_start");
    size_t end = index + 1 < stream->depth ? frame[1].first_attribute : stream->kept.count;
    show_attributes(filtered, stream, frame->first_attribute, end);
    if (filtered->filter->alone && index > 0 && to->attribute) {
        struct ts_attribute in = {"in", {.kind = TS_VALUE_STRING, .string = ts_function_name(frame[-1].function)}};
        to->attribute(to->context, &in);
    }
}

/* Shows the innermost call, which is a match or holds one, and the calls around it. */
static void show_chain(struct ts_filtered *filtered, struct stream *stream) {
    if (filtered->filter->alone) {
        if (stream->frames[stream->depth - 1].state == FRAME_PENDING)
            show_enter(filtered, stream, stream->depth - 1);
        return;
    }
    for (; stream->settled < stream->depth; stream->settled++)
        if (stream->frames[stream->settled].state == FRAME_PENDING)
            show_enter(filtered, stream, stream->settled);
}

static bool is_match(const struct ts_filtered *filtered, const struct frame *frame, uint64_t end_ns) {
    const struct ts_span_filter *filter = filtered->filter;
    uint64_t start_ns = frame->start_ns < filtered->time.from_ns ? filtered->time.from_ns : frame->start_ns;
    uint64_t duration = end_ns > start_ns ? end_ns - start_ns : 0;
    bool is_early = frame->start_ns < filtered->time.from_ns && end_ns <= filtered->time.from_ns;
    return !is_early && duration >= filter->min_ns && end_ns >= filter->ended_from_ns &&
           (!filter->errors || frame->failed) && (!filter->callers || frame->is_target);
}

/* Ends what is shown of the innermost frame; it stays open, hidden. */
static void end_frame(struct ts_filtered *filtered, struct stream *stream, uint64_t end_ns, enum ts_leave_how how) {
    struct frame *frame = &stream->frames[stream->depth - 1];
    const struct ts_sink *to = &filtered->to;
    bool cut = end_ns > filtered->time.to_ns;

    if (frame->state != FRAME_HIDDEN)
        stream->shown_depth--;
    if (cut)
        end_ns = filtered->time.to_ns;
    if (frame->state == FRAME_PENDING && is_match(filtered, frame, end_ns))
        show_chain(filtered, stream);
    if (frame->state == FRAME_SHOWN) {
        select_shown(filtered, stream);
        if (cut)
            show_mark(filtered, "cut_end");
        if (frame->failed)
            to->failure(to->context, &frame->failure);
        to->leave(to->context, show_time(filtered, stream, end_ns), cut ? TS_LEAVE_EXIT : how);
    }
    frame->state = FRAME_HIDDEN;
}

static void pop_frame(struct stream *stream) {
    const struct frame *frame = &stream->frames[--stream->depth];
    stream->settled = stream->settled < stream->depth ? stream->settled : stream->depth;
    stream->focus_depth -= frame->is_focus;
    stream->target_depth -= frame->is_target;
    ts_kept_attributes_cut(&stream->kept, frame->first_attribute);
}

/* An event of this time came: what is open reaches beyond the time to show. */
static void end_time(struct ts_filtered *filtered, struct stream *stream, uint64_t ns) {
    size_t depth = stream->depth;
    stream->over = true;
    for (; stream->depth > 0; stream->depth--) {
        end_frame(filtered, stream, ns, TS_LEAVE_EXIT);
        ts_kept_attributes_cut(&stream->kept, stream->frames[stream->depth - 1].first_attribute);
    }
    stream->depth = depth;
}

static enum frame_state state_at_enter(const struct ts_filtered *filtered, const struct stream *stream,
                                       const struct frame *frame) {
    const struct ts_span_filter *filter = filtered->filter;
    if (stream->over || (filter->focus && stream->focus_depth == 0) ||
        (filter->depth && stream->shown_depth >= filter->depth) ||
        (filter->callers && stream->target_depth > (size_t)frame->is_target))
        return FRAME_HIDDEN;
    return filtered->decides_late || frame->start_ns < filtered->time.from_ns ? FRAME_PENDING : FRAME_SHOWN;
}

static void enter_call(void *context, struct ts_function *function, uint64_t start_ns, unsigned flags) {
    struct ts_filtered *filtered = context;
    struct stream *stream = filtered->current;

    if (!stream->over && start_ns >= filtered->time.to_ns)
        end_time(filtered, stream, start_ns + 1); /* calls around one that begins then end later */
    stream->frames = ts_memory_grow(stream->frames, &stream->capacity, stream->depth + 1, sizeof *stream->frames);
    struct frame *frame = &stream->frames[stream->depth++];
    *frame = (struct frame){
        .function = function, .start_ns = start_ns, .flags = flags, .first_attribute = stream->kept.count};
    frame->is_focus = ts_name_match_function(&filtered->focus, function);
    frame->is_target = ts_name_match_function(&filtered->callers, function);
    stream->focus_depth += frame->is_focus;
    stream->target_depth += frame->is_target;
    enum frame_state state = state_at_enter(filtered, stream, frame);
    frame->state = state == FRAME_HIDDEN ? FRAME_HIDDEN : FRAME_PENDING;
    stream->shown_depth += state != FRAME_HIDDEN;
    if (state == FRAME_SHOWN)
        show_enter(filtered, stream, stream->depth - 1);
}

static void leave_call(void *context, uint64_t end_ns, enum ts_leave_how how) {
    struct ts_filtered *filtered = context;
    struct stream *stream = filtered->current;

    if (stream->depth == 0)
        return;
    end_frame(filtered, stream, end_ns, how);
    pop_frame(stream);
}

static void select_stream(void *context, struct ts_stream *stream) {
    struct ts_filtered *filtered = context;
    if (!stream->filter) {
        struct stream *made = ts_memory_new(1, sizeof *made);
        made->stream = stream;
        stream->filter = made;
    }
    filtered->current = stream->filter;
}

static void note_outer_unknown(void *context, uint64_t count) {
    struct ts_filtered *filtered = context;
    filtered->current->outer_unknown += count;
}

static void note_attribute(void *context, const struct ts_attribute *attribute) {
    struct ts_filtered *filtered = context;
    struct stream *stream = filtered->current;
    if (stream->depth == 0)
        return;
    switch (stream->frames[stream->depth - 1].state) {
    case FRAME_PENDING:
        ts_kept_attributes_push(&stream->kept, attribute);
        break;
    case FRAME_SHOWN:
        select_shown(filtered, stream);
        filtered->to.attribute(filtered->to.context, attribute);
        break;
    default:
        break;
    }
}

static void note_site(void *context, struct ts_site *site) {
    struct ts_filtered *filtered = context;
    struct stream *stream = filtered->current;
    if (stream->depth == 0)
        return;
    stream->frames[stream->depth - 1].site = site;
    if (stream->frames[stream->depth - 1].state == FRAME_SHOWN)
        filtered->to.site(filtered->to.context, site);
}

static void note_failure(void *context, const struct ts_failure *failure) {
    struct ts_filtered *filtered = context;
    struct stream *stream = filtered->current;
    if (stream->depth == 0)
        return;
    stream->frames[stream->depth - 1].failed = true;
    stream->frames[stream->depth - 1].failure = *failure;
}

/* What has no duration is no match for `min_ns`, but an error, a crash, always matters. */
static void note_moment(void *context, const struct ts_moment *moment) {
    struct ts_filtered *filtered = context;
    const struct ts_span_filter *filter = filtered->filter;
    struct stream *stream = filtered->current;
    bool is_target = !filter->callers || ts_name_match_function(&filtered->callers, moment->function);

    if (!filtered->to.moment || moment->ns < filtered->time.from_ns || moment->ns >= filtered->time.to_ns ||
        moment->ns < filter->ended_from_ns || (filter->focus && stream->focus_depth == 0) || !is_target ||
        (!moment->is_error && (filter->errors || filter->min_ns)))
        return;
    if (stream->depth && !filter->alone)
        show_chain(filtered, stream);
    select_shown(filtered, stream);
    stream->last_ns = moment->ns > stream->last_ns ? moment->ns : stream->last_ns;
    filtered->to.moment(filtered->to.context, moment);
}

static void finish_stream(void *context, struct ts_stream *stream) {
    struct ts_filtered *filtered = context;
    struct stream *own = stream->filter;
    if (!own)
        return;
    if (filtered->current == own)
        filtered->current = NULL;
    if (filtered->selected == own)
        filtered->selected = NULL;
    if (own->shown)
        filtered->to.finish(filtered->to.context, stream);
    ts_kept_attributes_free(&own->kept);
    free(own->frames);
    free(own);
    stream->filter = NULL;
}

struct ts_filtered *ts_filtered_new(const struct ts_span_filter *filter, const struct ts_session *session,
                                    const struct ts_sink *sink) {
    struct ts_filtered *filtered = ts_memory_new(1, sizeof *filtered);
    *filtered = (struct ts_filtered){.filter = filter,
                                     .time = ts_span_filter_time(filter, session),
                                     .to = *sink,
                                     .focus.pattern = filter->focus,
                                     .callers.pattern = filter->callers};
    filtered->decides_late =
        filter->min_ns || filter->ended_from_ns || filter->errors || filter->callers || filter->alone;
    return filtered;
}

struct ts_sink ts_filtered_sink(struct ts_filtered *filtered) {
    return (struct ts_sink){.context = filtered,
                            .select = select_stream,
                            .enter = enter_call,
                            .leave = leave_call,
                            .outer_unknown = note_outer_unknown,
                            .finish = finish_stream,
                            .attribute = filtered->to.attribute ? note_attribute : NULL,
                            .site = filtered->to.site ? note_site : NULL,
                            .moment = note_moment,
                            .failure = note_failure};
}

bool ts_filtered_matched(const struct ts_filtered *filtered) {
    return filtered->matched;
}

void ts_filtered_free(struct ts_filtered *filtered) {
    if (!filtered)
        return;
    ts_name_match_free(&filtered->focus);
    ts_name_match_free(&filtered->callers);
    free(filtered);
}
