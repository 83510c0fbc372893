"""What the parts share: programs to measure, runs, medians, lines of the result."""
import collections
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
CPUS = sorted(os.sched_getaffinity(0))


class Bench:
    def __init__(self, options):
        self.build = os.path.abspath(options.build)
        self.rounds = options.rounds
        self.billion = options.billion
        self.shim = os.path.join(self.build, "libtraceshim.so")
        self.traceshim = os.path.join(self.build, "traceshim")
        self.work = tempfile.mkdtemp(prefix="bench.", dir=self.build)
        self.missed = 0
        for name, flags in (("fib", ["-finstrument-functions", "-pthread"]), ("forks", ["-finstrument-functions"]),
                            ("spawn", [])):
            self.compile(name + ".c", name, ["-g", *flags])
        for kind in ("EMPTY", "RING", "FRESH"):
            self.compile("bare_hooks.c", kind + ".so", ["-D" + kind, "-fPIC", "-shared", "-mgeneral-regs-only"])
        self.compile("callee.c", "libcallee.so", ["-fPIC", "-shared"])
        self.compile("hooked.c", "hooked", ["-L" + self.work, "-lcallee", "-Wl,-rpath,$ORIGIN"])

    def compile(self, source, out, flags):
        subprocess.run(["gcc", "-O2", os.path.join(HERE, source), "-o", self.path(out), *flags], check=True)

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
            calls, cpu = counted(self.run([*command, self.path("fib"), str(number), str(threads)], cpus, **settings))
            whole = children_cpu() + others() - before
            return cpu / (2 * calls), whole * 1e9 / (2 * calls)
        return measure

    def calls(self, what, count, command=(), **settings):
        """As fib: of one call of a library's function."""
        def measure():
            before = children_cpu()
            calls, cpu = counted(self.run([*command, self.path("hooked"), what, str(count)], **settings))
            return cpu / calls, (children_cpu() - before) * 1e9 / calls
        return measure


def counted(output):
    """The two numbers that a program prints of its calls, whatever a tracer prints beside them."""
    calls, cpu = [x for x in output.splitlines() if x.replace(" ", "").isdigit()][-1].split()
    return int(calls), int(cpu)


def children_cpu():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
