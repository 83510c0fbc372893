#include "render/otlp_resource.h"

#include "render/otlp_attributes.h"
#include "render/session_facts.h"

/* Of the arguments of a process, as each line repeats them: so many bytes, then an argument `…`. */
#define ARGUMENT_BYTES_MOST ((size_t)4096)
#define ARGUMENTS_MOST 64

static void add_metadata(struct ts_json_text *json, const char *key, const struct ts_process *process,
                         enum ts_metadata_key metadata_key) {
    const struct ts_metadata *metadata = ts_session_facts_metadata(process, metadata_key);
    if (metadata && *metadata->value)
        ts_otlp_attribute_add_text(json, key, metadata->value);
}

static void add_arguments(struct ts_json_text *json, const struct ts_process *process) {
    const struct ts_metadata *metadata = ts_session_facts_metadata(process, TS_METADATA_COMMAND_LINE);
    struct ts_value arguments[ARGUMENTS_MOST + 1];
    size_t count = 0, at = 0;
    if (!metadata)
        return;
    while (at < metadata->value_bytes) {
        size_t bytes = strlen(metadata->value + at);
        if (count == ARGUMENTS_MOST || at + bytes > ARGUMENT_BYTES_MOST) {
            arguments[count++] = ts_value_string("…");
            break;
        }
        arguments[count++] = ts_value_string(metadata->value + at);
        at += bytes + 1;
    }
    if (count)
        ts_otlp_attribute_add(
            json, &(struct ts_attribute){"process.command_args",
                                         {.kind = TS_VALUE_LIST, .list = {.items = arguments, .count = count}}});
}

void ts_otlp_resource_write(const struct ts_process *process, struct ts_json_text *json) {
    ts_json_text_put(json, "{\"attributes\":[");
    ts_otlp_attribute_add_text(json, "service.name", process->name);
    add_metadata(json, "host.name", process, TS_METADATA_HOST);
    ts_otlp_attribute_add_number(json, "process.pid", process->pid);
    if (process->parent_pid)
        ts_otlp_attribute_add_number(json, "process.parent_pid", process->parent_pid);
    add_metadata(json, "process.executable.path", process, TS_METADATA_EXECUTABLE);
    add_arguments(json, process);
    add_metadata(json, "process.working_directory", process, TS_METADATA_WORKING_DIRECTORY);
    if (process->mpi_rank >= 0)
        ts_otlp_attribute_add_number(json, "mpi.rank", (uint64_t)process->mpi_rank);
    if (process->mpi_size >= 0)
        ts_otlp_attribute_add_number(json, "mpi.size", (uint64_t)process->mpi_size);
    ts_otlp_end_list(json);
    ts_json_text_put(json, "]}");
}
