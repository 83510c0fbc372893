#!/usr/bin/env python3
"""Measures what README claims: tests/bench/run.py [--build DIR] [--rounds N] [PART...]

Each comparison alternates its candidates (A B A B) and takes medians of at least five rounds. Costs of events are CPU
time per event above the same program with empty hooks: in the program, measured by itself around its calls, and in all
processes that take part (recorders that write from another process). A goal that is missed is marked, and the status is
1. What is not installed is left out by name.
"""
import argparse
import collections
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
CPUS = sorted(os.sched_getaffinity(0))


class Bench:
    def __init__(self, options):
        self.build = os.path.abspath(options.build)
        self.rounds = options.rounds
        self.shim = os.path.join(self.build, "libtraceshim.so")
        self.traceshim = os.path.join(self.build, "traceshim")
        self.work = tempfile.mkdtemp(prefix="bench.", dir=self.build)
        self.missed = 0
        for name, flags in (("fib", ["-finstrument-functions", "-pthread"]), ("forks", ["-finstrument-functions"]),
                            ("spawn", [])):
            self.compile(name + ".c", name, ["-g", *flags])
        for kind in ("EMPTY", "RING", "FRESH"):
            self.compile("bare_hooks.c", kind + ".so", ["-D" + kind, "-fPIC", "-shared", "-mgeneral-regs-only"])

    def compile(self, source, out, flags):
        subprocess.run(["gcc", "-O2", *flags, os.path.join(HERE, source), "-o", self.path(out)], check=True)

    def path(self, name):
        return os.path.join(self.work, name)

    def goal(self, text, value, limit, at_least=False):
        """One line of the result; `limit` None: no goal."""
        verdict = ""
        if limit is not None:
            holds = value >= limit if at_least else value <= limit
            self.missed += not holds
            verdict = "   goal %s %g: %s" % (">=" if at_least else "<=", limit, "ok" if holds else "MISSED")
        print("  %-62s %9.2f%s" % (text, value, verdict))
        sys.stdout.flush()

    def run(self, command, cpus=None, **settings):
        """Standard output of a run on these CPUs (the last one), in an empty directory that is removed again."""
        cpus = cpus or CPUS[-1:]
        scratch = tempfile.mkdtemp(prefix="run.", dir=settings.pop("place", self.work))
        env = {k: v for k, v in os.environ.items() if not k.startswith("TRACE_")}
        env.update(TRACE_FORMAT="none", TRACE_OUTPUT="trace", TRACE_QUIET="1")
        env.update(settings)
        try:
            done = subprocess.run(command, cwd=scratch, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, timeout=600,
                                  preexec_fn=lambda: os.sched_setaffinity(0, cpus))
            if done.returncode != 0:
                raise RuntimeError("%s failed: %s" % (command, done.stderr.decode("utf-8", "replace")[-300:]))
            return done.stdout.decode()
        finally:
            shutil.rmtree(scratch, ignore_errors=True)

    def alternate(self, candidates, rounds=None):
        """Medians of each candidate's numbers; one warm-up round is not counted."""
        values = collections.defaultdict(list)
        for turn in range((rounds or self.rounds) + 1):
            for name, measure in candidates.items():
                value = measure()
                if turn > 0:
                    values[name].append(value)
        return {name: statistics.median(numbers) if isinstance(numbers[0], float)
                else tuple(statistics.median(part) for part in zip(*numbers)) for name, numbers in values.items()}

    def fib(self, number, threads=1, cpus=None, command=(), others=lambda: 0.0, **settings):
        """A function that gives nanoseconds of CPU per event of fib(number): in the program, and in all processes
        (its own, their children, and those whose CPU seconds `others` tells)."""
        def measure():
            before = children_cpu() + others()
            line = self.run([*command, self.path("fib"), str(number), str(threads)], cpus, **settings)
            whole = children_cpu() + others() - before
            calls, cpu = [x for x in line.splitlines() if x.replace(" ", "").isdigit()][-1].split()
            return int(cpu) / (2 * int(calls)), whole * 1e9 / (2 * int(calls))
        return measure


def children_cpu():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


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


class Lttng:
    """A session daemon of our own, with its files in a directory of ours."""

    def __init__(self, directory):
        self.env = dict(LTTNG_HOME=directory, LTTNG_RUNDIR=directory, HOME=directory)
        self.pid_file = os.path.join(directory, "pid")
        self.directory = directory
        os.makedirs(directory)
        self.call("lttng-sessiond", "--daemonize", "--no-kernel", "--pidfile", self.pid_file)

    def call(self, *command):
        """Runs a command with the daemon's environment."""
        subprocess.run(command, env={**os.environ, **self.env}, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, timeout=60)

    def session(self, measure):
        def measured():
            self.call("lttng", "create", "bench", "--output", os.path.join(self.directory, "trace"))
            self.call("lttng", "enable-event", "-u", "lttng_ust_cyg_profile_fast:*")
            self.call("lttng", "start")
            try:
                return measure()
            finally:
                self.call("lttng", "destroy", "bench")
                shutil.rmtree(os.path.join(self.directory, "trace"), ignore_errors=True)
        return measured

    def pids(self):
        """The session daemon, and its children: the consumers, which write the files."""
        with open(self.pid_file, encoding="ascii") as file:
            daemon = file.read().strip()
        with open("/proc/%s/task/%s/children" % (daemon, daemon), encoding="ascii") as file:
            return [daemon, *file.read().split()]

    def cpu(self):
        """CPU seconds of the daemons so far."""
        ticks = 0
        for pid in self.pids():
            with open("/proc/%s/stat" % pid, encoding="ascii") as file:
                ticks += sum(int(field) for field in file.read().rsplit(")", 1)[1].split()[11:13])
        return ticks / os.sysconf("SC_CLK_TCK")

    def close(self):
        os.kill(int(self.pids()[0]), 15)


def lttng_library():
    listing = subprocess.run(["ldconfig", "-p"], stdout=subprocess.PIPE, check=False).stdout.decode()
    for line in listing.splitlines():
        if "liblttng-ust-cyg-profile-fast.so" in line:
            return line.split("=>")[1].strip()
    return None


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


def cpu_and_memory(command):
    """CPU seconds and the peak of anonymous memory in MiB (what is beyond mapped files), of one command."""
    before = children_cpu()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    peak = 0
    while process.poll() is None:
        try:
            with open("/proc/%d/status" % process.pid, encoding="ascii") as status:
                fields = dict(line.split(":", 1) for line in status)
            peak = max(peak, int(fields.get("RssAnon", "0").split()[0]))
        except (OSError, IndexError):
            pass
        time.sleep(0.002)
    used = children_cpu() - before
    if process.returncode != 0:
        raise RuntimeError("%s: %s" % (command, process.stderr.read().decode("utf-8", "replace")[-300:]))
    process.stderr.close()
    return used, peak / 1024


def record(bench, number, directory, **settings):
    return int(bench.run([bench.path("fib"), str(number)], LD_PRELOAD=bench.shim, TRACE_MAX_SIZE="2G",
                         TRACE_OUTPUT=directory, **settings).split()[0])


def part_render(bench):
    print("Rendering the trace of fib(32), 7 million calls")
    big, small, other = bench.path("big"), bench.path("small"), bench.path("uftrace")
    calls = record(bench, 32, big)
    record(bench, 24, small)
    used = sum(e.stat().st_blocks * 512 for e in os.scandir(big) if e.name.endswith(".trace"))
    bench.goal("bytes on the disk per call", used / calls, 12.5)
    ours = {"report": [bench.traceshim, "report"],
            "chrome": [bench.traceshim, "export", "--format=chrome", "-o", "/dev/null"]}
    theirs = {"report": ["uftrace", "report", "--no-pager", "-d", other],
              "chrome": ["uftrace", "dump", "--chrome", "--no-pager", "-d", other]}
    if shutil.which("uftrace"):
        subprocess.run(["uftrace", "record", "--no-libcall", "-d", other, bench.path("fib"), "32"], check=True,
                       stdout=subprocess.DEVNULL)
    else:
        print("  left out: uftrace is not installed")
    for what, command in ours.items():
        rounds = [cpu_and_memory([*command, big]) for _ in range(5)]
        cpu = statistics.median(r[0] for r in rounds)
        peak = max(r[1] for r in rounds)
        bench.goal("%s: CPU seconds" % what, cpu, None)
        bench.goal("%s: nanoseconds per call" % what, cpu / calls * 1e9, None)
        if shutil.which("uftrace"):
            their_cpu = statistics.median(cpu_and_memory(theirs[what])[0] for _ in range(2))
            bench.goal("%s: CPU seconds of uftrace" % what, their_cpu, None)
            bench.goal("%s: uftrace / traceshim" % what, their_cpu / cpu, 10, True)
        bench.goal("%s: MiB beyond the mapped trace" % what, peak, 64)
        less = max(cpu_and_memory([*command, small])[1] for _ in range(5))
        bench.goal("%s: the same with a trace of fib(24), 150 thousand calls" % what, less, None)


PARTS = {"ring": part_ring, "file": part_file, "threads": part_threads, "off": part_off, "start": part_start,
         "fork": part_fork, "render": part_render}


def main():
    parser = argparse.ArgumentParser(description="measures what README claims")
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("parts", nargs="*", metavar="PART", help="one of " + ", ".join(PARTS))
    options = parser.parse_args()
    for part in options.parts:
        if part not in PARTS:
            parser.error("no part " + part)
    bench = Bench(options)
    try:
        for name, part in PARTS.items():
            if not options.parts or name in options.parts:
                part(bench)
    finally:
        shutil.rmtree(bench.work, ignore_errors=True)
    print("every goal is met" if not bench.missed else "%d goals are missed" % bench.missed)
    return 1 if bench.missed else 0


if __name__ == "__main__":
    sys.exit(main())
