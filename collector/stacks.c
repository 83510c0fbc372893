#include "collector/stacks.h"
#include "collector/placement.h"
#include "collector/system.h"

#include <sys/mman.h>

/*
 * A tree over addresses, as page tables are, in granules of 4 KiB. The stack that holds the last byte of a granule owns
 * it, so each granule has one owner and each stack of at least a granule's size owns one. Two lookups find the stack of
 * an address: the owner of its granule or, where the stack ends inside the granule, the owner of the one below.
 *
 * An owned granule tells how far above it the stack's highest one is, and there lie the bounds: stacks grow downwards.
 * What an ended stack left in granules is not cleared: it leads to bounds that do not hold the address.
 */
#define GRANULE_SHIFT 12
#define LEVEL_BITS 12
#define LEVEL_SIZE (1u << LEVEL_BITS)
#define ADDRESS_BITS (GRANULE_SHIFT + 3 * LEVEL_BITS)
/* Only this much at the top of a larger stack is known. */
#define STACK_MOST (UINT64_C(1) << 30)

struct bounds {
    uint64_t low;
    uint64_t bytes;
    uint64_t stamp; /* 0: no stack, or being written */
};

struct leaf {
    uint32_t above[LEVEL_SIZE]; /* 1 + granules up to the stack's highest one; 0: not owned */
    struct bounds bounds[LEVEL_SIZE];
};

struct branch {
    struct leaf *leaves[LEVEL_SIZE];
};

TS_LARGE_TABLE static struct branch *branches[LEVEL_SIZE];
static uint64_t stamps;

/* Maps what is missing behind `*place`; threads and handlers may do so at once. */
static void *make_node(void **place, uint64_t bytes) {
    if (ts_system_forbidden)
        return NULL;
    int64_t fresh = ts_system_mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (ts_system_failed(fresh))
        return NULL;
    void *there = NULL;
    if (__atomic_compare_exchange_n(place, &there, (void *)fresh, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return (void *)fresh;
    ts_system_munmap((void *)fresh, bytes);
    return there;
}

static struct leaf *leaf_of(uint64_t granule, int make) {
    if (granule >> (3 * LEVEL_BITS))
        return NULL;
    struct branch **branch_place = &branches[granule >> (2 * LEVEL_BITS)];
    struct branch *branch = __atomic_load_n(branch_place, __ATOMIC_ACQUIRE);
    if (!branch && (!make || !(branch = make_node((void **)branch_place, sizeof *branch))))
        return NULL;
    struct leaf **leaf_place = &branch->leaves[granule >> LEVEL_BITS & (LEVEL_SIZE - 1)];
    struct leaf *leaf = __atomic_load_n(leaf_place, __ATOMIC_ACQUIRE);
    return leaf || !make ? leaf : make_node((void **)leaf_place, sizeof *leaf);
}

/* The highest granule of the stack that owns this one; 0: none. */
static uint64_t highest_of(uint64_t granule) {
    const struct leaf *leaf = leaf_of(granule, 0);
    uint32_t above = leaf ? __atomic_load_n(&leaf->above[granule & (LEVEL_SIZE - 1)], __ATOMIC_ACQUIRE) : 0;
    return above ? granule + above - 1 : 0;
}

static struct bounds *bounds_at(uint64_t highest) {
    struct leaf *leaf = leaf_of(highest, 0);
    return leaf ? &leaf->bounds[highest & (LEVEL_SIZE - 1)] : NULL;
}

/* Bounds are whole when the stamp is the same before and after. */
static int read_bounds(const struct bounds *bounds, struct ts_stack *stack) {
    if (!bounds)
        return -1;
    stack->stamp = __atomic_load_n(&bounds->stamp, __ATOMIC_ACQUIRE);
    stack->low = __atomic_load_n(&bounds->low, __ATOMIC_ACQUIRE);
    stack->bytes = __atomic_load_n(&bounds->bytes, __ATOMIC_ACQUIRE);
    return stack->stamp && stack->stamp == __atomic_load_n(&bounds->stamp, __ATOMIC_ACQUIRE) ? 0 : -1;
}

static void write_bounds(struct bounds *bounds, const struct ts_stack *stack) {
    __atomic_store_n(&bounds->stamp, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&bounds->low, stack->low, __ATOMIC_RELEASE);
    __atomic_store_n(&bounds->bytes, stack->bytes, __ATOMIC_RELEASE);
    __atomic_store_n(&bounds->stamp, stack->stamp, __ATOMIC_RELEASE);
}

/* Whatever owns `granule` and overlaps the new stack was freed. */
static void end_overlapping(uint64_t granule, uint64_t new_highest, const struct ts_stack *new) {
    struct ts_stack old;
    uint64_t highest = highest_of(granule), end = new->low + new->bytes;
    struct bounds *bounds = highest && highest != new_highest ? bounds_at(highest) : NULL;
    if (read_bounds(bounds, &old) || old.low >= end || old.low + old.bytes <= new->low ||
        (old.low < new->low &&end < old.low + old.bytes))
        return;
    __atomic_compare_exchange_n(&bounds->stamp, &old.stamp, 0, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

static int add(const struct ts_stack *stack) {
    uint64_t first = stack->low >> GRANULE_SHIFT, past = (stack->low + stack->bytes) >> GRANULE_SHIFT;
    if (first >= past)
        return -1; /* owns no granule */
    struct leaf *top = leaf_of(past - 1, 1);
    if (!top)
        return -1;
    for (uint64_t granule = first ? first - 1 : 0; granule <= past; granule++)
        end_overlapping(granule, past - 1, stack);
    write_bounds(&top->bounds[(past - 1) & (LEVEL_SIZE - 1)], stack);
    struct leaf *leaf = NULL;
    for (uint64_t granule = first; granule < past; granule++) {
        uint64_t slot = granule & (LEVEL_SIZE - 1);
        if (slot == 0 || granule == first)
            leaf = leaf_of(granule, 1);
        if (leaf)
            __atomic_store_n(&leaf->above[slot], (uint32_t)(past - granule), __ATOMIC_RELEASE);
    }
    return 0;
}

static uint64_t next_stamp(void) {
    return __atomic_add_fetch(&stamps, 1, __ATOMIC_ACQ_REL) << 1;
}

void ts_stacks_note(uint64_t low, uint64_t bytes) {
    uint64_t end = low + bytes;
    if (end < low || end >> ADDRESS_BITS)
        return;
    if (bytes > STACK_MOST)
        bytes = STACK_MOST;
    struct ts_stack stack = {.low = end - bytes, .bytes = bytes, .stamp = next_stamp()};
    add(&stack);
}

int ts_stacks_guess(uint64_t low, uint64_t bytes, struct ts_stack *guessed) {
    *guessed = (struct ts_stack){.low = low, .bytes = bytes, .stamp = next_stamp() | TS_STACK_GUESSED};
    return add(guessed);
}

void ts_stacks_extend(struct ts_stack *guessed, uint64_t low) {
    guessed->bytes += guessed->low - low;
    guessed->low = low;
    add(guessed);
}

int ts_stacks_find(uint64_t address, struct ts_stack *found) {
    uint64_t granule = address >> GRANULE_SHIFT;
    int result = -1;
    for (uint64_t i = 0; i < 2 && i <= granule; i++) {
        uint64_t highest = highest_of(granule - i);
        struct ts_stack stack;
        if (!highest || read_bounds(bounds_at(highest), &stack) || address - stack.low >= stack.bytes)
            continue;
        if (result || stack.bytes < found->bytes) /* an array in a frame of the other */
            *found = stack;
        result = 0;
    }
    return result;
}

uint64_t ts_stacks_newest(void) {
    return __atomic_load_n(&stamps, __ATOMIC_ACQUIRE) << 1 | TS_STACK_GUESSED;
}
