"""Cost of counting executed code."""
import os

from harness import counted

RING = dict(TRACE_MAX_SIZE="64M", TRACE_FULL="ring")


def part_lines(bench):
    print("A coverage callback (-fsanitize-coverage=trace-pc), nanoseconds of CPU above one that returns at once")
    for kind in ("EMPTY", "COUNT"):
        os.makedirs(bench.path(kind), exist_ok=True)
        bench.compile("coverage_hooks.c", os.path.join(kind, "libcallbacks.so"), ["-D" + kind, "-fPIC", "-shared"])
    bench.compile("covered.c", "covered", ["-fsanitize-coverage=trace-pc", "-L" + bench.path("EMPTY"), "-lcallbacks"])
    bench.compile("covered.c", "uncovered", [])
    rounds = 10000000

    def measure(program="covered", library="EMPTY", **settings):
        def run():
            done, cpu = counted(bench.run([bench.path(program), str(rounds)], LD_LIBRARY_PATH=bench.path(library), **settings))
            return cpu / done, 0.0
        return run

    told = bench.run([bench.path("covered"), str(rounds)], LD_LIBRARY_PATH=bench.path("COUNT")).splitlines()
    callbacks = int(told[-1].split()[0]) / rounds
    medians = bench.alternate({
        "none": measure("uncovered"),
        "bare": measure(),
        "level 1": measure(LD_PRELOAD=bench.shim, TRACE_LEVEL="1", **RING),
        "level 2": measure(LD_PRELOAD=bench.shim, TRACE_LEVEL="2", **RING),
    })
    bare = medians["bare"][0]
    bench.goal("the call and return themselves", (bare - medians["none"][0]) / callbacks, None)
    bench.goal("at level 1", (medians["level 1"][0] - bare) / callbacks, None)
    bench.goal("at level 2", (medians["level 2"][0] - bare) / callbacks, 4)
