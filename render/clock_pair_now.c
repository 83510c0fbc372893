#include "render/arch/clock_now.h"
#include "render/clock_fit.h"

#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The kernel's boot id as 16 bytes. 0, or -1 when it cannot be read. */
static int read_boot_id(uint8_t id[16]) {
    char text[40];
    int descriptor = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return -1;
    ssize_t got = read(descriptor, text, sizeof(text));
    close(descriptor);
    unsigned digits = 0;
    memset(id, 0, 16);
    for (ssize_t i = 0; i < got && digits < 32; i++) {
        const char *hex = "0123456789abcdef";
        const char *digit = text[i] ? strchr(hex, text[i]) : NULL;
        if (!digit)
            continue;
        id[digits / 2] = (uint8_t)(id[digits / 2] << 4 | (digit - hex));
        digits++;
    }
    return digits == 32 ? 0 : -1;
}

static uint64_t monotonic_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

int ts_clock_take_now(struct ts_clock_point *point, uint32_t clock_kind, const uint8_t boot_id[16]) {
    uint8_t own[16];
    if (clock_kind == TS_CLOCK_MONOTONIC || read_boot_id(own) < 0 || memcmp(own, boot_id, sizeof(own)) != 0)
        return 0;
    /* The tightest of a few tries: an interrupt may come between the two clocks. */
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < 8; i++) {
        uint64_t before = ts_clock_now(clock_kind);
        uint64_t ns = monotonic_ns();
        uint64_t after = ts_clock_now(clock_kind);
        if (before && after - before < best) {
            best = after - before;
            *point = (struct ts_clock_point){before + best / 2, ns};
        }
    }
    return best != UINT64_MAX;
}

int64_t ts_clock_suspended_ns(const uint8_t boot_id[16]) {
    uint8_t own[16];
    struct timespec with;
    if (read_boot_id(own) < 0 || memcmp(own, boot_id, sizeof(own)) != 0 || clock_gettime(CLOCK_BOOTTIME, &with) != 0)
        return 0;
    int64_t ns = with.tv_sec * INT64_C(1000000000) + with.tv_nsec - (int64_t)monotonic_ns();
    return ns > 0 ? ns : 0;
}
