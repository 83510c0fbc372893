"""Costs of instrumented functions, in nanoseconds of CPU per event."""
import shutil

from harness import CPUS
from lttng import Lttng, lttng_library


def against(medians, name, which=0):
    return medians[name][which] - medians["empty"][which]


def part_ring(bench):
    print("An event in ring mode (64 MiB), fib(36), nanoseconds of CPU above empty hooks")
    medians = bench.alternate({
        "empty": bench.fib(36, LD_PRELOAD=bench.path("EMPTY.so")),
        "bare": bench.fib(36, LD_PRELOAD=bench.path("RING.so")),
        "traceshim": bench.fib(36, LD_PRELOAD=bench.shim, TRACE_MAX_SIZE="64M", TRACE_FULL="ring"),
    })
    bench.goal("bare hook: clock and one store", against(medians, "bare"), None)
    bench.goal("traceshim", against(medians, "traceshim"), None)
    bench.goal("traceshim / bare", against(medians, "traceshim") / against(medians, "bare"), 1.1)


def part_file(bench):
    print("An event to a file, fib(32), nanoseconds of CPU above empty hooks")
    candidates = {
        "empty": bench.fib(32, LD_PRELOAD=bench.path("EMPTY.so")),
        "bare": bench.fib(32, LD_PRELOAD=bench.path("FRESH.so"), BARE_FILE="bare"),
        "traceshim": bench.fib(32, LD_PRELOAD=bench.shim, TRACE_MAX_SIZE="2G"),
    }
    lttng = None
    if shutil.which("uftrace"):
        candidates["uftrace"] = bench.fib(32, command=["uftrace", "record", "--no-libcall", "-d", "out"])
    if shutil.which("lttng-sessiond") and lttng_library():
        lttng = Lttng(bench.path("lttng"))
        candidates["LTTng"] = lttng.session(bench.fib(32, LD_PRELOAD=lttng_library(), others=lttng.cpu,
                                                      **lttng.env))
    try:
        medians = bench.alternate(candidates)
    finally:
        if lttng:
            lttng.close()
    bench.goal("bare hook: clock, one store, fresh pages of a file", against(medians, "bare"), None)
    bench.goal("traceshim", against(medians, "traceshim"), None)
    bench.goal("traceshim / bare", against(medians, "traceshim") / against(medians, "bare"), 1.3)
    for name, factor in (("uftrace", 3), ("LTTng", 4)):
        if name not in medians:
            print("  left out: %s is not installed" % name)
            continue
        bench.goal("%s, in the program" % name, against(medians, name), None)
        bench.goal("%s, all processes" % name, against(medians, name, 1), None)
        bench.goal("%s / traceshim, in the program" % name, against(medians, name) / against(medians, "traceshim"), None)
        bench.goal("%s / traceshim, all processes" % name,
                   against(medians, name, 1) / against(medians, "traceshim", 1), factor, True)


def part_threads(bench):
    print("Two threads in ring mode, fib(33) each: cost of an event with two threads over that with one")
    if len(CPUS) < 2:
        print("  left out: one CPU")
        return
    candidates = {}
    for threads in (1, 2):
        place = CPUS[-threads:]
        candidates["empty", threads] = bench.fib(33, threads, place, LD_PRELOAD=bench.path("EMPTY.so"))
        candidates["bare", threads] = bench.fib(33, threads, place, LD_PRELOAD=bench.path("RING.so"))
        candidates["traceshim", threads] = bench.fib(33, threads, place, LD_PRELOAD=bench.shim, TRACE_MAX_SIZE="128M",
                                                     TRACE_FULL="ring")
    medians = bench.alternate(candidates)
    ratio = {}
    for name in ("bare", "traceshim"):
        one, two = (medians[name, n][0] - medians["empty", n][0] for n in (1, 2))
        ratio[name] = two / one
        bench.goal("%s: %.2f ns -> %.2f ns, ratio" % (name, one, two), ratio[name], None)
    bench.goal("traceshim's ratio / bare ratio", ratio["traceshim"] / ratio["bare"], 1.1)


def part_off(bench):
    print("TRACE_LEVEL=0, fib(35)")
    medians = bench.alternate({
        "without": bench.fib(35),
        "level 0": bench.fib(35, LD_PRELOAD=bench.shim, TRACE_LEVEL="0"),
    }, 2 * bench.rounds)
    bench.goal("CPU of level 0 / CPU without preload", medians["level 0"][0] / medians["without"][0], 1.03)
