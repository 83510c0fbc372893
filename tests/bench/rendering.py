"""Costs of reading a trace."""
import os
import shutil
import statistics
import subprocess
import time

from harness import children_cpu


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
    settings.setdefault("TRACE_MAX_SIZE", "2G")
    return int(bench.run([bench.path("fib"), str(number)], LD_PRELOAD=bench.shim, TRACE_OUTPUT=directory,
                         **settings).split()[0])


def part_render(bench):
    print("Rendering the trace of fib(32), 7 million calls")
    big, small, other = bench.path("big"), bench.path("small"), bench.path("uftrace")
    calls = record(bench, 32, big)
    record(bench, 24, small)
    used = sum(e.stat().st_blocks * 512 for e in os.scandir(big) if e.name.endswith(".trace"))
    bench.goal("bytes on the disk per call", used / calls, 12.5)
    ours = {"report": [bench.traceshim, "report"],
            "chrome": [bench.traceshim, "export", "--format=chrome", "--all", "-o", "/dev/null"],
            "perfetto": [bench.traceshim, "export", "--format=perfetto", "-o", "/dev/null"]}
    to_chrome = ["uftrace", "dump", "--chrome", "--no-pager", "-d", other]
    theirs = {"report": ["uftrace", "report", "--no-pager", "-d", other], "chrome": to_chrome, "perfetto": to_chrome}
    faster = {"report": 10, "chrome": 10, "perfetto": 30}
    packed = bench.path("big.pftrace")
    subprocess.run([bench.traceshim, "export", "--format=perfetto", "-o", packed, big], check=True)
    bench.goal("perfetto: bytes per call", os.path.getsize(packed) / calls, 20)
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
            bench.goal("%s: %s / traceshim" % (what, " ".join(theirs[what][:2])), their_cpu / cpu, faster[what], True)
        bench.goal("%s: MiB beyond the mapped trace" % what, peak, 64)
        less = max(cpu_and_memory([*command, small])[1] for _ in range(5))
        bench.goal("%s: the same with a trace of fib(24), 150 thousand calls" % what, less, None)


def part_scale(bench):
    """Memory does not grow with the trace. fib(41), a thousand million events in 6.4 GB, only when it is asked for."""
    views = {"report": ["report"], "tree": ["tree"],
             "perfetto": ["export", "--format=perfetto", "-o", "/dev/null"],
             "html": ["export", "--format=html", "-o", "/dev/null"]}
    peaks = {view: [] for view in views}
    for number in (26, 31, 36, 41) if bench.billion else (26, 31, 36):
        directory = bench.path("scale%d" % number)
        events = 2 * record(bench, number, directory, TRACE_MAX_SIZE="12G")
        print("Rendering a trace of %.1e events" % events)
        for view, command in views.items():
            cpu, peak = cpu_and_memory([bench.traceshim, *command, directory])
            bench.goal("%s: million events per CPU second" % view, events / cpu / 1e6, None)
            bench.goal("%s: MiB beyond the mapped trace" % view, peak, 64)
            peaks[view].append(peak)
        shutil.rmtree(directory)
    for view, found in peaks.items():
        bench.goal("%s: MiB of the largest / of the one before" % view, found[-1] / max(found[-2], 1), 1.5)
