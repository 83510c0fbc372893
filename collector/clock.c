#include "collector/clock.h"

#include <fcntl.h>
#include <sys/prctl.h>

enum ts_clock_source ts_clock_source;

/* The kernel drops the counter as its own clock when it saw it misbehave (unsynchronised sockets, halts). */
static int kernel_trusts_counter(void) {
    static const char *const trusted[] = {"tsc", "kvm-clock", "hyperv", "arch_sys_counter"};
    char name[32];
    int64_t fd =
        ts_system_open("/sys/devices/system/clocksource/clocksource0/current_clocksource", O_RDONLY | O_CLOEXEC, 0);
    if (ts_system_failed(fd))
        return 1; /* no /sys in this container: the processor's word has to do */
    int64_t bytes = ts_system_read((int)fd, name, sizeof name - 1);
    ts_system_close((int)fd);
    if (bytes <= 0)
        return 1;
    for (size_t i = 0; i < sizeof trusted / sizeof *trusted; i++) {
        int64_t at = 0;
        while (at < bytes && trusted[i][at] && name[at] == trusted[i][at])
            at++;
        if (!trusted[i][at] && (at == bytes || name[at] == '\n' || name[at] == '_'))
            return 1;
    }
    return 0;
}

void ts_clock_choose(int force_system) {
    int mode = PR_TSC_ENABLE;
    ts_clock_source = TS_CLOCK_SOURCE_SYSTEM;
    if (force_system || !ts_cpu_clock_is_constant())
        return;
    if (!ts_system_failed(ts_system_prctl(PR_GET_TSC, (uint64_t)&mode, 0)) && mode != PR_TSC_ENABLE)
        return;
    if (kernel_trusts_counter())
        ts_clock_source = TS_CLOCK_SOURCE_CPU;
}

enum ts_clock_kind ts_clock_kind(void) {
    return ts_clock_source == TS_CLOCK_SOURCE_CPU ? TS_CPU_CLOCK_KIND : TS_CLOCK_MONOTONIC;
}

uint64_t ts_clock_hz(void) {
    return ts_clock_source == TS_CLOCK_SOURCE_CPU ? ts_cpu_clock_hz() : UINT64_C(4000000000);
}

void ts_clock_pair_take(struct ts_clock_pair *pair) {
    uint64_t best = UINT64_MAX;
    for (int try = 0; try < 4; try++) {
        uint64_t before = ts_clock_now();
        uint64_t monotonic = ts_system_nanoseconds(CLOCK_MONOTONIC);
        uint64_t after = ts_clock_now();
        if (after - before < best) {
            best = after - before;
            pair->clock = before + (after - before) / 2;
            pair->monotonic_ns = monotonic;
        }
    }
    if (ts_clock_source == TS_CLOCK_SOURCE_SYSTEM)
        pair->clock = pair->monotonic_ns << 2;
    uint64_t monotonic = ts_system_nanoseconds(CLOCK_MONOTONIC);
    pair->realtime_ns = ts_system_nanoseconds(CLOCK_REALTIME) - (monotonic - pair->monotonic_ns);
}
