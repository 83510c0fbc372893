"""What level 2 adds: call sites of instrumented functions, and the callers of hooked ones."""
import shutil

from harness import counted
from hooked import RING

DEPTH = 8


def part_callers(bench):
    print("Level 2, nanoseconds of CPU")
    bench.compile("callers.c", "callers", ["-g", "-L" + bench.work, "-lcallee", "-Wl,-rpath,$ORIGIN"])

    def run(what, count, command=(), **settings):
        def measure():
            command_line = [*command, bench.path("callers"), what, str(count), str(DEPTH)]
            calls, cpu = counted(bench.run(command_line, **settings))
            return cpu / calls
        return measure

    def traced(what, count, hooks, level):
        return run(what, count, LD_PRELOAD=bench.shim, TRACE_HOOKS=hooks, TRACE_LEVEL=level, **RING)

    candidates = {}
    for level in "12":
        candidates["event " + level] = bench.fib(34, LD_PRELOAD=bench.shim, TRACE_LEVEL=level, **RING)
        candidates["call " + level] = traced("call", 2000000, "callee_none()=stack=0", level)
        candidates["malloc " + level] = traced("malloc", 500000, "mem", level)
    candidates["malloc"] = run("malloc", 2000000)
    if shutil.which("heaptrack"):
        candidates["heaptrack"] = run("malloc", 500000, ["heaptrack", "--raw", "-o", "heap"])
    medians = bench.alternate(candidates)
    bench.goal("an event of an instrumented function: level 2 - level 1",
               medians["event 2"][0] - medians["event 1"][0], 10)
    bench.goal("a hooked call, %d frames below main: level 2 - level 1" % DEPTH, medians["call 2"] - medians["call 1"],
               60)
    bench.goal("malloc and free, traced at level 1, above untraced", medians["malloc 1"] - medians["malloc"], None)
    bench.goal("malloc and free, traced at level 2, above untraced", medians["malloc 2"] - medians["malloc"], None)
    if "heaptrack" not in medians:
        print("  left out: heaptrack is not installed")
        return
    # Of malloc and free we tell the callers of both, heaptrack those of malloc.
    stack = (medians["malloc 2"] - medians["malloc 1"]) / 2
    bench.goal("malloc and free by heaptrack, one stack, above untraced", medians["heaptrack"] - medians["malloc"],
               None)
    bench.goal("heaptrack / what one stack takes at level 2", (medians["heaptrack"] - medians["malloc"]) / stack, 3,
               True)
