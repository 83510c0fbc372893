/*
 * The trace file as this process maps it. Blocks are mapped on demand without a descriptor: mremap with an old size of
 * 0 maps the same file again from a mapped page on. So a program may close every descriptor, lose the path, chroot or
 * drop its rights, and recording goes on. Growth is geometric (1 block first, at most 64 MiB a step): the address space
 * that we take stays in proportion to what was recorded, which RLIMIT_AS and mlockall count. Reading ahead is switched
 * off (MADV_RANDOM) but for blocks that are populated whole: it fills megabytes of holes with zeros at the first touch
 * (1.5 ms where the disk's read_ahead_kb is 8192), and makes the populating of whole blocks four times faster. Behind
 * the first 4 MiB huge pages are asked for: one entry in the page tables is made for 2 MiB, not 512, each of which
 * costs a virtual machine microseconds at its first use, populated or not.
 * Lock-free; every function is async-signal-safe.
 */
#ifndef TRACESHIM_COLLECTOR_TRACE_MAP_H
#define TRACESHIM_COLLECTOR_TRACE_MAP_H

#include "collector/trace_format.h"

struct ts_trace_map {
    struct ts_file_header *header; /* NULL: nothing is recorded */
    uint32_t *block_table;         /* windows being written in each block, all processes */
    uint8_t **blocks;              /* where each block is mapped; NULL: not yet */
    uint64_t block_bytes;
    uint64_t block_count;
    uint64_t first_block;
    uint64_t page_bytes;
    uint64_t step_bytes_max; /* of one growth of the mapping; 0: it does not grow */
    int full_mode;           /* enum ts_full_mode */
    int is_huge;             /* blocks lie in huge pages, where the kernel has them for files */
    int preallocated;        /* the kernel cannot populate on demand: the file was allocated at start */
    int header_ready;        /* the header's pages were populated: counters may be stored to */
};

/* Of this process. Set once by ts_trace_map_open before any recording; a forked child goes on with its copy. */
extern struct ts_trace_map ts_trace_map;

/*
 * Maps the header area of the file open on `fd`, or all of a file that is `preallocated` (where the kernel cannot
 * populate, a mapping may not grow either) or whose mapping cannot grow (step_bytes_max 0); the descriptor may be
 * closed after it. 0 or -errno.
 */
int ts_trace_map_open(int fd, const struct ts_file_header *header, uint64_t step_bytes_max, int preallocated);

/* The address of a block; maps it when it is not. NULL: no address space. */
uint8_t *ts_trace_map_block(uint64_t block);

/* Before fork: maps the block that children claim from, once here and not again in each of them. */
void ts_trace_map_before_fork(void);

/*
 * Makes stores to [address, address + bytes) safe: allocates the file's space now, so that a full place is an error
 * here and not a SIGBUS later. 0, or -1 when the place has no room.
 */
int ts_trace_map_populate(void *address, uint64_t bytes);

/* Takes a finished range out of this process's page tables; its content stays in the file. */
void ts_trace_map_forget(void *address, uint64_t bytes);

/* The same for a whole block; where it is part of a huge page, when it is the last one, for all of that. */
void ts_trace_map_forget_block(uint64_t block);

/* After mlockall: the trace's pages need not stay in memory, and a locked mapping would be filled whole as it grows. */
void ts_trace_map_unlock(void);

#endif
