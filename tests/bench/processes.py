"""Costs of a process: its start, its end, a fork."""
import os
import subprocess


def part_start(bench):
    print("Start and end of /bin/true, milliseconds of wall time")
    places = {"on " + file_system(bench.work): bench.work}
    if os.path.ismount("/dev/shm"):
        places["on tmpfs"] = "/dev/shm"
    for where, place in places.items():
        def spawn(place=place, **settings):
            command = [bench.path("spawn"), "60", "/bin/true"]
            return lambda: float(bench.run(command, place=place, TRACE_OUTPUT="trace.%p", **settings)) / 1e6

        medians = bench.alternate({
            "without": spawn(),
            "level 0": spawn(SPAWN_PRELOAD=bench.shim, TRACE_LEVEL="0"),
            "level 1": spawn(SPAWN_PRELOAD=bench.shim),
        })
        bench.goal("without preload, " + where, medians["without"], None)
        bench.goal("added at level 0, " + where, medians["level 0"] - medians["without"], 0.5)
        bench.goal("added at level 1, " + where, medians["level 1"] - medians["without"], 2)


def file_system(path):
    out = subprocess.run(["stat", "-f", "-c", "%T", path], stdout=subprocess.PIPE, check=False).stdout.decode().strip()
    return out.replace("ext2/ext3", "ext4") or "disk"


def part_fork(bench):
    print("fork, exit and wait, microseconds of wall time")

    def forks(**settings):
        return lambda: float(bench.run([bench.path("forks"), "1000"], **settings)) / 1e3

    medians = bench.alternate({"without": forks(), "traced": forks(LD_PRELOAD=bench.shim)})
    bench.goal("without preload", medians["without"], None)
    bench.goal("traced", medians["traced"], None)
    bench.goal("traced / without", medians["traced"] / medians["without"], 1.5)
