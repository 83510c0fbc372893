#include "collector/trace_map.h"
#include "collector/system.h"

#include <errno.h>
#include <sys/mman.h>

struct ts_trace_map ts_trace_map;

/* What one huge page takes where others have PAGE bytes. */
#define HUGE (UINT64_C(2) << 20)
#define PAGE 4096u

/*
 * In front of the first that is asked for are the header, the first windows of threads, and those of control records,
 * each in blocks of their own: more than those a small trace need not be.
 */
#define HUGE_FROM (2 * HUGE)

static void advise(uint64_t block, uint8_t *first, uint64_t bytes) {
    struct ts_trace_map *map = &ts_trace_map;
    ts_system_madvise(first, bytes, MADV_RANDOM);
    if (map->is_huge && block * map->block_bytes >= HUGE_FROM &&
        ts_system_failed(ts_system_madvise(first, bytes, MADV_HUGEPAGE)))
        map->is_huge = 0;
}

int ts_trace_map_open(int fd, const struct ts_file_header *header, uint64_t step_bytes_max, int preallocated) {
    struct ts_trace_map *map = &ts_trace_map;
    uint64_t blocks_at_once = preallocated || !step_bytes_max ? header->block_count : header->first_block;
    uint64_t table_bytes = header->block_count * sizeof *map->blocks;
    int64_t blocks =
        ts_system_mmap(NULL, table_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (ts_system_failed(blocks))
        return (int)blocks;
    int64_t base =
        ts_system_mmap(NULL, blocks_at_once * header->block_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (ts_system_failed(base)) {
        ts_system_munmap((void *)blocks, table_bytes);
        return (int)base;
    }
    ts_system_madvise((void *)base, blocks_at_once * header->block_bytes, MADV_RANDOM);
    map->blocks = (uint8_t **)blocks;
    for (uint64_t i = 0; i < blocks_at_once; i++)
        map->blocks[i] = (uint8_t *)base + i * header->block_bytes;
    map->block_table = (uint32_t *)((uint8_t *)base + header->block_table_offset);
    map->block_bytes = header->block_bytes;
    map->block_count = header->block_count;
    map->first_block = header->first_block;
    map->page_bytes = header->page_bytes;
    map->step_bytes_max = step_bytes_max;
    map->full_mode = header->full_mode;
    map->preallocated = preallocated;
    map->is_huge = map->page_bytes == PAGE && 2 * map->block_bytes >= HUGE;
    map->header = (struct ts_file_header *)base;
    return 0;
}

uint8_t *ts_trace_map_block(uint64_t block) {
    struct ts_trace_map *map = &ts_trace_map;
    uint8_t *address = __atomic_load_n(&map->blocks[block], __ATOMIC_ACQUIRE);
    if (address)
        return address;
    uint64_t anchor = block - 1;
    uint8_t *anchor_address;
    while (!(anchor_address = __atomic_load_n(&map->blocks[anchor], __ATOMIC_ACQUIRE)))
        anchor--; /* ends at the header area */
    uint64_t gap = block - anchor - 1;
    uint64_t step =
        anchor < map->step_bytes_max / map->block_bytes ? anchor + 1 : map->step_bytes_max / map->block_bytes;
    if (step > map->block_count - block)
        step = map->block_count - block;
    if (step == 0)
        step = 1;
    uint8_t *from = anchor_address + map->block_bytes - map->page_bytes;
    int64_t again = ts_system_map_again(from, map->page_bytes + (gap + step) * map->block_bytes);
    if (ts_system_failed(again) && step > 1) {
        step = 1;
        again = ts_system_map_again(from, map->page_bytes + (gap + step) * map->block_bytes);
    }
    if (ts_system_failed(again))
        return NULL;
    uint64_t front = map->page_bytes + gap * map->block_bytes; /* the anchor's page and blocks that are not ours */
    ts_system_munmap((void *)again, front);
    uint8_t *first = (uint8_t *)again + front;
    advise(block, first, step * map->block_bytes);
    for (uint64_t i = 0; i < step; i++) {
        uint8_t *none = NULL;
        if (!__atomic_compare_exchange_n(&map->blocks[block + i], &none, first + i * map->block_bytes, 0,
                                         __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            ts_system_munmap(first + i * map->block_bytes, map->block_bytes); /* another thread was faster */
    }
    return __atomic_load_n(&map->blocks[block], __ATOMIC_ACQUIRE);
}

void ts_trace_map_before_fork(void) {
    struct ts_trace_map *map = &ts_trace_map;
    if (!map->header || !__atomic_load_n(&map->header_ready, __ATOMIC_ACQUIRE))
        return;
    uint64_t block = __atomic_load_n(&map->header->small_claim, __ATOMIC_RELAXED) / map->block_bytes;
    if (block >= map->first_block && block < map->block_count)
        ts_trace_map_block(block);
}

int ts_trace_map_populate(void *address, uint64_t bytes) {
    uint64_t page = ts_trace_map.page_bytes;
    uint64_t start = (uint64_t)address & ~(page - 1);
    uint64_t end = ((uint64_t)address + bytes + page - 1) & ~(page - 1);
    if (ts_trace_map.preallocated)
        return 0;
    /* What is read ahead would stand in small pages where huge ones are to be. */
    if (bytes == ts_trace_map.block_bytes && !ts_trace_map.is_huge)
        ts_system_madvise((void *)start, end - start, MADV_NORMAL);
    for (int try = 0; try < 100; try++) {
        int64_t result = ts_system_madvise((void *)start, end - start, MADV_POPULATE_WRITE);
        if (result != -EINTR && result != -EAGAIN)
            return ts_system_failed(result) ? -1 : 0;
    }
    return -1;
}

void ts_trace_map_forget(void *address, uint64_t bytes) {
    uint64_t page = ts_trace_map.page_bytes;
    uint64_t start = ((uint64_t)address + page - 1) & ~(page - 1);
    uint64_t end = ((uint64_t)address + bytes) & ~(page - 1);
    if (end > start)
        ts_system_madvise((void *)start, end - start, MADV_DONTNEED);
}

void ts_trace_map_forget_block(uint64_t block) {
    const struct ts_trace_map *map = &ts_trace_map;
    uint64_t first = block;
    if (map->is_huge && block * map->block_bytes >= HUGE_FROM) {
        if ((block + 1) * map->block_bytes % HUGE)
            return;
        while (first * map->block_bytes % HUGE && map->blocks[first - 1] == map->blocks[first] - map->block_bytes)
            first--;
    }
    ts_trace_map_forget(map->blocks[first], (block + 1 - first) * map->block_bytes);
}

void ts_trace_map_unlock(void) {
    struct ts_trace_map *map = &ts_trace_map;
    for (uint64_t i = 0; map->header && i < map->block_count; i++)
        if (map->blocks[i])
            ts_system_munlock(map->blocks[i], map->block_bytes);
}
