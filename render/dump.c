#include "render/dump.h"

#include "render/dump_record.h"
#include "render/memory.h"
#include "render/record.h"
#include "render/session_private.h"
#include "render/text_escape.h"
#include "render/written.h"

#include <inttypes.h>
#include <stdlib.h>

static void dump_file_header(const struct ts_trace *trace, FILE *out) {
    const struct ts_file_header *header = &trace->header;
    fputs("trace ", out);
    ts_text_write_name(out, trace->path);
    fprintf(out, "\n0x%08x file version=%u.%u machine=%u clock_kind=%u tick_hz=%" PRIu64 " full_mode=%u page_bytes=%u",
            0u, header->version_major, header->version_minor, header->machine, header->clock_kind, header->tick_hz,
            header->full_mode, header->page_bytes);
    fprintf(out, " compatible=0x%" PRIx64 " incompatible=0x%" PRIx64, header->compatible_features,
            header->incompatible_features);
    fprintf(out, " pid=%u image=%u file_bytes=%" PRIu64 " block_bytes=%" PRIu64 " block_count=%" PRIu64, header->pid,
            header->image, header->file_bytes, header->block_bytes, header->block_count);
    fprintf(out, " first_block=%" PRIu64 " next_block=%" PRIu64 " usable_blocks=%" PRIu64, header->first_block,
            header->next_block, header->usable_blocks);
    fprintf(out, " small_claim=0x%" PRIx64 " control_claim=0x%" PRIx64, header->small_claim, header->control_claim);
    fprintf(out, " ring_next=%" PRIu64 " window_sequence=%" PRIu64 " processes=%u threads=%u", header->ring_next,
            header->window_sequence, header->process_count, header->thread_count);
    fprintf(out, " start=%" PRIu64 "/%" PRIu64 "/%" PRIu64, header->start.clock, header->start.monotonic_ns,
            header->start.realtime_ns);
    fprintf(out, " suspended_ns=%" PRIu64, header->suspended_ns);
    fprintf(out, " end=%" PRIu64 "/%" PRIu64 "/%" PRIu64 " end_reason=%u end_status=%d", header->end.clock,
            header->end.monotonic_ns, header->end.realtime_ns, header->end_reason, header->end_status);
    fprintf(out, " dropped_windows=%" PRIu64 " dropped_calls=%" PRIu64 " misnested=%" PRIu64 " lost=",
            header->dropped_windows, header->dropped_calls, header->misnested);
    for (size_t i = 0; i < TS_LOST_SLOTS; i++)
        fprintf(out, "%s%" PRIu64, i ? "," : "", header->lost_events[i]);
    putc('\n', out);
}

/* Records in [at, end), of which `at` lies at `offset` in the file. */
static void dump_records(const uint32_t *at, const uint32_t *end, uint64_t offset, uint64_t clock, FILE *out) {
    while (at < end) {
        const uint32_t *behind = ts_record_skip_holes(at, end);
        if (behind == end)
            return;
        if (behind > at)
            fprintf(out, "0x%08" PRIx64 " hole words=%zu\n", offset, (size_t)(behind - at));
        offset += (uint64_t)(behind - at) * sizeof(*at);
        at = behind;
        uint32_t words;
        enum ts_word word = ts_record_at(at, end, &words);
        fprintf(out, "0x%08" PRIx64 " ", offset);
        ts_dump_record(word, at, words, &clock, out);
        if (word == TS_WORD_DAMAGED)
            return;
        at += words;
        offset += words * sizeof(*at);
    }
}

static void dump_window(const struct ts_window_copy *window, FILE *out) {
    const struct ts_window_header *header = &window->header;
    fprintf(out,
            "0x%08" PRIx64 " window sequence=%" PRIu64 " bytes=%u flags=%s%s%s%s pid=%u tid=%u process=%u thread=%u",
            header->offset, header->sequence, header->bytes,
            header->flags & TS_WINDOW_FIRST_OF_PROCESS ? "first_of_process," : "",
            header->flags & TS_WINDOW_CLOSED ? "closed," : "open,", header->flags & TS_WINDOW_PAUSED ? "paused," : "",
            header->flags & TS_WINDOW_CONTROL ? "control" : "calls", header->pid, header->tid, header->process,
            header->thread);
    fprintf(out, " header_bytes=%u open_call_bytes=%u parent_process=%u parent_pid=%u", header->header_bytes,
            header->open_call_bytes, header->parent_process, header->parent_pid);
    fprintf(out,
            " process_start=%" PRIu64 " track=%u clock=%" PRIu64 " monotonic_ns=%" PRIu64 " thread_pointer=0x%" PRIx64,
            header->process_start, header->track, header->clock, header->monotonic_ns, header->thread_pointer);
    fprintf(out, " depth=%" PRIu64 " open_count=%u lowest_depth=%" PRIu64 " previous=%" PRIu64 " records=%u",
            header->depth, header->open_count, header->lowest_depth, header->previous, header->records);
    fprintf(out,
            " end_bytes=%u end_clock=%" PRIu64 " end_depth=%" PRIu64 " other_words=%" PRIu64 " unwound=%" PRIu64
            " lost=",
            header->end_bytes, header->end_clock, header->end_depth, header->other_words, header->unwound);
    for (size_t i = 0; i < TS_LOST_SLOTS; i++)
        fprintf(out, "%s%" PRIu64, i ? "," : "", header->lost_events[i]);
    fprintf(out, " lost_first_clock=%" PRIu64 " lost_last_clock=%" PRIu64, header->lost_first_clock,
            header->lost_last_clock);
    fprintf(out, " process_end_reason=%u process_end_status=%d process_end_clock=%" PRIu64 "\n",
            header->process_end_reason, header->process_end_status, header->process_end_clock);
    for (uint32_t i = 0; i < header->open_count; i++) {
        const struct ts_open_call *call = &window->open_calls[i];
        fprintf(out, "0x%08" PRIx64 " open_call address=0x%" PRIx64 " clock=%" PRIu64 " site=0x%08x kind=%u\n",
                header->offset + header->header_bytes + (uint64_t)i * header->open_call_bytes, call->address,
                call->clock, call->site, call->kind);
    }
    dump_records(window->records, window->end, header->offset + header->records, header->clock, out);
}

static int compare_offsets(const void *left, const void *right) {
    uint64_t a = (*(const struct ts_window *const *)left)->offset;
    uint64_t b = (*(const struct ts_window *const *)right)->offset;
    return (a > b) - (a < b);
}

static void dump_windows(const struct ts_trace *trace, FILE *out) {
    const struct ts_window **windows = ts_memory_new(trace->window_count, sizeof(struct ts_window *));
    for (size_t i = 0; i < trace->window_count; i++)
        windows[i] = &trace->windows[i];
    qsort(windows, trace->window_count, sizeof(struct ts_window *), compare_offsets);
    struct ts_window_copy copy = {0};
    for (size_t i = 0; i < trace->window_count && !ferror(out); i++) {
        if (ts_trace_read_window(trace, windows[i], &copy) != 0)
            fprintf(out, "0x%08" PRIx64 " window is gone or damaged\n", windows[i]->offset);
        else
            dump_window(&copy, out);
    }
    ts_window_copy_free(&copy);
    free(windows);
}

int ts_dump_write(struct ts_session *session, FILE *out, struct ts_error *error) {
    for (size_t i = 0; i < session->trace_count; i++) {
        struct ts_trace *trace = session->traces[i];
        if (ts_trace_acquire(trace, error) < 0)
            return -1;
        dump_file_header(trace, out);
        if (trace->preamble) {
            const uint32_t *words = (const void *)trace->preamble;
            dump_records(words, words + trace->header.preamble_bytes / sizeof(*words), trace->header.preamble_offset,
                         trace->header.start.clock, out);
        }
        dump_windows(trace, out);
        if (trace->damaged_windows)
            fprintf(out, "damaged parts: %" PRIu64 "\n", trace->damaged_windows);
        ts_trace_release(trace);
    }
    return ts_written_all(out, "the dump", error);
}
