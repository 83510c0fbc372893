#include "collector/clock.h"

#include <fcntl.h>
#include <sys/prctl.h>

#define NS_PER_SECOND 1000000000u

enum ts_clock_source ts_clock_source;

/* Of the system's clock: `ticks` at `ns`, `rate` / 2^32 more each ns. */
static struct {
    uint64_t ns;
    uint64_t ticks;
    uint64_t rate;
} scale = {.rate = UINT64_C(4) << 32};

/* Of the trace: the counter's ticks, even if later they come from elsewhere. */
static int counts_ticks_of_cpu;

uint64_t ts_clock_system(void) {
    int64_t since = (int64_t)(ts_system_nanoseconds(CLOCK_MONOTONIC) - scale.ns);
    return scale.ticks + (uint64_t)((unsigned __int128)(uint64_t)(since < 0 ? 0 : since) * scale.rate >> 32);
}

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
    if (!ts_system_failed(ts_system_prctl(PR_GET_TSC, (uint64_t)&mode, 0)) && mode != PR_TSC_ENABLE) {
        ts_system_clock_without_counter();
        return;
    }
    if (force_system || !ts_cpu_clock_is_constant())
        return;
    if (kernel_trusts_counter())
        ts_clock_source = TS_CLOCK_SOURCE_CPU;
    counts_ticks_of_cpu = ts_clock_source == TS_CLOCK_SOURCE_CPU;
}

enum ts_clock_kind ts_clock_kind(void) {
    return counts_ticks_of_cpu ? TS_CPU_CLOCK_KIND : TS_CLOCK_MONOTONIC;
}

uint64_t ts_clock_hz(void) {
    return counts_ticks_of_cpu ? ts_cpu_clock_hz() : UINT64_C(4000000000);
}

uint64_t ts_clock_hz_measured(void) {
    struct ts_clock_pair start, end;
    uint64_t hz = ts_clock_hz();
    if (hz)
        return hz;
    ts_clock_pair_take(&start);
    do
        ts_clock_pair_take(&end);
    while (end.monotonic_ns - start.monotonic_ns < 500000);
    return (end.clock - start.clock) * 1000000 / ((end.monotonic_ns - start.monotonic_ns) / 1000);
}

int ts_clock_leave_counter(void) {
    struct ts_clock_pair now;
    if (ts_clock_source == TS_CLOCK_SOURCE_SYSTEM) {
        ts_system_clock_without_counter();
        return 0;
    }
    uint64_t hz = ts_clock_hz_measured();
    ts_clock_pair_take(&now);
    ts_system_clock_without_counter();
    scale.ns = now.monotonic_ns;
    scale.ticks = now.clock;
    scale.rate = (uint64_t)(((unsigned __int128)hz << 32) / NS_PER_SECOND);
    __atomic_store_n(&ts_clock_source, TS_CLOCK_SOURCE_SYSTEM, __ATOMIC_RELEASE);
    return 1;
}

void ts_clock_continue(uint64_t clock) {
    if (ts_clock_source != TS_CLOCK_SOURCE_SYSTEM)
        return;
    scale.ns = ts_system_nanoseconds(CLOCK_MONOTONIC);
    scale.ticks = clock;
}

uint64_t ts_clock_suspended_ns(void) {
    uint64_t awake_and_asleep = ts_system_nanoseconds(CLOCK_BOOTTIME);
    uint64_t awake = ts_system_nanoseconds(CLOCK_MONOTONIC); /* later: equal clocks give 0 */
    return awake_and_asleep > awake ? awake_and_asleep - awake : 0;
}

void ts_clock_pair_take_in_child(struct ts_clock_pair *pair) {
    uint64_t before = ts_clock_now();
    pair->monotonic_ns = ts_system_nanoseconds_of_kernel(CLOCK_MONOTONIC);
    pair->clock = before + (ts_clock_now() - before) / 2;
    if (!counts_ticks_of_cpu && !scale.ns)
        pair->clock = pair->monotonic_ns << 2;
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
    if (!counts_ticks_of_cpu && !scale.ns)
        pair->clock = pair->monotonic_ns << 2;
    uint64_t monotonic = ts_system_nanoseconds(CLOCK_MONOTONIC);
    pair->realtime_ns = ts_system_nanoseconds(CLOCK_REALTIME) - (monotonic - pair->monotonic_ns);
}
