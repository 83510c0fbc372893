#include "render/record.h"

#include <string.h>

#define CLOCK_COMES_FIRST(record)                                                                                      \
    static_assert(offsetof(record, clock) == offsetof(struct ts_record_time, clock), "see ts_record_event_clock")
CLOCK_COMES_FIRST(struct ts_record_thread_end);
CLOCK_COMES_FIRST(struct ts_record_switch);
CLOCK_COMES_FIRST(struct ts_record_unwind);
CLOCK_COMES_FIRST(struct ts_record_enter_wide);
CLOCK_COMES_FIRST(struct ts_record_result);
CLOCK_COMES_FIRST(struct ts_record_exception);
CLOCK_COMES_FIRST(struct ts_record_exception_detail);
CLOCK_COMES_FIRST(struct ts_record_jump);
CLOCK_COMES_FIRST(struct ts_record_pause);

uint32_t ts_record_bytes(uint32_t type) {
    switch (type) {
    case TS_RECORD_TIME:
        return sizeof(struct ts_record_time);
    case TS_RECORD_PROCESS:
        return sizeof(struct ts_record_process);
    case TS_RECORD_PROCESS_END:
        return sizeof(struct ts_record_process_end);
    case TS_RECORD_FORK:
        return sizeof(struct ts_record_fork);
    case TS_RECORD_EXEC:
        return sizeof(struct ts_record_exec);
    case TS_RECORD_SPAWN:
        return sizeof(struct ts_record_spawn);
    case TS_RECORD_THREAD_CREATE:
        return sizeof(struct ts_record_thread_create);
    case TS_RECORD_THREAD_NAME:
        return sizeof(struct ts_record_thread_name);
    case TS_RECORD_THREAD_END:
        return sizeof(struct ts_record_thread_end);
    case TS_RECORD_LOAD:
        return sizeof(struct ts_record_load);
    case TS_RECORD_UNLOAD:
        return sizeof(struct ts_record_unload);
    case TS_RECORD_METADATA:
        return sizeof(struct ts_record_metadata);
    case TS_RECORD_SWITCH:
        return sizeof(struct ts_record_switch);
    case TS_RECORD_UNWIND:
        return sizeof(struct ts_record_unwind);
    case TS_RECORD_LOST:
        return sizeof(struct ts_record_lost);
    case TS_RECORD_ENTER_WIDE:
        return sizeof(struct ts_record_enter_wide);
    case TS_RECORD_SLOTS:
        return sizeof(struct ts_record_slots);
    case TS_RECORD_CLOCK_PAIR:
        return sizeof(struct ts_record_clock_pair);
    case TS_RECORD_HOOK:
        return sizeof(struct ts_record_hook);
    case TS_RECORD_RESULT:
        return sizeof(struct ts_record_result);
    case TS_RECORD_CALL_SITE:
        return sizeof(struct ts_record_call_site);
    case TS_RECORD_STACK:
        return sizeof(struct ts_record_stack);
    case TS_RECORD_FRAME:
        return sizeof(struct ts_record_frame);
    case TS_RECORD_EXCEPTION_THROW:
    case TS_RECORD_EXCEPTION_CATCH:
        return sizeof(struct ts_record_exception);
    case TS_RECORD_JUMP:
        return sizeof(struct ts_record_jump);
    case TS_RECORD_PAUSE:
    case TS_RECORD_RESUME:
        return sizeof(struct ts_record_pause);
    case TS_RECORD_DESCRIPTOR:
        return sizeof(struct ts_record_descriptor);
    case TS_RECORD_CRASH:
        return sizeof(struct ts_record_crash);
    case TS_RECORD_LINE_COUNTS:
        return sizeof(struct ts_record_line_counts);
    case TS_RECORD_BRANCH_COUNTS:
        return sizeof(struct ts_record_branch_counts);
    case TS_RECORD_COMPARES:
        return sizeof(struct ts_record_compares);
    default:
        return sizeof(uint32_t);
    }
}

int ts_record_event_clock(const uint32_t *at, uint64_t *clock) {
    switch (TS_HEAD_TYPE(*at)) {
    case TS_RECORD_TIME:
    case TS_RECORD_THREAD_END:
    case TS_RECORD_SWITCH:
    case TS_RECORD_UNWIND:
    case TS_RECORD_ENTER_WIDE:
    case TS_RECORD_RESULT:
    case TS_RECORD_EXCEPTION_THROW:
    case TS_RECORD_EXCEPTION_CATCH:
    case TS_RECORD_JUMP:
    case TS_RECORD_PAUSE:
    case TS_RECORD_RESUME:
        *clock = ts_record_u64(((const struct ts_record_time *)(const void *)at)->clock);
        return 1;
    default:
        return 0;
    }
}

const char *ts_record_name(uint32_t type) {
    switch (type) {
#define X(name, number, text)                                                                                          \
    case number:                                                                                                       \
        return #name;
        TS_RECORDS(X)
#undef X
    default:
        return NULL;
    }
}

enum ts_word ts_record_at(const uint32_t *at, const uint32_t *end, uint32_t *words) {
    uint32_t head = *at;
    size_t left = (size_t)(end - at);
    *words = 1;
    switch (head & 3) {
    case TS_KIND_ENTER:
        if (left < TS_ENTER_BYTES / 4)
            return TS_WORD_DAMAGED;
        *words = TS_ENTER_BYTES / 4;
        return TS_WORD_ENTER;
    case TS_KIND_EXIT:
        return TS_WORD_EXIT;
    case TS_KIND_PENDING:
        if (head == 0)
            return TS_WORD_HOLE;
        if (TS_HEAD_WORDS(head) == 0 || TS_HEAD_WORDS(head) > left || head != TS_HEAD_PENDING(TS_HEAD_WORDS(head)))
            return TS_WORD_DAMAGED;
        *words = TS_HEAD_WORDS(head);
        return TS_WORD_PENDING;
    default:
        if (TS_HEAD_WORDS(head) * sizeof(uint32_t) < ts_record_bytes(TS_HEAD_TYPE(head)) || TS_HEAD_WORDS(head) > left)
            return TS_WORD_DAMAGED;
        *words = TS_HEAD_WORDS(head);
        return TS_WORD_TAGGED;
    }
}

const uint32_t *ts_record_skip_holes(const uint32_t *at, const uint32_t *end) {
    for (uint64_t words[4]; (size_t)(end - at) >= 8; at += 8) {
        memcpy(words, at, sizeof(words));
        if (words[0] | words[1] | words[2] | words[3])
            break;
    }
    while (at < end && *at == 0)
        at++;
    return at;
}
