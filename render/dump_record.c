#include "render/dump_record.h"

#include "render/memory.h"
#include "render/text_escape.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ` name='text'` from the bytes at `offset` of the record, as far as it has them; NUL bytes read as spaces. */
static void write_text(const char *name, const uint32_t *at, uint32_t words, uint64_t offset, uint32_t bytes,
                       FILE *out) {
    uint64_t room = words * sizeof(*at);
    if (offset > room)
        offset = room;
    if (bytes > room - offset)
        bytes = (uint32_t)(room - offset);
    char *text = ts_memory_copy((const char *)at + offset, bytes);
    for (uint32_t i = 0; i < bytes; i++)
        if (text[i] == '\0')
            text[i] = ' ';
    fprintf(out, " %s=", name);
    ts_text_write_quoted(out, text);
    free(text);
}

static void write_load(const struct ts_record_load *load, const uint32_t *at, uint32_t words, FILE *out) {
    uint64_t path = sizeof(*load) + (((uint64_t)load->build_id_bytes + 3) & ~UINT64_C(3));
    fprintf(out,
            " clock=%" PRIu64 " bias=0x%" PRIx64 " low=0x%" PRIx64 " high=0x%" PRIx64
            " generation=%u flags=0x%x build_id=",
            ts_record_u64(load->clock), ts_record_u64(load->bias), ts_record_u64(load->low), ts_record_u64(load->high),
            load->generation, load->flags);
    const uint8_t *byte = (const uint8_t *)at + sizeof(*load);
    const uint8_t *end = (const uint8_t *)(at + words);
    for (uint32_t i = 0; i < load->build_id_bytes && byte < end; i++)
        fprintf(out, "%02x", *byte++);
    write_text("path", at, words, path, load->path_bytes, out);
}

/* Words behind a record's struct, as they are: their meaning hangs on a HOOK record that may be anywhere. */
static void write_words(const char *name, const uint32_t *at, uint32_t words, size_t offset, FILE *out) {
    if (words <= offset / sizeof(*at))
        return;
    fprintf(out, " %s=", name);
    for (size_t i = offset / sizeof(*at); i < words; i++)
        fprintf(out, i == offset / sizeof(*at) ? "%08x" : ",%08x", at[i]);
}

static void write_hook(const struct ts_record_hook *hook, const uint32_t *at, uint32_t words, FILE *out) {
    uint64_t offset = sizeof(*hook);
    fprintf(out, " clock=%" PRIu64 " address=0x%" PRIx64 " target=0x%" PRIx64 " flags=0x%x", ts_record_u64(hook->clock),
            ts_record_u64(hook->address), ts_record_u64(hook->target), hook->flags);
    write_text("name", at, words, offset, hook->name_bytes, out);
    write_text("module", at, words, offset += hook->name_bytes, hook->module_bytes, out);
    write_text("signature", at, words, offset += hook->module_bytes, hook->signature_bytes, out);
    write_text("pack", at, words, offset += hook->signature_bytes, hook->pack_bytes, out);
}

static void write_bytes(const char *name, const uint32_t *at, uint32_t words, uint64_t offset, uint32_t bytes,
                        FILE *out) {
    const uint8_t *byte = (const uint8_t *)at;
    uint64_t end = words * sizeof(*at);
    fprintf(out, " %s=", name);
    for (uint64_t i = offset; i < end && i - offset < bytes; i++)
        fprintf(out, "%02x", byte[i]);
}

static uint64_t padded(uint32_t bytes) {
    return ((uint64_t)bytes + 3) & ~UINT64_C(3);
}

static void write_descriptor(const struct ts_record_descriptor *descriptor, const uint32_t *at, uint32_t words,
                             FILE *out) {
    uint64_t offset = sizeof(*descriptor);
    fprintf(out, " fd=%d", descriptor->fd);
    write_text("text", at, words, offset, descriptor->text_bytes, out);
    write_bytes("local", at, words, offset += padded(descriptor->text_bytes), descriptor->local_bytes, out);
    write_bytes("peer", at, words, offset += padded(descriptor->local_bytes), descriptor->peer_bytes, out);
}

static void write_crash(const struct ts_record_crash *crash, const uint32_t *at, uint32_t words, FILE *out) {
    fprintf(out,
            " clock=%" PRIu64 " thread=%u tid=%u signal=%u code=%d address=0x%" PRIx64 " sender_pid=%u pc=0x%" PRIx64
            " stack_address=0x%" PRIx64,
            ts_record_u64(crash->clock), crash->thread, crash->tid, crash->signal, crash->code,
            ts_record_u64(crash->address), crash->sender_pid, ts_record_u64(crash->program_counter),
            ts_record_u64(crash->stack_address));
    write_bytes("registers", at, words, sizeof(*crash), crash->register_bytes, out);
    write_bytes("stack", at, words, sizeof(*crash) + (uint64_t)crash->register_bytes, crash->stack_bytes, out);
}

/* Below level 3 there is no detail. */
static void write_exception(const struct ts_record_exception_detail *record, const uint32_t *at, uint32_t words,
                            FILE *out) {
    fprintf(out, " clock=%" PRIu64, ts_record_u64(record->clock));
    if (words < sizeof(*record) / sizeof(*at))
        return;
    fprintf(out, " site=0x%" PRIx64 " header=0x%" PRIx64 " flags=0x%x", ts_record_u64(record->site),
            ts_record_u64(record->header), record->flags);
    write_text("type", at, words, sizeof(*record), record->type_bytes, out);
    write_text("message", at, words, sizeof(*record) + (uint64_t)record->type_bytes, record->message_bytes, out);
}

/* ` <name>=<offset>:<count>,...` of the counters that are not 0. */
static void write_line_counts(const struct ts_record_line_counts *counts, const uint32_t *at, uint32_t words,
                              FILE *out) {
    const uint32_t *counters = at + sizeof(*counts) / sizeof(*at);
    char before = '=';
    fprintf(out, " clock=%" PRIu64 " address=0x%" PRIx64 " code_shift=%u count_shift=%u counts",
            ts_record_u64(counts->clock), ts_record_u64(counts->address), counts->code_shift, counts->count_shift);
    for (uint32_t i = 0; counters + i < at + words; i++)
        if (counters[i]) {
            fprintf(out, "%c%u:%u", before, i, counters[i]);
            before = ',';
        }
}

static void write_fields(const uint32_t *at, uint32_t words, FILE *out) {
    switch (TS_HEAD_TYPE(*at)) {
    case TS_RECORD_TIME:
    case TS_RECORD_THREAD_END:
    case TS_RECORD_PAUSE:
    case TS_RECORD_RESUME:
        fprintf(out, " clock=%" PRIu64, ts_record_u64(((const struct ts_record_time *)(const void *)at)->clock));
        break;
    case TS_RECORD_EXCEPTION_THROW:
    case TS_RECORD_EXCEPTION_CATCH:
        write_exception((const void *)at, at, words, out);
        break;
    case TS_RECORD_JUMP: {
        const struct ts_record_jump *record = (const void *)at;
        fprintf(out, " clock=%" PRIu64 " site=0x%" PRIx64 " value=%" PRId32, ts_record_u64(record->clock),
                ts_record_u64(record->site), record->value);
        break;
    }
    case TS_RECORD_PROCESS: {
        const struct ts_record_process *record = (const void *)at;
        fprintf(out, " clock=%" PRIu64 " pid=%u parent_pid=%u process=%u parent_process=%u",
                ts_record_u64(record->clock), record->pid, record->parent_pid, record->process, record->parent_process);
        break;
    }
    case TS_RECORD_PROCESS_END: {
        const struct ts_record_process_end *record = (const void *)at;
        fprintf(out, " clock=%" PRIu64 " process=%u reason=%u status=%d", ts_record_u64(record->clock), record->process,
                record->reason, record->status);
        break;
    }
    case TS_RECORD_FORK: {
        const struct ts_record_fork *record = (const void *)at;
        fprintf(out, " clock=%" PRIu64 " child_pid=%u thread=%u", ts_record_u64(record->clock), record->child_pid,
                record->thread);
        break;
    }
    case TS_RECORD_EXEC: {
        const struct ts_record_exec *record = (const void *)at;
        fprintf(out, " clock=%" PRIu64 " thread=%u", ts_record_u64(record->clock), record->thread);
        write_text("path", at, words, sizeof(*record), record->path_bytes, out);
        break;
    }
    case TS_RECORD_SPAWN: {
        const struct ts_record_spawn *record = (const void *)at;
        fprintf(out, " clock=%" PRIu64 " child_pid=%u thread=%u", ts_record_u64(record->clock), record->child_pid,
                record->thread);
        write_text("path", at, words, sizeof(*record), record->path_bytes, out);
        break;
    }
    case TS_RECORD_THREAD_CREATE: {
        const struct ts_record_thread_create *record = (const void *)at;
        fprintf(out, " clock=%" PRIu64 " thread=%u", ts_record_u64(record->clock), record->thread);
        break;
    }
    case TS_RECORD_THREAD_NAME: {
        const struct ts_record_thread_name *record = (const void *)at;
        fprintf(out, " clock=%" PRIu64 " thread_pointer=0x%" PRIx64, ts_record_u64(record->clock),
                ts_record_u64(record->thread_pointer));
        write_text("name", at, words, sizeof(*record), record->name_bytes, out);
        break;
    }
    case TS_RECORD_CRASH:
        write_crash((const void *)at, at, words, out);
        break;
    case TS_RECORD_LOAD:
        write_load((const void *)at, at, words, out);
        break;
    case TS_RECORD_UNLOAD: {
        const struct ts_record_unload *record = (const void *)at;
        fprintf(out, " clock=%" PRIu64 " low=0x%" PRIx64 " generation=%u", ts_record_u64(record->clock),
                ts_record_u64(record->low), record->generation);
        break;
    }
    case TS_RECORD_METADATA: {
        const struct ts_record_metadata *record = (const void *)at;
        fprintf(out, " key=%u", record->key);
        write_text("value", at, words, sizeof(*record), record->value_bytes, out);
        break;
    }
    case TS_RECORD_SWITCH: {
        const struct ts_record_switch *record = (const void *)at;
        fprintf(out, " clock=%" PRIu64 " track=%u kind=%u depth=%" PRIu64, ts_record_u64(record->clock), record->track,
                record->kind, ts_record_u64(record->depth));
        break;
    }
    case TS_RECORD_UNWIND: {
        const struct ts_record_unwind *record = (const void *)at;
        fprintf(out, " clock=%" PRIu64 " count=%u reason=%u", ts_record_u64(record->clock), record->count,
                record->reason);
        break;
    }
    case TS_RECORD_LOST: {
        const struct ts_record_lost *record = (const void *)at;
        fprintf(out, " clock=%" PRIu64 " count=%" PRIu64 " reason=%u", ts_record_u64(record->clock),
                ts_record_u64(record->count), record->reason);
        break;
    }
    case TS_RECORD_ENTER_WIDE: {
        const struct ts_record_enter_wide *record = (const void *)at;
        fprintf(out, " clock=%" PRIu64 " address=0x%" PRIx64, ts_record_u64(record->clock),
                ts_record_u64(record->address));
        write_words("arguments", at, words, sizeof(*record), out);
        break;
    }
    case TS_RECORD_RESULT: {
        const struct ts_record_result *record = (const void *)at;
        fprintf(out, " clock=%" PRIu64 " error=0x%x value=0x%" PRIx64, ts_record_u64(record->clock), record->error,
                ts_record_u64(record->value));
        write_words("filled", at, words, sizeof(*record), out);
        break;
    }
    case TS_RECORD_HOOK:
        write_hook((const void *)at, at, words, out);
        break;
    case TS_RECORD_DESCRIPTOR:
        write_descriptor((const void *)at, at, words, out);
        break;
    case TS_RECORD_SLOTS: {
        const struct ts_record_slots *record = (const void *)at;
        fprintf(out, " generation=%u patched=%u left=%u refused=%u", record->generation, record->patched, record->left,
                record->refused);
        break;
    }
    case TS_RECORD_LINE_COUNTS:
        write_line_counts((const void *)at, at, words, out);
        break;
    case TS_RECORD_BRANCH_COUNTS: {
        const struct ts_record_branch_counts *record = (const void *)at;
        fprintf(out, " clock=%" PRIu64 " address=0x%" PRIx64 " cases=%u", ts_record_u64(record->clock),
                ts_record_u64(record->address), record->cases);
        write_words("counts", at, words, sizeof(*record), out);
        break;
    }
    case TS_RECORD_COMPARES: {
        const struct ts_record_compares *record = (const void *)at;
        fprintf(out, " clock=%" PRIu64 " address=0x%" PRIx64 " bytes=%u is_float=%u pairs=%u others=%" PRIu64,
                ts_record_u64(record->clock), ts_record_u64(record->address), record->bytes, record->is_float,
                record->pairs, ts_record_u64(record->others));
        write_words("compared", at, words, sizeof(*record), out);
        break;
    }
    case TS_RECORD_CALL_SITE:
        fprintf(out, " address=0x%08x", ((const struct ts_record_call_site *)(const void *)at)->address);
        break;
    case TS_RECORD_STACK:
        fprintf(out, " frame=%u", ((const struct ts_record_stack *)(const void *)at)->frame);
        break;
    case TS_RECORD_FRAME: {
        const struct ts_record_frame *record = (const void *)at;
        fprintf(out, " frame=%u outer=%u address=0x%" PRIx64, record->frame, record->outer,
                ts_record_u64(record->address));
        break;
    }
    case TS_RECORD_CLOCK_PAIR: {
        const struct ts_record_clock_pair *record = (const void *)at;
        fprintf(out, " clock=%" PRIu64 " monotonic_ns=%" PRIu64 " realtime_ns=%" PRIu64, ts_record_u64(record->clock),
                ts_record_u64(record->monotonic_ns), ts_record_u64(record->realtime_ns));
        break;
    }
    default:
        break;
    }
}

static void write_tagged(const uint32_t *at, uint32_t words, FILE *out) {
    uint32_t type = TS_HEAD_TYPE(*at);
    const char *name = ts_record_name(type);
    if (name)
        for (; *name; name++)
            putc(tolower((unsigned char)*name), out);
    else
        fprintf(out, "unknown type=%u", type);
    if (*at & TS_HEAD_MUST_KNOW)
        fputs(" must_know", out);
    fprintf(out, " words=%u", words);
    write_fields(at, words, out);
}

void ts_dump_record(enum ts_word word, const uint32_t *at, uint32_t words, uint64_t *newest, FILE *out) {
    switch (word) {
    case TS_WORD_ENTER:
        fprintf(out, "enter clock=%" PRIu64 " address=0x%08x", ts_record_clock(newest, *at), at[1]);
        break;
    case TS_WORD_EXIT:
        fprintf(out, "exit clock=%" PRIu64, ts_record_clock(newest, *at));
        break;
    case TS_WORD_PENDING:
        fprintf(out, "pending words=%u", words);
        break;
    case TS_WORD_TAGGED:
        write_tagged(at, words, out);
        if (TS_HEAD_TYPE(*at) == TS_RECORD_TIME) {
            uint64_t clock = ts_record_u64(((const struct ts_record_time *)(const void *)at)->clock);
            *newest = clock > *newest ? clock : *newest;
        }
        break;
    default:
        fprintf(out, "damaged word=0x%08x: what follows in this window cannot be read", *at);
    }
    putc('\n', out);
}
