/* Rows B6, B8, B11. */
#include "preload/job.h"

#include <criterion/criterion.h>
#include <string.h>

static const uint8_t zero[16];
#define ID "0af7651916cd43dd8448eb211c80319c"
#define SPAN "b7ad6b7169203331"
static const uint8_t id[16] = {0x0a, 0xf7, 0x65, 0x19, 0x16, 0xcd, 0x43, 0xdd,
                               0x84, 0x48, 0xeb, 0x21, 0x1c, 0x80, 0x31, 0x9c};
static const uint8_t span[8] = {0xb7, 0xad, 0x6b, 0x71, 0x69, 0x20, 0x33, 0x31};

static const struct {
    const char *text;
    int accepted;
} parents[] = {
    {"00-" ID "-" SPAN "-01", 1},
    {"00-" ID "-" SPAN "-00", 1},
    {"00-" ID "-" SPAN "-ff", 1},
    {"01-" ID "-" SPAN "-01", 1},
    {"cc-" ID "-" SPAN "-01-what-the-future-brings", 1},
    {"00-" ID "-" SPAN "-01-more", 0},
    {"01-" ID "-" SPAN "-01.more", 0},
    {"ff-" ID "-" SPAN "-01", 0},
    {"00-" ID "-" SPAN "-0", 0},
    {"00-" ID "-" SPAN "-0g", 0},
    {"00-" ID "-" SPAN "-", 0},
    {"00-" ID "-" SPAN, 0},
    {"00-" ID "_" SPAN "-01", 0},
    {"0x-" ID "-" SPAN "-01", 0},
    {"00-00000000000000000000000000000000-" SPAN "-01", 0},
    {"00-" ID "-0000000000000000-01", 0},
    {"00-0AF7651916CD43DD8448EB211C80319C-" SPAN "-01", 0},
    {"00-0af7651916cd43dd8448eb211c80319-" SPAN "-011", 0},
    {" 00-" ID "-" SPAN "-01", 0},
    {"", 0},
    {"0", 0},
};

Test(job, traceparents) {
    for (size_t i = 0; i < sizeof parents / sizeof *parents; i++) {
        char variable[128] = "TRACEPARENT=";
        char *environment[] = {strcat(variable, parents[i].text), NULL};
        uint8_t trace_id[16] = {1}, parent_span_id[8] = {1};
        ts_job_trace_id(environment, trace_id, parent_span_id);
        cr_assert_eq(memcmp(trace_id, id, 16) == 0, parents[i].accepted, "%s", parents[i].text);
        cr_assert_eq(memcmp(parent_span_id, parents[i].accepted ? span : zero, 8), 0, "%s", parents[i].text);
        cr_assert_neq(memcmp(trace_id, zero, 16), 0);
    }
}

static void trace_id_of(char *const *environment, uint8_t trace_id[16]) {
    uint8_t parent_span_id[8];
    ts_job_trace_id(environment, trace_id, parent_span_id);
    cr_assert_eq(memcmp(parent_span_id, zero, 8), 0);
    cr_assert_neq(memcmp(trace_id, zero, 16), 0);
}

Test(job, without_a_job_ids_are_random) {
    char *alone[] = {"SLURM_JOB_ID=17", NULL};
    uint8_t one[16], other[16];
    trace_id_of(alone, one);
    trace_id_of(alone, other);
    cr_assert_neq(memcmp(one, other, 16), 0, "a batch script's programs are no ranks of one job");
}

Test(job, ranks_of_a_job_agree_without_a_message) {
    char *rank0[] = {"PMIX_RANK=0", "PMIX_NAMESPACE=job-1", NULL};
    char *rank1[] = {"PMIX_NAMESPACE=job-1", "PMIX_RANK=1", NULL};
    char *other[] = {"PMIX_RANK=0", "PMIX_NAMESPACE=job-2", NULL};
    char *step1[] = {"PMI_RANK=0", "SLURM_JOB_ID=9", "SLURM_STEP_ID=1", NULL};
    char *step1_too[] = {"PMI_RANK=1", "SLURM_STEP_ID=1", "SLURM_JOB_ID=9", NULL};
    char *step2[] = {"PMI_RANK=0", "SLURM_JOB_ID=9", "SLURM_STEP_ID=2", NULL};
    uint8_t one[16], same[16], different[16];
    trace_id_of(rank0, one);
    trace_id_of(rank1, same);
    trace_id_of(other, different);
    cr_assert_eq(memcmp(one, same, 16), 0);
    cr_assert_neq(memcmp(one, different, 16), 0);
    trace_id_of(step1, one);
    trace_id_of(step1_too, same);
    trace_id_of(step2, different);
    cr_assert_eq(memcmp(one, same, 16), 0);
    cr_assert_neq(memcmp(one, different, 16), 0);
}

/* Both variables are hashed one behind the other: where one ends must count. */
Test(job, a_job_and_its_step_are_not_mixed_up) {
    char *job1_step11[] = {"PMI_RANK=0", "SLURM_JOB_ID=1", "SLURM_STEP_ID=11", NULL};
    char *job11_step1[] = {"PMI_RANK=0", "SLURM_JOB_ID=11", "SLURM_STEP_ID=1", NULL};
    uint8_t one[16], other[16];
    trace_id_of(job1_step11, one);
    trace_id_of(job11_step1, other);
    cr_assert_neq(memcmp(one, other, 16), 0);
}

Test(job, traceparent_wins_over_the_job) {
    char *environment[] = {"PMIX_RANK=3", "PMIX_NAMESPACE=j", "TRACEPARENT=00-" ID "-" SPAN "-01", NULL};
    uint8_t trace_id[16], parent_span_id[8];
    ts_job_trace_id(environment, trace_id, parent_span_id);
    cr_assert_eq(memcmp(trace_id, id, 16), 0);
}

Test(job, rank_and_size_of_every_launcher) {
    static const char *const ranks[] = {"PMIX_RANK=0",           "OMPI_COMM_WORLD_RANK=0", "PMI_RANK=0",
                                        "MV2_COMM_WORLD_RANK=0", "MPI_RANKID=0",           "PALS_RANKID=0",
                                        "ALPS_APP_PE=0",         "FLUX_TASK_RANK=0"};
    static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE=12", "PMI_SIZE=12", "MV2_COMM_WORLD_SIZE=12",
                                        "MPI_NRANKS=12", "FLUX_JOB_SIZE=12"};
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
        char *environment[] = {"HOME=/", (char *)ranks[i], NULL};
        cr_assert_not_null(ts_job_rank(environment), "%s", ranks[i]);
        cr_assert_str_eq(ts_job_rank(environment), "0", "rank 0 is a rank");
    }
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *environment[] = {(char *)sizes[i], NULL};
        cr_assert_not_null(ts_job_size(environment), "%s", sizes[i]);
        cr_assert_str_eq(ts_job_size(environment), "12");
    }
    char *none[] = {"RANK=1", "SLURM_PROCID=4", NULL};
    cr_assert_null(ts_job_rank(none));
    cr_assert_null(ts_job_size(none));
    cr_assert_null(ts_job_rank(NULL));
}
