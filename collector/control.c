#include "collector/control.h"
#include "collector/clock.h"
#include "collector/process.h"
#include "collector/system.h"
#include "collector/trace_map.h"
#include "collector/window.h"

/* The window that control records go to now. Replaced as a whole; an old one stays mapped for whoever still writes. */
struct control_window {
    uint8_t *base;
    uint64_t used; /* atomic */
    uint64_t bytes;
};

static struct control_window *renew(struct control_window *full, uint32_t bytes) {
    struct ts_window window;
    struct ts_clock_pair pair;
    uint32_t wanted = TS_WINDOW_SMALL;
    while (wanted < bytes + 512 && wanted < TS_WINDOW_MIDDLE)
        wanted *= 2;
    if (ts_window_claim(&window, wanted, 1))
        return NULL;
    struct ts_window_header *header = window.header;
    ts_clock_pair_take(&pair);
    header->flags = TS_WINDOW_CONTROL;
    header->pid = (uint32_t)ts_system_getpid();
    header->process = ts_process->number;
    header->clock = pair.clock;
    header->monotonic_ns = pair.monotonic_ns;
    /* The window describes itself to its writers in its own first bytes after the header. */
    struct control_window *control = (struct control_window *)(header + 1);
    uint32_t records = sizeof *header + ((sizeof *control + 7) & ~(size_t)7);
    header->records = records;
    control->base = (uint8_t *)header;
    control->used = records;
    control->bytes = window.bytes;
    ts_window_publish(&window);
    void *expected = full;
    if (!__atomic_compare_exchange_n(&ts_process_fresh->control, &expected, control, 0, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE)) {
        ts_window_close(&window, records, pair.clock, 1); /* another thread renewed it first */
        return expected;
    }
    return control;
}

static void write_record(uint32_t type, const uint32_t *words, uint32_t count, const void *first, uint32_t first_bytes,
                         const void *second, uint32_t second_bytes) {
    uint32_t total = count + (first_bytes + 3) / 4 + (second_bytes + 3) / 4;
    struct control_window *control = __atomic_load_n(&ts_process_fresh->control, __ATOMIC_ACQUIRE);
    for (int try = 0; try < 8; try++) {
        if (control) {
            uint64_t at = __atomic_fetch_add(&control->used, total * 4, __ATOMIC_ACQ_REL);
            if (at + (uint64_t)total * 4 <= control->bytes) {
                uint32_t *record = (uint32_t *)(control->base + at);
                __atomic_store_n(record, TS_HEAD_PENDING(total), __ATOMIC_RELEASE);
                for (uint32_t i = 1; i < count; i++)
                    record[i] = words[i];
                uint8_t *bytes = (uint8_t *)(record + count);
                for (uint32_t i = 0; i < first_bytes; i++)
                    bytes[i] = ((const uint8_t *)first)[i];
                bytes += (first_bytes + 3) & ~3u;
                for (uint32_t i = 0; i < second_bytes; i++)
                    bytes[i] = ((const uint8_t *)second)[i];
                __atomic_store_n(record, TS_HEAD(type, total), __ATOMIC_RELEASE);
                return;
            }
        }
        control = renew(control, total * 4);
        if (!control)
            return;
    }
}

/* The first control record of a forked child is who it is. */
static void introduce_child(uint64_t clock) {
    struct ts_record_process record = {
        .clock = {(uint32_t)clock, (uint32_t)(clock >> 32)},
        .pid = (uint32_t)ts_process_fresh->pid,
        .parent_pid = ts_process->parent_pid,
        .process = ts_process->number,
        .parent_process = ts_process->parent,
    };
    write_record(TS_RECORD_PROCESS, (uint32_t *)&record, sizeof record / 4, NULL, 0, NULL, 0);
}

void ts_control_introduce(void) {
    ts_process_make_known(ts_clock_now());
    if (!__atomic_load_n(&ts_process_fresh->control, __ATOMIC_ACQUIRE) && ts_process->number > 1)
        introduce_child(ts_process->start);
}

static int may_write(uint64_t bytes) {
    return ts_process_fresh && !ts_system_forbidden && bytes <= TS_CONTROL_MAX_BYTES;
}

void ts_control_begin(struct ts_signal_mask *mask) {
    ts_system_block_signals(mask);
}

void ts_control_add(uint32_t type, const void *record, uint32_t record_bytes, const void *first, uint32_t first_bytes,
                    const void *second, uint32_t second_bytes) {
    if (!may_write((uint64_t)record_bytes + first_bytes + second_bytes))
        return;
    ts_control_introduce();
    write_record(type, record, record_bytes / 4, first, first_bytes, second, second_bytes);
}

void ts_control_end(const struct ts_signal_mask *mask) {
    ts_system_restore_signals(mask);
}

void ts_control_write(uint32_t type, const void *record, uint32_t record_bytes, const void *first, uint32_t first_bytes,
                      const void *second, uint32_t second_bytes) {
    struct ts_signal_mask mask;
    if (!may_write((uint64_t)record_bytes + first_bytes + second_bytes))
        return;
    ts_control_begin(&mask);
    ts_control_add(type, record, record_bytes, first, first_bytes, second, second_bytes);
    ts_control_end(&mask);
}
