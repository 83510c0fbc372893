#include "preload/thread_list.h"
#include "collector/system.h"

#include <fcntl.h>

/* getdents64(2) */
struct entry {
    uint64_t inode;
    int64_t offset;
    uint16_t bytes;
    uint8_t type;
    char name[];
};

void ts_thread_list_open(struct ts_thread_list *list) {
    int64_t fd = ts_system_open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    list->fd = ts_system_failed(fd) ? -1 : (int)fd;
    list->used = list->at = 0;
}

static int number_of(const char *name) {
    int number = 0;
    for (; *name >= '0' && *name <= '9'; name++)
        number = number * 10 + (*name - '0');
    return *name ? 0 : number;
}

int ts_thread_list_next(struct ts_thread_list *list) {
    for (;;) {
        if (list->at >= list->used) {
            int64_t bytes = list->fd < 0 ? 0 : ts_system_getdents(list->fd, list->entries, sizeof list->entries);
            if (bytes <= 0)
                return 0;
            list->used = (uint32_t)bytes;
            list->at = 0;
        }
        const struct entry *entry = (const struct entry *)((const char *)list->entries + list->at);
        list->at += entry->bytes;
        int number = number_of(entry->name);
        if (number)
            return number;
    }
}

void ts_thread_list_close(struct ts_thread_list *list) {
    if (list->fd >= 0)
        ts_system_close(list->fd);
}
