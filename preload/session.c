#include "preload/session.h"
#include "collector/placement.h"
#include "collector/system.h"
#include "collector/trace_file.h"
#include "preload/message.h"
#include "preload/output_directory.h"
#include "preload/output_pattern.h"

TS_LARGE_TABLE static char directory[4096];
static int first_pid;

const char *ts_session_directory(void) {
    return directory;
}

int ts_session_first_pid(void) {
    return first_pid;
}

const char *ts_session_sign(const char *value) {
    while (*value >= '0' && *value <= '9')
        value++;
    return value;
}

int ts_session_begins_paused(char *const *environment, int wanted) {
    const char *variable = ts_options_variable(environment, TS_SESSION_VARIABLE);
    char sign = variable ? *ts_session_sign(variable) : 0;
    return sign == TS_SESSION_PAUSED || (wanted && sign != TS_SESSION_ON);
}

/* As an executing process left it. */
static int join(const char *variable) {
    uint64_t pid = 0;
    struct stat status;
    if (!variable)
        return -1;
    for (; *variable >= '0' && *variable <= '9' && pid < UINT32_MAX; variable++)
        pid = pid * 10 + (uint64_t)(*variable - '0');
    if ((*variable != TS_SESSION_ON && *variable != TS_SESSION_PAUSED) || variable[1] != '/' || !pid ||
        ts_text_length(variable + 1) >= sizeof directory)
        return -1;
    if (ts_system_failed(ts_system_stat(variable + 1, &status)) || !S_ISDIR(status.st_mode))
        return -1;
    struct ts_text path = TS_TEXT_IN(directory);
    ts_text_add(&path, variable + 1);
    first_pid = (int)pid;
    return 0;
}

static int make_trace(const struct ts_options *options, const struct ts_preamble *preamble, const uint8_t *trace_id,
                      const uint8_t *parent_span_id, struct ts_text *reason, int *place_refused) {
    char note_buffer[512];
    struct ts_text note = TS_TEXT_IN(note_buffer);
    note_buffer[0] = 0;
    struct ts_trace_file_options file = {
        .directory = directory, .max_bytes = options->max_size, .full_mode = options->full};
    for (unsigned i = 0; i < sizeof file.trace_id; i++)
        file.trace_id[i] = trace_id[i];
    for (unsigned i = 0; i < sizeof file.parent_span_id; i++)
        file.parent_span_id[i] = parent_span_id[i];
    if (ts_trace_file_create(&file, preamble, reason, &note, place_refused))
        return -1;
    if (note.used)
        ts_message(note_buffer, NULL, NULL);
    return 0;
}

/* One place: the directory, then the trace in it. 0; -1: `reason` says why not. */
static int try_place(const char *pattern, const struct ts_options *options, char *const *environment,
                     const char *executable, const struct ts_preamble *preamble, const uint8_t *trace_id,
                     const uint8_t *parent_span_id, struct ts_text *reason, int *place_refused) {
    char note_buffer[8400];
    struct ts_text path = TS_TEXT_IN(directory), note = TS_TEXT_IN(note_buffer);
    note_buffer[0] = 0;
    directory[0] = 0;
    *place_refused = 0;
    int is_pattern = ts_output_pattern_fill(&path, pattern, executable, environment);
    enum ts_output_outcome outcome = ts_output_directory_prepare(&path, is_pattern, trace_id, reason, &note);
    if (outcome == TS_OUTPUT_FAILED)
        return -1;
    first_pid = outcome == TS_OUTPUT_JOINED ? 0 : ts_system_getpid();
    if (note.used)
        ts_message(note_buffer, NULL, NULL);
    if (make_trace(options, preamble, trace_id, parent_span_id, reason, place_refused) == 0)
        return 0;
    if (outcome == TS_OUTPUT_MADE)
        ts_output_directory_remove(directory);
    return -1;
}

int ts_session_begin(const struct ts_options *options, char *const *environment, const char *executable,
                     const struct ts_preamble *preamble, const uint8_t *trace_id, const uint8_t *parent_span_id) {
    char reason_buffer[256], failed[4096], pattern[4096];
    struct ts_text reason = TS_TEXT_IN(reason_buffer);
    reason_buffer[0] = failed[0] = 0;
    int place_refused;
    if (join(ts_options_variable(environment, TS_SESSION_VARIABLE)) == 0) {
        if (make_trace(options, preamble, trace_id, parent_span_id, &reason, &place_refused) == 0)
            return 0;
        ts_message(executable, " is not recorded: ", reason_buffer);
        directory[0] = 0;
        return -1;
    }
    if (try_place(options->output ? options->output : TS_OUTPUT_DEFAULT, options, environment, executable, preamble,
                  trace_id, parent_span_id, &reason, &place_refused) == 0)
        return 0;
    struct ts_text first = TS_TEXT_IN(failed), fallback = TS_TEXT_IN(pattern);
    ts_text_add(&first, directory);
    ts_text_add(&first, " cannot be used: ");
    ts_text_add(&first, reason_buffer);
    if (!options->output || place_refused) {
        ts_output_pattern_temporary(&fallback, environment);
        reason.used = 0;
        if (try_place(pattern, options, environment, executable, preamble, trace_id, parent_span_id, &reason,
                      &place_refused) == 0) {
            ts_text_add(&first, "; the trace goes to ");
            ts_message(failed, directory, NULL);
            return 0;
        }
        ts_text_add(&first, ", nor ");
        ts_text_add(&first, directory);
        ts_text_add(&first, ": ");
        ts_text_add(&first, reason_buffer);
    }
    ts_message(failed, "; the program runs untraced; TRACE_OUTPUT names another place", NULL);
    directory[0] = 0;
    return -1;
}
