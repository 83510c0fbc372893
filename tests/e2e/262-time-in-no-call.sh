# `report` says how much of the threads' time was in no recorded call: of a program that is hooked alone, what it does
# itself and how long it sleeps outside of what is hooked; the same in parts; not where calls are chosen, nor in CSV.
. "$SOURCES/lib.sh"
cat >rest.c <<'P'
#include <pthread.h>
#include <time.h>
#include <unistd.h>
static void spin(double seconds) {
    struct timespec now, start;
    clock_gettime(CLOCK_MONOTONIC, &start);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((double)(now.tv_sec - start.tv_sec) + (double)(now.tv_nsec - start.tv_nsec) * 1e-9 < seconds);
}
static void *work(void *unused) {
    usleep(20000);
    spin(0.03);
    return unused;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    spin(0.05);
}
P
gcc -g -O1 -pthread rest.c -o rest || fail "cannot build"
TRACE_HOOKS=usleep,pthread_join TRACE_OUTPUT=out TRACE_FORMAT=none traced ./rest || fail "status"
"$TRACESHIM" report out >report.out || fail "report"
expect_line report.out '^# not in any recorded call: [0-9.]+ms, [0-9.]+ % of the [0-9.]+m?s that 2 threads lasted together$'
"$TRACESHIM" export --format=jsonl -o spans.jsonl out || fail "jsonl"
python3 - <<'P' || fail "another rest than the calls leave"
import json, re
line = [l for l in open("report.out") if l.startswith("# not in any")][0]
rest, lasted = (float(t[:-2]) * {"ms": 1, "µs": 1e-3, "ns": 1e-6}[t[-2:]] if t[-2] in "mµn" else float(t[:-1]) * 1000
                for t in re.search(r": (\S+), .* of the (\S+) ", line).groups())
calls = sum(s["dur_ns"] for s in map(json.loads, open("spans.jsonl")) if s["kind"] == "call") / 1e6
assert abs(lasted - rest - calls) < 0.02 * lasted + 0.1, (rest, lasted, calls)
assert rest >= 75, rest # both spins, which nothing is recorded of
P
"$TRACESHIM" report --process=rest out | grep 'not in any' && fail "of chosen calls"
"$TRACESHIM" report --format=csv out | grep 'not in any' && fail "in CSV"
"$TRACESHIM" report --format=json out | python3 -m json.tool >/dev/null || fail "JSON"
# The newest calls are kept: what was dropped may be in the rest.
cat >many.c <<'P'
__attribute__((noinline)) static void leaf(void) { __asm__ volatile(""); }
int main(void) {
    for (int i = 0; i < 1000000; i++)
        leaf();
}
P
gcc -finstrument-functions -O1 many.c -o many || fail "cannot build"
TRACE_MAX_SIZE=2M TRACE_OUTPUT=ring TRACE_FORMAT=none TRACE_HOOKS='' traced ./many || fail "status"
"$TRACESHIM" report ring >report.out || fail "report"
expect_line report.out '^# not in any recorded call: at most .* lasted; calls are missing, as `traceshim info` tells$'
TRACE_OUTPUT=whole TRACE_FORMAT=none TRACE_HOOKS='' traced ./many || fail "status"
"$TRACESHIM" report whole >parts || fail "report"
taskset 1 "$TRACESHIM" report whole | diff - parts || fail "parts leave another rest"
