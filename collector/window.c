#include "collector/window.h"
#include "collector/process.h"
#include "collector/system.h"
#include "collector/trace_map.h"
#include "cpu.h"

#include <errno.h>
#include <sys/mman.h>

#define LOAD(place) __atomic_load_n(&(place), __ATOMIC_ACQUIRE)
#define ADD(place, value) __atomic_fetch_add(&(place), (value), __ATOMIC_ACQ_REL)
#define SUBTRACT(place, value) __atomic_fetch_sub(&(place), (value), __ATOMIC_ACQ_REL)
#define REPLACE(place, from, to)                                                                                       \
    __atomic_compare_exchange_n(&(place), &(from), (to), 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)

/* Rests of windows of ended threads: offset / 64 in the upper, bytes / 64 in the lower half; 0 = free slot. */
#define RESTS (ts_process_fresh->rests)

/* In the block table: being recycled. */
#define BUSY UINT32_C(0x80000000)

/* Out of page tables only once this much was recorded: small traces stay mapped and cheap. */
#define KEEP_MAPPED_BYTES (64u << 20)

/* Calls and bytes of records in a window that nobody closed, since its process was killed: word by word. */
static uint64_t count_unclosed(const struct ts_window_header *header, uint64_t *bytes) {
    const uint32_t *start = (const uint32_t *)header, *last = start + header->records / 4;
    uint64_t calls = 0, words = header->bytes / 4, at = header->records / 4;
    while (at < words) {
        uint32_t word = start[at], kind = word & 3;
        uint64_t length = kind == TS_KIND_ENTER  ? TS_ENTER_BYTES / 4
                          : kind == TS_KIND_EXIT ? TS_EXIT_BYTES / 4
                          : word                 ? TS_HEAD_WORDS(word)
                                                 : 1;
        calls += kind == TS_KIND_ENTER;
        at += length ? length : 1;
        if (word)
            last = start + (at < words ? at : words);
    }
    *bytes = (uint64_t)(last - start) * 4 - header->records;
    return calls;
}

/*
 * Calls of a closed window, from its bytes: 8 for each ENTER, 4 for each EXIT, and enters - exits = growth of the depth
 * + unwound. Exact but for holes.
 */
static uint64_t count_closed(const struct ts_window_header *header, uint64_t *bytes) {
    *bytes = header->end_bytes > header->records ? header->end_bytes - header->records : 0;
    int64_t words = (int64_t)(*bytes / 4) - (int64_t)header->other_words;
    int64_t calls = (words + (int64_t)header->end_depth - (int64_t)header->depth + (int64_t)header->unwound) / 3;
    return calls > 0 ? (uint64_t)calls : 0;
}

static void count_dropped(struct ts_file_header *file, const struct ts_window_header *header) {
    uint64_t bytes;
    uint64_t calls = header->flags & TS_WINDOW_CLOSED ? count_closed(header, &bytes) : count_unclosed(header, &bytes);
    ADD(file->dropped_windows, 1);
    ADD(file->dropped_bytes, bytes);
    ADD(file->dropped_calls, calls);
    uint64_t first = LOAD(file->dropped_first_clock), last = LOAD(file->dropped_last_clock);
    while ((!first || header->clock < first) && !REPLACE(file->dropped_first_clock, first, header->clock))
        ;
    uint64_t end = header->end_clock ? header->end_clock : header->clock;
    while (end > last && !REPLACE(file->dropped_last_clock, last, end))
        ;
}

/* The next window at or after `at` in a block: its header, and *at behind it. NULL: no more. */
static struct ts_window_header *next_window(uint8_t *block, uint64_t *at) {
    uint64_t block_bytes = ts_trace_map.block_bytes;
    while (*at + sizeof(struct ts_window_header) <= block_bytes) {
        struct ts_window_header *header = (struct ts_window_header *)(block + *at);
        if (__atomic_load_n(&header->sequence, __ATOMIC_ACQUIRE) && header->magic == TS_WINDOW_MAGIC &&
            header->bytes >= sizeof *header && header->bytes <= block_bytes - *at) {
            *at += (header->bytes + TS_WINDOW_ALIGN - 1) & ~(uint64_t)(TS_WINDOW_ALIGN - 1);
            return header;
        }
        *at = (*at + TS_WINDOW_STEP) & ~(uint64_t)(TS_WINDOW_STEP - 1);
    }
    return NULL;
}

static void drop_block(uint8_t *block) {
    const struct ts_window_header *header;
    for (uint64_t at = 0; (header = next_window(block, &at));)
        count_dropped(ts_trace_map.header, header);
    ts_cpu_zero(block, ts_trace_map.block_bytes);
}

/* Whether the `writers` of a block are all of processes that have ended without closing their windows. */
static int writers_are_gone(uint8_t *block, uint32_t writers) {
    const struct ts_window_header *header;
    uint32_t gone = 0;
    struct stat namespace;
    /* Pids mean something only in the namespace that they are of. */
    if (ts_system_failed(ts_system_stat("/proc/self/ns/pid", &namespace)) ||
        namespace.st_ino != ts_trace_map.header->pid_namespace)
        return 0;
    for (uint64_t at = 0; (header = next_window(block, &at));) {
        if (header->flags & TS_WINDOW_CONTROL)
            return 0;
        if (header->flags & TS_WINDOW_CLOSED)
            continue;
        if (ts_system_kill((int)header->pid, 0) != -ESRCH)
            return 0;
        gone++;
    }
    return gone == writers; /* else someone is about to write: a claim that is not published, or a rest */
}

/*
 * Takes the next block that nobody writes, going round. Second pass: also those whose writers' process is gone.
 * `mapped`: of those alone that this process has mapped already, since it cannot map more.
 */
static int recycle_block(struct ts_window *window, int mapped) {
    struct ts_trace_map *map = &ts_trace_map;
    struct ts_file_header *file = map->header;
    uint64_t usable = LOAD(file->usable_blocks);
    uint64_t count = usable > map->first_block ? usable - map->first_block : 0;
    int no_room = 0;
    for (uint64_t try = 0; try < 2 * count; try++) {
        uint64_t block = map->first_block + ADD(file->ring_next, 1) % count;
        if (mapped && !LOAD(map->blocks[block]))
            continue;
        /* Small windows are no longer made there: whoever was about to has counted itself, or finds the claim gone. */
        uint64_t claim = LOAD(file->small_claim);
        if (claim / map->block_bytes == block)
            REPLACE(file->small_claim, claim, 0);
        uint32_t writers = LOAD(map->block_table[block]);
        if (writers && try < count)
            continue;
        uint8_t *address = ts_trace_map_block(block);
        if (!address) {
            mapped = 1;
            continue;
        }
        if (writers && !writers_are_gone(address, writers))
            continue;
        if (writers >= BUSY || !REPLACE(map->block_table[block], writers, BUSY))
            continue;
        if (ts_trace_map_populate(address, map->block_bytes)) {
            SUBTRACT(map->block_table[block], BUSY);
            no_room = 1;
            continue; /* the place ran full in the middle of this block */
        }
        drop_block(address);
        SUBTRACT(map->block_table[block], BUSY - 1);
        window->header = (struct ts_window_header *)address;
        window->offset = block * map->block_bytes;
        window->bytes = (uint32_t)map->block_bytes;
        return 0;
    }
    if (mapped)
        return TS_LOST_MEMORY + 1;
    return (count && !no_room ? TS_LOST_FULL : TS_LOST_PLACE) + 1;
}

static int take_rest(struct ts_window *window, uint32_t bytes) {
    for (unsigned i = 0; i < TS_PROCESS_RESTS; i++) {
        uint64_t rest = LOAD(RESTS[i]);
        if (!rest || (uint32_t)rest * TS_WINDOW_ALIGN < bytes || !REPLACE(RESTS[i], rest, 0))
            continue;
        uint64_t offset = (rest >> 32) * TS_WINDOW_ALIGN;
        window->offset = offset;
        window->bytes = (uint32_t)rest * TS_WINDOW_ALIGN;
        uint8_t *block = __atomic_load_n(&ts_trace_map.blocks[offset / ts_trace_map.block_bytes], __ATOMIC_ACQUIRE);
        window->header = (struct ts_window_header *)(block + offset % ts_trace_map.block_bytes);
        return 0;
    }
    return -1;
}

static void keep_rest_for_others(uint64_t offset, uint32_t bytes) {
    uint64_t rest = offset / TS_WINDOW_ALIGN << 32 | bytes / TS_WINDOW_ALIGN;
    for (unsigned i = 0; i < TS_PROCESS_RESTS; i++) {
        uint64_t none = 0;
        if (!LOAD(RESTS[i]) && REPLACE(RESTS[i], none, rest))
            return;
    }
    SUBTRACT(ts_trace_map.block_table[offset / ts_trace_map.block_bytes], 1);
}

/* A block that was never used. */
static int next_block(uint64_t *block) {
    struct ts_trace_map *map = &ts_trace_map;
    if (LOAD(map->header->next_block) >= LOAD(map->header->usable_blocks))
        return -1;
    *block = ADD(map->header->next_block, 1);
    return *block < LOAD(map->header->usable_blocks) ? 0 : -1;
}

/* The next `bytes` of the block that small windows share; a new shared block when it is used up. */
static int fresh_offset(uint64_t *claim, uint64_t *offset, uint32_t *bytes) {
    struct ts_trace_map *map = &ts_trace_map;
    uint64_t block;
    if (*bytes >= map->block_bytes) {
        *bytes = (uint32_t)map->block_bytes;
        if (next_block(&block))
            return -1;
        *offset = block * map->block_bytes;
        ADD(map->block_table[block], 1);
        return 0;
    }
    uint64_t at = LOAD(*claim);
    for (;;) {
        uint64_t inside = at % map->block_bytes;
        if (at && inside && inside + *bytes <= map->block_bytes) {
            /* Count ourselves first: a recycler must not see the block idle. */
            block = at / map->block_bytes;
            ADD(map->block_table[block], 1);
            if (REPLACE(*claim, at, at + *bytes)) {
                *offset = at;
                return 0;
            }
            SUBTRACT(map->block_table[block], 1);
            continue; /* with the new value in `at` */
        }
        if (next_block(&block))
            return -1;
        *offset = block * map->block_bytes;
        ADD(map->block_table[block], 1);
        if (!REPLACE(*claim, at, *offset + *bytes))
            *bytes = (uint32_t)map->block_bytes; /* another thread shares its block already: this one is all ours */
        return 0;
    }
}

/*
 * A block that cannot be mapped, not now. Where none is recycled it is the next one again, unless another was taken
 * since: asking in vain does not use up the file.
 */
static void give_back(uint64_t block, uint32_t bytes) {
    struct ts_trace_map *map = &ts_trace_map;
    uint64_t next = block + 1;
    if (bytes == map->block_bytes && map->full_mode != TS_FULL_RING)
        REPLACE(map->header->next_block, next, block);
    SUBTRACT(map->block_table[block], 1);
}

/* Where the place has no room beyond what is populated: from now on that is the file. */
static void place_is_full(uint64_t block) {
    struct ts_file_header *file = ts_trace_map.header;
    uint64_t usable = LOAD(file->usable_blocks);
    while (block < usable && !REPLACE(file->usable_blocks, usable, block))
        ;
}

/* Events lost before the header's pages could be stored to. */
static uint64_t lost_before[TS_LOST_REASON_COUNT];

static int header_ready(void) {
    struct ts_trace_map *map = &ts_trace_map;
    if (LOAD(map->header_ready))
        return 0;
    if (ts_trace_map_populate(map->header, map->header->block_table_offset + map->block_count * sizeof(uint32_t)))
        return -1;
    for (unsigned i = 0; i < TS_LOST_REASON_COUNT; i++)
        ADD(map->header->lost_events[i], __atomic_exchange_n(&lost_before[i], 0, __ATOMIC_ACQ_REL));
    __atomic_store_n(&map->header_ready, 1, __ATOMIC_RELEASE);
    return 0;
}

int ts_window_claim(struct ts_window *window, uint32_t bytes, int control) {
    struct ts_trace_map *map = &ts_trace_map;
    int mapped = 0;
    window->header = NULL;
    if (header_ready())
        return TS_LOST_PLACE + 1;
    if (!control && bytes <= TS_WINDOW_SMALL && take_rest(window, 2 * TS_WINDOW_LEAST) == 0)
        goto prepare;
    uint64_t offset;
    if (fresh_offset(control ? &map->header->control_claim : &map->header->small_claim, &offset, &bytes) == 0) {
        uint64_t block = offset / map->block_bytes;
        uint8_t *address = ts_trace_map_block(block);
        if (!address) {
            give_back(block, bytes);
            if (map->full_mode != TS_FULL_RING)
                return TS_LOST_MEMORY + 1;
            mapped = 1;
            goto recycle;
        }
        address += offset % map->block_bytes;
        if (ts_trace_map_populate(address, bytes) == 0) {
            window->header = (struct ts_window_header *)address;
            window->offset = offset;
            window->bytes = bytes;
            goto prepare;
        }
        SUBTRACT(map->block_table[block], 1);
        if (bytes == map->block_bytes)
            place_is_full(block);
        if (map->full_mode != TS_FULL_RING)
            return TS_LOST_PLACE + 1;
    }
    if (map->full_mode != TS_FULL_RING)
        return (LOAD(map->header->usable_blocks) < map->block_count ? TS_LOST_PLACE : TS_LOST_FULL) + 1;
recycle:;
    int reason = recycle_block(window, mapped);
    if (reason)
        return reason;
prepare:
    ts_window_begin_rest(window);
    return 0;
}

void ts_window_begin_rest(const struct ts_window *rest) {
    rest->header->magic = TS_WINDOW_MAGIC;
    rest->header->offset = rest->offset;
    rest->header->bytes = rest->bytes;
    rest->header->header_bytes = sizeof *rest->header;
    rest->header->open_call_bytes = sizeof(struct ts_open_call);
}

void ts_window_give_rest(const struct ts_window *rest) {
    keep_rest_for_others(rest->offset, rest->bytes);
}

uint64_t ts_window_publish(const struct ts_window *window) {
    uint64_t sequence = ADD(ts_trace_map.header->window_sequence, 1) + 1;
    __atomic_store_n(&window->header->sequence, sequence, __ATOMIC_RELEASE);
    return sequence;
}

/* It is written no more: its block may be recycled when the others in it are. */
static void leave(const struct ts_window *window) {
    uint64_t block = window->offset / ts_trace_map.block_bytes;
    SUBTRACT(ts_trace_map.block_table[block], 1);
    if (window->bytes == ts_trace_map.block_bytes &&
        LOAD(ts_trace_map.header->next_block) * ts_trace_map.block_bytes > KEEP_MAPPED_BYTES)
        ts_trace_map_forget_block(block);
}

void ts_window_leave_rest(const struct ts_window *rest) {
    leave(rest);
}

/* What follows the records, which is not the window's any more; header NULL: it is not worth it. */
static struct ts_window cut_rest(const struct ts_window *window) {
    uint32_t used = (window->header->end_bytes + TS_WINDOW_ALIGN - 1) & ~(TS_WINDOW_ALIGN - 1);
    if (window->bytes - used < 2 * TS_WINDOW_LEAST)
        return (struct ts_window){0};
    window->header->bytes = used;
    return (struct ts_window){.header = (struct ts_window_header *)((uint8_t *)window->header + used),
                              .offset = window->offset + used,
                              .bytes = window->bytes - used};
}

static void end(const struct ts_window *window, uint32_t end_bytes, uint64_t clock) {
    struct ts_window_header *header = window->header;
    header->end_clock = clock;
    header->end_bytes = end_bytes < window->bytes ? end_bytes : window->bytes;
    header->flags |= TS_WINDOW_CLOSED;
}

void ts_window_split(struct ts_window *window, uint32_t end_bytes, uint64_t clock) {
    end(window, end_bytes, clock);
    struct ts_window rest = cut_rest(window);
    if (!rest.header)
        leave(window);
    *window = rest;
}

void ts_window_close(const struct ts_window *window, uint32_t end_bytes, uint64_t clock, int keep_rest) {
    end(window, end_bytes, clock);
    struct ts_window rest = keep_rest ? cut_rest(window) : (struct ts_window){0};
    if (rest.header)
        ts_window_give_rest(&rest);
    else
        leave(window);
}

void ts_window_count_lost(struct ts_window_header *header, enum ts_lost_reason reason, uint64_t events,
                          uint64_t clock) {
    struct ts_file_header *file = ts_trace_map.header;
    if (header) {
        header->lost_events[reason] += events;
        if (!header->lost_first_clock)
            header->lost_first_clock = clock;
        header->lost_last_clock = clock;
    }
    if (!LOAD(ts_trace_map.header_ready)) {
        ADD(lost_before[reason], events);
        return;
    }
    ADD(file->lost_events[reason], events);
    uint64_t first = LOAD(file->lost_first_clock);
    if (!first)
        REPLACE(file->lost_first_clock, first, clock);
    __atomic_store_n(&file->lost_last_clock, clock, __ATOMIC_RELAXED);
}
