#include "collector/trace_size.h"
#include "collector/system.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define MOST_BYTES_BY_DEFAULT (UINT64_C(4) << 30)
#define STEP_MOST (UINT64_C(64) << 20)
/* Where the mapping cannot grow, all of it is there from the start; tools that watch memory pay for each byte. */
#define MAPPED_AT_ONCE (UINT64_C(64) << 20)
/* Without MADV_POPULATE_WRITE (Linux before 5.14) the file is allocated at start. */
#define PREALLOCATED_MOST (UINT64_C(64) << 20)

/* An emulator may take the advice for a hint and do nothing: then it has nothing against a read-only page either. */
int ts_trace_size_populates(void) {
    int64_t page = ts_system_mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (ts_system_failed(page))
        return 1;
    int populates = ts_system_madvise((void *)page, 4096, MADV_POPULATE_WRITE) != -EINVAL;
    if (populates && !ts_system_failed(ts_system_mprotect((void *)page, 4096, PROT_READ)))
        populates = ts_system_failed(ts_system_madvise((void *)page, 4096, MADV_POPULATE_WRITE));
    ts_system_munmap((void *)page, 4096);
    return populates;
}

/* Whether mremap with an old size of 0 works: valgrind refuses it. */
static int mapping_grows(void) {
    uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    int64_t page = ts_system_mmap(NULL, page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (ts_system_failed(page))
        return 1;
    int64_t again = ts_system_map_again((void *)page, page_bytes);
    ts_system_munmap((void *)page, page_bytes);
    if (ts_system_failed(again))
        return 0;
    ts_system_munmap((void *)again, page_bytes);
    return 1;
}

uint64_t ts_trace_size_choose(uint64_t max_bytes, uint64_t room, int preallocated, uint64_t *step_bytes,
                              struct ts_text *note) {
    uint64_t bytes = max_bytes ? max_bytes : MOST_BYTES_BY_DEFAULT;
    uint64_t share = max_bytes ? room : room / 4;
    const char *why = NULL;
    struct rlimit limit;
    if (bytes > share) {
        bytes = share;
        why = "what is free there";
    }
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && bytes > limit.rlim_cur) {
        bytes = limit.rlim_cur;
        why = "RLIMIT_FSIZE";
    }
    *step_bytes = STEP_MOST;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
        *step_bytes = limit.rlim_cur / 64 < STEP_MOST ? limit.rlim_cur / 64 : STEP_MOST;
        if (bytes > limit.rlim_cur / 8) {
            bytes = limit.rlim_cur / 8;
            why = "RLIMIT_AS";
        }
    }
    if (!mapping_grows()) {
        *step_bytes = 0;
        bytes = max_bytes || bytes < MAPPED_AT_ONCE ? bytes : MAPPED_AT_ONCE;
    }
    if (preallocated && bytes > PREALLOCATED_MOST) {
        bytes = PREALLOCATED_MOST;
        why = "a kernel without MADV_POPULATE_WRITE";
    }
    if (why && (max_bytes || bytes < MOST_BYTES_BY_DEFAULT / 64)) {
        ts_text_add(note, "the trace is limited to ");
        ts_text_add_number(note, bytes >> 10);
        ts_text_add(note, " KiB by ");
        ts_text_add(note, why);
    }
    return bytes;
}
