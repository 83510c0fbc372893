/* What the comparisons of selected functions compare: -fsanitize-coverage=trace-cmp and TRACE_COMPARES. */
#include "collector/counts.h"
#include "collector/recorder_pause.h"
#include "collector/system.h"
#include "float_arguments.h"
#include "preload/coverage.h"
#include "preload/export.h"
#include "preload/function_list.h"

#include <sys/mman.h>

/* Different pairs of operands that are kept of a comparison; the others are counted. */
#define PAIRS 16u

/* A pair that a comparison is filling in, which a handler leaves alone. */
#define BEING_FILLED (UINT64_C(1) << 63)

/* Code of the functions that are wanted. Replaced as a whole, for the threads that look into it meanwhile. */
struct ranges {
    uint64_t count;
    struct {
        uint64_t low;
        uint64_t high;
    } items[];
};

static const char *globs; /* NULL: no comparison is recorded */
static struct ranges *wanted;

void ts_coverage_compares_begin(const char *the_globs) {
    globs = the_globs;
}

static struct ranges *copy_without(uint64_t low, uint64_t high, uint64_t more) {
    uint64_t count = wanted ? wanted->count : 0;
    uint64_t bytes = sizeof *wanted + (count + more) * sizeof wanted->items[0];
    int64_t memory = ts_system_mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (ts_system_failed(memory))
        return NULL;
    struct ranges *ranges = (struct ranges *)memory;
    for (uint64_t i = 0; i < count; i++)
        if (wanted->items[i].low - low >= high - low)
            ranges->items[ranges->count++] = wanted->items[i];
    return ranges;
}

static void add_range(struct ranges *ranges, uint64_t low, uint64_t high) {
    ranges->items[ranges->count].low = low;
    ranges->items[ranges->count++].high = high;
}

static int compares(const struct ts_elf_object *object) {
    static const char *const names[] = {"__sanitizer_cov_trace_cmp1",       "__sanitizer_cov_trace_cmp2",
                                        "__sanitizer_cov_trace_cmp4",       "__sanitizer_cov_trace_cmp8",
                                        "__sanitizer_cov_trace_const_cmp1", "__sanitizer_cov_trace_const_cmp2",
                                        "__sanitizer_cov_trace_const_cmp4", "__sanitizer_cov_trace_const_cmp8",
                                        "__sanitizer_cov_trace_cmpf",       "__sanitizer_cov_trace_cmpd"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (ts_elf_object_undefined(object, names[i]))
            return 1;
    return 0;
}

/* A function ends where the next one begins: the list has them all. Without an answer every comparison is wanted. */
void ts_coverage_compares_add_module(const struct ts_module *module) {
    const struct ts_elf_object *object = &module->object;
    if (!globs || !compares(object))
        return;
    const struct ts_function_list *list = ts_function_list_of(module, "TRACE_COMPARES", globs);
    struct ranges *ranges = copy_without(object->low, object->high, list ? list->count : 1);
    if (!ranges)
        return;
    if (!list)
        add_range(ranges, object->low, object->high);
    for (uint64_t i = 0; list && i < list->count; i++)
        if (list->functions[i] & 1)
            add_range(ranges, object->bias + (list->functions[i] >> 1),
                      i + 1 < list->count ? object->bias + (list->functions[i + 1] >> 1) : object->high);
    __atomic_store_n(&wanted, ranges, __ATOMIC_RELEASE);
}

void ts_coverage_compares_forget(uint64_t low, uint64_t high) {
    const struct ranges *ranges = wanted;
    for (uint64_t i = 0; ranges && i < ranges->count; i++)
        if (ranges->items[i].low - low < high - low) {
            struct ranges *rest = copy_without(low, high, 0);
            if (rest)
                __atomic_store_n(&wanted, rest, __ATOMIC_RELEASE);
            return;
        }
}

static int is_wanted(uint64_t address) {
    const struct ranges *ranges = __atomic_load_n(&wanted, __ATOMIC_ACQUIRE);
    for (uint64_t i = 0; ranges && i < ranges->count; i++)
        if (address > ranges->items[i].low && address <= ranges->items[i].high)
            return 1;
    return 0;
}

static struct ts_record_compares *make(uint64_t address, uint32_t bytes, int is_float) {
    struct ts_record_compares record = {.address = {(uint32_t)address, (uint32_t)(address >> 32)},
                                        .bytes = bytes,
                                        .is_float = (uint32_t)is_float,
                                        .pairs = PAIRS};
    struct ts_counts_parts parts = {.type = TS_RECORD_COMPARES};
    if (is_wanted(address)) {
        parts.record = &record;
        parts.record_bytes = sizeof record;
        parts.zeros = PAIRS * sizeof(struct ts_compared);
    }
    return ts_counts_make(address | TS_COUNTS_PLACE, &parts);
}

struct pair { /* struct ts_compared, aligned */
    volatile uint64_t left;
    volatile uint64_t right;
    volatile uint64_t count;
};

static void compared(uint64_t address, uint64_t left, uint64_t right, uint32_t bytes, int is_float) {
    if (ts_recorder_pauses())
        return;
    struct ts_record_compares *record = ts_counts_find(address | TS_COUNTS_PLACE);
    if (!record)
        record = make(address, bytes, is_float);
    if (!record || (void *)record == &ts_counts_nothing)
        return;
    struct pair *pairs = (struct pair *)(record + 1);
    for (unsigned i = 0; i < PAIRS; i++) {
        struct pair *pair = &pairs[i];
        if (!pair->count && ts_cpu_replace(&pair->count, 0, BEING_FILLED)) {
            pair->left = left;
            pair->right = right;
            pair->count = 1;
            return;
        }
        if (pair->count != BEING_FILLED && pair->left == left && pair->right == right) {
            ts_cpu_reserve(&pair->count, 1);
            return;
        }
    }
    ts_cpu_reserve((volatile uint64_t *)((char *)record + offsetof(struct ts_record_compares, others)), 1);
}

#define RETURN_ADDRESS ((uint64_t)__builtin_return_address(0))

/* The operand that is a constant comes first. */
#define COMPARE(name, type)                                                                                            \
    void __sanitizer_cov_trace_##name(type left, type right);                                                          \
    TS_EXPORT void __sanitizer_cov_trace_##name(type left, type right) {                                               \
        if (globs)                                                                                                     \
            compared(RETURN_ADDRESS, left, right, sizeof(type), 0);                                                    \
    }
COMPARE(cmp1, uint8_t)
COMPARE(cmp2, uint16_t)
COMPARE(cmp4, uint32_t)
COMPARE(cmp8, uint64_t)
COMPARE(const_cmp1, uint8_t)
COMPARE(const_cmp2, uint16_t)
COMPARE(const_cmp4, uint32_t)
COMPARE(const_cmp8, uint64_t)
#undef COMPARE

/* Called with two floats and two doubles, in registers that the shim's own code does not use. */
void __sanitizer_cov_trace_cmpf(void);
void __sanitizer_cov_trace_cmpd(void);

TS_EXPORT void __sanitizer_cov_trace_cmpf(void) {
    if (globs)
        compared(RETURN_ADDRESS, ts_float_argument(0), ts_float_argument(1), sizeof(float), 1);
}

TS_EXPORT void __sanitizer_cov_trace_cmpd(void) {
    if (globs)
        compared(RETURN_ADDRESS, ts_double_argument(0), ts_double_argument(1), sizeof(double), 1);
}
