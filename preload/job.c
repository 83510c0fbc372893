#include "preload/job.h"
#include "collector/system.h"
#include "preload/options.h"

static const char *first_of(char *const *environment, const char *const *names) {
    for (; *names; names++) {
        const char *value = ts_options_variable(environment, *names);
        if (value && *value)
            return value;
    }
    return NULL;
}

const char *ts_job_rank(char *const *environment) {
    static const char *const names[] = {"PMIX_RANK",           "OMPI_COMM_WORLD_RANK", "PMI_RANK",
                                        "MV2_COMM_WORLD_RANK", "MPI_RANKID",           "PALS_RANKID",
                                        "ALPS_APP_PE",         "FLUX_TASK_RANK",       NULL};
    return first_of(environment, names);
}

const char *ts_job_size(char *const *environment) {
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE",      "MV2_COMM_WORLD_SIZE",
                                        "MPI_NRANKS",           "FLUX_JOB_SIZE", NULL};
    return first_of(environment, names);
}

static int hex_digit(char character) {
    if (character >= '0' && character <= '9')
        return character - '0';
    return character >= 'a' && character <= 'f' ? character - 'a' + 10 : -1;
}

static int read_hex(const char *text, uint8_t *bytes, unsigned count) {
    int any = 0;
    for (unsigned i = 0; i < count; i++) {
        int high = hex_digit(text[2 * i]), low = high < 0 ? -1 : hex_digit(text[2 * i + 1]);
        if (low < 0)
            return -1;
        bytes[i] = (uint8_t)(high << 4 | low);
        any |= bytes[i];
    }
    return any ? 0 : -1;
}

/* 00-<32 hex>-<16 hex>-<2 hex>; a higher version may go on behind another dash. */
static int read_traceparent(const char *text, uint8_t trace_id[16], uint8_t parent_span_id[8]) {
    uint8_t version;
    if (!text || ts_text_length(text) < 55 || text[2] != '-' || text[35] != '-' || text[52] != '-')
        return -1;
    int zero = text[0] == '0' && text[1] == '0';
    if (!zero && (read_hex(text, &version, 1) || version == 0xff || (text[55] && text[55] != '-')))
        return -1;
    if ((zero && text[55]) || hex_digit(text[53]) < 0 || hex_digit(text[54]) < 0)
        return -1;
    return read_hex(text + 3, trace_id, 16) || read_hex(text + 36, parent_span_id, 8) ? -1 : 0;
}

static void hash_into(uint8_t id[16], const char *text) {
    uint64_t hash[2] = {UINT64_C(0xcbf29ce484222325), UINT64_C(0x84222325cbf29ce4)};
    for (; *text; text++)
        for (unsigned i = 0; i < 2; i++)
            hash[i] = (hash[i] ^ ((uint8_t)*text + 97 * i)) * UINT64_C(0x100000001b3);
    for (unsigned i = 0; i < 16; i++)
        id[i] = (uint8_t)(id[i] ^ hash[i / 8] >> 8 * (i % 8));
}

void ts_job_trace_id(char *const *environment, uint8_t trace_id[16], uint8_t parent_span_id[8]) {
    static const char *const jobs[] = {"PMIX_NAMESPACE", "SLURM_JOB_ID", NULL};
    for (unsigned i = 0; i < 8; i++)
        parent_span_id[i] = 0;
    if (read_traceparent(ts_options_variable(environment, "TRACEPARENT"), trace_id, parent_span_id) == 0)
        return;
    for (unsigned i = 0; i < 8; i++)
        parent_span_id[i] = 0;
    for (unsigned i = 0; i < 16; i++)
        trace_id[i] = 0;
    const char *job = ts_job_rank(environment) ? first_of(environment, jobs) : NULL;
    if (job) {
        char both[512];
        struct ts_text text = TS_TEXT_IN(both);
        both[0] = 0;
        ts_text_add(&text, job);
        const char *step = ts_options_variable(environment, "SLURM_STEP_ID");
        if (step) {
            ts_text_add(&text, ".");
            ts_text_add(&text, step);
        }
        hash_into(trace_id, both);
        return;
    }
    ts_system_getrandom(trace_id, 16);
}
