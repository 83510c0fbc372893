#include "preload/readable.h"
#include "collector/system.h"

/* The smallest page that any machine has. */
#define PAGE 4096u

int ts_readable_more(struct ts_readable *readable, uint64_t address) {
    uint64_t here = (uint64_t)__builtin_frame_address(0);
    uint64_t page = address & ~(uint64_t)(PAGE - 1);
    if (page != (here & ~(uint64_t)(PAGE - 1)) &&
        (ts_system_forbidden || !page || !ts_system_readable((const void *)page)))
        return 0;
    readable->low = page;
    readable->high = page + PAGE;
    return 1;
}

int ts_readable_range(uint64_t address, uint64_t bytes) {
    struct ts_readable readable = {0};
    for (uint64_t at = address; at < address + bytes; at = readable.high)
        if (!ts_readable_byte(&readable, at))
            return 0;
    return address + bytes >= address;
}
