/* Records that open and close no calls: each is its struct and its bytes. */
#include "tests/unit/render/trace_builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void trace_builder_process(struct trace_builder *builder, uint64_t clock, uint32_t pid, uint32_t parent_pid,
                           uint32_t process, uint32_t parent_process) {
    struct ts_record_process record = {
        .pid = pid, .parent_pid = parent_pid, .process = process, .parent_process = parent_process};
    trace_builder_split(&record.clock, clock);
    trace_builder_record(builder, TS_RECORD_PROCESS, &record, sizeof(record), NULL, 0);
}

void trace_builder_process_end(struct trace_builder *builder, uint64_t clock, uint32_t process, uint32_t reason,
                               int32_t status) {
    struct ts_record_process_end record = {.process = process, .reason = reason, .status = status};
    trace_builder_split(&record.clock, clock);
    trace_builder_record(builder, TS_RECORD_PROCESS_END, &record, sizeof(record), NULL, 0);
}

void trace_builder_exec(struct trace_builder *builder, uint64_t clock, uint32_t thread, const char *path) {
    struct ts_record_exec record = {.thread = thread, .path_bytes = (uint32_t)strlen(path)};
    trace_builder_split(&record.clock, clock);
    trace_builder_record(builder, TS_RECORD_EXEC, &record, sizeof(record), path, record.path_bytes);
}

void trace_builder_thread_name(struct trace_builder *builder, uint64_t clock, uint64_t thread_pointer,
                               const char *name) {
    struct ts_record_thread_name record = {.name_bytes = (uint32_t)strlen(name)};
    trace_builder_split(&record.clock, clock);
    trace_builder_split(&record.thread_pointer, thread_pointer);
    trace_builder_record(builder, TS_RECORD_THREAD_NAME, &record, sizeof(record), name, record.name_bytes);
}

void trace_builder_load(struct trace_builder *builder, uint64_t clock, uint64_t bias, uint64_t low, uint64_t high,
                        uint32_t generation, uint32_t flags, const char *path) {
    struct ts_record_load record = {.generation = generation, .flags = flags, .path_bytes = (uint32_t)strlen(path)};
    trace_builder_split(&record.clock, clock);
    trace_builder_split(&record.bias, bias);
    trace_builder_split(&record.low, low);
    trace_builder_split(&record.high, high);
    trace_builder_record(builder, TS_RECORD_LOAD, &record, sizeof(record), path, record.path_bytes);
}

void trace_builder_unload(struct trace_builder *builder, uint64_t clock, uint64_t low, uint32_t generation) {
    struct ts_record_unload record = {.generation = generation};
    trace_builder_split(&record.clock, clock);
    trace_builder_split(&record.low, low);
    trace_builder_record(builder, TS_RECORD_UNLOAD, &record, sizeof(record), NULL, 0);
}

void trace_builder_metadata(struct trace_builder *builder, uint32_t key, const void *value, uint32_t value_bytes) {
    struct ts_record_metadata record = {.key = key, .value_bytes = value_bytes};
    trace_builder_record(builder, TS_RECORD_METADATA, &record, sizeof(record), value, value_bytes);
}

void trace_builder_executable(struct trace_builder *builder, const char *path, uint64_t bias) {
    uint32_t pid = trace_builder_header(builder)->pid;
    trace_builder_process(builder, 0, pid, 1, 1, 0);
    trace_builder_metadata(builder, TS_METADATA_EXECUTABLE, path, (uint32_t)strlen(path));
    trace_builder_metadata(builder, TS_METADATA_COMMAND_LINE, path, (uint32_t)strlen(path) + 1);
    trace_builder_load(builder, 0, bias, bias, bias + (UINT64_C(1) << 20), 1, TS_LOAD_EXECUTABLE | TS_LOAD_INSTRUMENTED,
                       path);
}

void trace_builder_hook(struct trace_builder *builder, uint64_t clock, const struct trace_hook *hook) {
    struct ts_record_hook record = {
        .flags = hook->flags,
        .name_bytes = (uint32_t)strlen(hook->name),
        .module_bytes = (uint32_t)strlen(hook->module),
        .signature_bytes = hook->signature ? (uint32_t)strlen(hook->signature) : 0,
        .pack_bytes = hook->pack ? (uint32_t)strlen(hook->pack) : 0,
    };
    uint32_t bytes = record.name_bytes + record.module_bytes + record.signature_bytes + record.pack_bytes;
    char *tail = calloc(bytes + 1, 1);
    if (!tail)
        abort();
    strcat(strcat(tail, hook->name), hook->module);
    strcat(strcat(tail, hook->signature ? hook->signature : ""), hook->pack ? hook->pack : "");
    trace_builder_split(&record.clock, clock);
    trace_builder_split(&record.address, hook->stub);
    trace_builder_split(&record.target, hook->target);
    trace_builder_record(builder, TS_RECORD_HOOK, &record, sizeof(record), tail, bytes);
    free(tail);
}

static void exception(struct trace_builder *builder, uint32_t type, uint64_t clock) {
    struct ts_record_exception record;
    trace_builder_split(&record.clock, clock);
    trace_builder_record(builder, type, &record, sizeof(record), NULL, 0);
}

void trace_builder_throw(struct trace_builder *builder, uint64_t clock) {
    exception(builder, TS_RECORD_EXCEPTION_THROW, clock);
}

void trace_builder_catch(struct trace_builder *builder, uint64_t clock) {
    exception(builder, TS_RECORD_EXCEPTION_CATCH, clock);
}

void trace_builder_exception(struct trace_builder *builder, uint32_t type, uint64_t clock, uint64_t site,
                             uint64_t header, uint32_t flags, const char *name, const char *message) {
    struct ts_record_exception_detail record = {
        .flags = flags,
        .type_bytes = name ? (uint32_t)strlen(name) : 0,
        .message_bytes = message ? (uint32_t)strlen(message) : 0,
    };
    char tail[1024];
    trace_builder_split(&record.clock, clock);
    trace_builder_split(&record.site, site);
    trace_builder_split(&record.header, header);
    int bytes = snprintf(tail, sizeof tail, "%s%s", name ? name : "", message ? message : "");
    trace_builder_record(builder, type, &record, sizeof(record), tail, (uint32_t)bytes);
}

void trace_builder_jump(struct trace_builder *builder, uint64_t clock, uint64_t site, int32_t value) {
    struct ts_record_jump record = {.value = value};
    trace_builder_split(&record.clock, clock);
    trace_builder_split(&record.site, site);
    trace_builder_record(builder, TS_RECORD_JUMP, &record, sizeof(record), NULL, 0);
}

static uint32_t put_padded(uint8_t *tail, uint32_t used, const void *bytes, uint32_t count) {
    if (count)
        memcpy(tail + used, bytes, count);
    return used + ((count + 3) & ~UINT32_C(3));
}

void trace_builder_descriptor(struct trace_builder *builder, int32_t fd, const char *text, const void *local,
                              uint32_t local_bytes, const void *peer, uint32_t peer_bytes) {
    struct ts_record_descriptor record = {
        .fd = fd, .text_bytes = (uint32_t)strlen(text), .local_bytes = local_bytes, .peer_bytes = peer_bytes};
    uint8_t *tail = calloc(record.text_bytes + local_bytes + peer_bytes + 12, 1);
    if (!tail)
        abort();
    uint32_t used = put_padded(tail, 0, text, record.text_bytes);
    used = put_padded(tail, used, local, local_bytes);
    used = put_padded(tail, used, peer, peer_bytes);
    trace_builder_record(builder, TS_RECORD_DESCRIPTOR, &record, sizeof(record), tail, used);
    free(tail);
}

void trace_values_word(struct trace_values *values, uint32_t word) {
    if (values->count == TRACE_VALUES_MOST)
        abort();
    values->words[values->count++] = word;
}

void trace_values_long(struct trace_values *values, uint64_t number) {
    trace_values_word(values, (uint32_t)number);
    trace_values_word(values, (uint32_t)(number >> 32));
}

void trace_values_bytes(struct trace_values *values, const void *bytes, uint32_t count, uint32_t flags) {
    uint32_t words = (count + 3) / 4;
    trace_values_word(values, count | flags);
    if (values->count + words > TRACE_VALUES_MOST)
        abort();
    memset(values->words + values->count, 0, words * sizeof(*values->words));
    if (count)
        memcpy(values->words + values->count, bytes, count);
    values->count += words;
}

void trace_values_text(struct trace_values *values, const char *text) {
    trace_values_bytes(values, text, (uint32_t)strlen(text), 0);
}
