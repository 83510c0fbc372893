#include "preload/function_filter.h"
#include "collector/glob.h"
#include "collector/kept_memory.h"
#include "collector/placement.h"

TS_LARGE_TABLE uint8_t ts_function_filter_unwanted[TS_FUNCTION_FILTER_BITS / 8];
TS_LARGE_TABLE uint8_t ts_function_filter_mixed[TS_FUNCTION_FILTER_BITS / 8];

/*
 * Code whose functions are known. Calls search them meanwhile: a place is never taken away, but used again for a module
 * that lies where another did, which is gone then.
 */
struct place {
    struct place *next;
    uint64_t low;
    uint64_t high;
    uint64_t bias;
    const struct ts_function_list *list; /* NULL: none of its functions is listed */
    int other;                           /* whether those that are not listed are wanted */
};
static struct place *places;

static const char *selection; /* NULL: every function is wanted */
static int selects_unknown;

void ts_function_filter_begin(const char *globs, uint64_t timeout_seconds) {
    selection = globs;
    selects_unknown = globs && ts_glob_list_selects(globs, "");
    ts_function_list_begin(timeout_seconds);
    for (unsigned i = 0; globs && i < sizeof ts_function_filter_unwanted; i++)
        ts_function_filter_unwanted[i] = 0xff;
}

int ts_function_filter_is_on(void) {
    return selection != NULL;
}

static uint64_t index_of(uint64_t function) {
    return function >> 4 & (TS_FUNCTION_FILTER_BITS - 1);
}

static void want(uint64_t index) {
    ts_function_filter_unwanted[index >> 3] &= (uint8_t) ~(1u << (index & 7));
}

static void mix(uint64_t index) {
    ts_function_filter_mixed[index >> 3] |= (uint8_t)(1u << (index & 7));
}

static const struct place *place_at(uint64_t function) {
    const struct place *place = __atomic_load_n(&places, __ATOMIC_ACQUIRE);
    for (; place; place = place->next)
        if (function < __atomic_load_n(&place->high, __ATOMIC_ACQUIRE) && function >= place->low)
            return place;
    return NULL;
}

int ts_function_filter_listed(uint64_t function) {
    const struct place *place = place_at(function);
    const struct ts_function_list *list = place ? place->list : NULL;
    uint64_t address = place ? function - place->bias : 0, low = 0, high = list ? list->count : 0;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (list->functions[middle] >> 1 < address)
            low = middle + 1;
        else
            high = middle;
    }
    if (list && low < list->count && list->functions[low] >> 1 == address)
        return list->functions[low] & 1;
    return place && place->other;
}

/*
 * What lay there before is gone. While the first such place is changed, any mixture of old and new bounds lies within
 * the two together: no other module's function is looked up in it.
 */
static struct place *free_place(uint64_t low, uint64_t high) {
    struct place *found = NULL;
    for (struct place *place = places; place; place = place->next)
        if (place->low < high && low < place->high) {
            __atomic_store_n(&place->high, 0, __ATOMIC_RELEASE);
            found = place;
        }
    return found;
}

/* 0, or -1 when there is no memory for it. */
static int add_place(const struct place *wanted) {
    struct place *place = free_place(wanted->low, wanted->high);
    int is_new = !place;
    if (is_new)
        place = ts_kept_memory(sizeof *place);
    if (!place)
        return -1;
    place->low = wanted->low;
    place->bias = wanted->bias;
    place->list = wanted->list;
    place->other = wanted->other;
    __atomic_store_n(&place->high, wanted->high, __ATOMIC_RELEASE);
    if (is_new) {
        place->next = places;
        __atomic_store_n(&places, place, __ATOMIC_RELEASE);
    }
    return 0;
}

/* Wants those indices of low..high that are mixed, or those that are not. Bounds are whole pages: whole bytes here. */
static void want_range(uint64_t low, uint64_t high, int mixed) {
    uint64_t bytes = (high - low) >> 7;
    for (uint64_t i = 0; i < bytes && i < sizeof ts_function_filter_mixed; i++) {
        uint64_t at = index_of(low + (i << 7)) >> 3;
        ts_function_filter_unwanted[at] &= (uint8_t)(ts_function_filter_mixed[at] ^ (mixed ? 0xff : 0));
    }
}

static void mix_unwanted(const struct ts_function_list *list, uint64_t bias) {
    for (uint64_t i = 0; list && i < list->count; i++)
        if (!(list->functions[i] & 1))
            mix(index_of(bias + (list->functions[i] >> 1)));
}

static int is_known(const struct place *wanted) {
    const struct place *place = place_at(wanted->low);
    return place && place->low == wanted->low && place->high == wanted->high && place->bias == wanted->bias &&
           place->list == wanted->list && place->other == wanted->other;
}

/*
 * Marks both kinds: an index that only wanted functions have needs no look at a list, whichever modules they are of.
 * The list is there before the bits that lead to it.
 */
void ts_function_filter_add(const struct ts_function_list *list, uint64_t bias, uint64_t low, uint64_t high,
                            int other) {
    const struct place place = {.low = low, .high = high, .bias = bias, .list = list, .other = !list || other};
    if (low >= high || is_known(&place)) /* its bits are set: none is ever taken back */
        return;
    if (add_place(&place) != 0) {
        want_range(low, high, 0);
        return;
    }
    /* What is not listed may lie at any index. Where other modules' functions are unwanted, the lists decide from now
     * on; the rest is wanted but for what this list says. */
    if (place.other)
        want_range(low, high, 1);
    mix_unwanted(list, bias);
    if (place.other)
        want_range(low, high, 0);
    for (uint64_t i = 0; list && i < list->count; i++)
        if (list->functions[i] & 1)
            want(index_of(bias + (list->functions[i] >> 1)));
}

int ts_function_filter_add_module(const struct ts_module *module) {
    const struct ts_elf_object *object = &module->object;
    const struct ts_function_list *list = ts_function_list_of(module, "TRACE_FUNCTIONS", selection);
    ts_function_filter_add(list, object->bias, object->low, object->high, selects_unknown);
    return list && !list->count && !selects_unknown ? -1 : 0;
}
