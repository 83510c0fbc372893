/*
 * Whether and how much may be recorded on a file system. A store into a mapped file can kill the program (SIGBUS) where
 * the file system allocates only at write-back or can lose its server; such places are refused.
 */
#ifndef TRACESHIM_COLLECTOR_PLACE_H
#define TRACESHIM_COLLECTOR_PLACE_H

#include "collector/text.h"

#include <stdint.h>

/*
 * Judges the place of the empty file open on `fd`, treating it where that helps (btrfs: no copy-on-write). Returns 0
 * and the room there in *room (bytes that are free; on tmpfs, which is memory, at most an eighth of what the memory
 * cgroup leaves), or -1 and the reason in `reason`.
 */
int ts_place_check(int fd, uint64_t *room, struct ts_text *reason);

#endif
