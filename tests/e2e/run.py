#!/usr/bin/env python3
"""Runs the end-to-end tests: tests/e2e/run.py [--build DIR] [--long] [--times] [--keep] [NUMBER-OR-NAME...]

A test is a numbered program NNN-name.c or .cc whose first comment says what must hold, or a script NNN-name.sh (see
lib.sh; a program of the same name belongs to the script). The program is built instrumented, run bare and run traced:
standard output and status must be equal, the Chrome and Perfetto traces must obey every rule, and the comment's lines must hold:
  BUILD: gcc -O2          compiler and flags; each such line is a run of its own; skipped where there is no compiler
  LIBRARY: x.so           the same file with -DLIBRARY=x, linked to the program
  PLUGIN: x.so            the same file with -DPLUGIN=x, not linked
  ENV: NAME=VALUE         for the traced run
  CALLS: NAME N           calls of a function in `report`
  PARENT: NAME < PARENT   every call of NAME lies directly in a call of PARENT (or of nothing: -)
  INFO: KEY: VALUE        a line of `info`, explanations behind the value left out
  STDERR: REGEX           a line of standard error of the traced run
  THREADS: A B            thread names in the Chrome trace
  PROCESSES: N            processes in the Chrome trace
  USED-MEBIBYTES: N       the trace takes less than that on the disk
  MACHINE: CPU            a test for this processor only
  NOT-EMULATED: REASON    not a test for --target
  TREE:                   the tree of all calls, durations as (dur), until the comment's end
With --target the programs are built by another processor's cross compilers, with --long by each BUILD line, else by the
first, and run under qemu; scripts are left out.
It cannot find what only another machine, kernel or compiler does.
"""
import argparse
import collections
import concurrent.futures
import functools
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests"))
import check_chrome_json  # noqa: E402
import check_perfetto  # noqa: E402

PERFETTO_BYTES = 200000  # of a trace that is checked: a second for the checker
KEYS = ("BUILD LIBRARY PLUGIN ENV CALLS PARENT INFO STDERR THREADS PROCESSES USED-MEBIBYTES MACHINE "
        "NOT-EMULATED TREE").split()


class Failure(Exception):
    pass


class Skip(Exception):
    pass


def plain_tree(text):
    """The tree without what differs from run to run."""
    duration = r"[0-9.]+ (?:s|ms|µs|ns)"
    text = re.sub(r"\(unfinished, >= %s\)" % duration, "(unfinished)", text)
    text = re.sub(r"\(%s\)" % duration, "(dur)", text)
    text = re.sub(r"\b(self|avg|max)=%s" % duration, r"\1=dur", text)
    return re.sub(r"\b(pid|tid|sender)=\d+", r"\1=N", text).rstrip("\n")


def read_header(path):
    header = collections.defaultdict(list)
    key = None
    with open(path, encoding="utf-8") as source:
        comment = source.read().split("*/")[0]
    for line in comment.split("\n"):
        line = re.sub(r"^(/\*| \*) ?", "", line)
        found = re.match(r"([A-Z-]+):(?: (.*)|$)", line)
        if found and found.group(1) in KEYS:
            key = found.group(1)
            if found.group(2) is not None:
                header[key].append(found.group(2))
        elif key == "TREE":
            header[key].append(line)
    return header


def run(command, cwd, env=None, limit=120):
    """(status, stdout, stderr); a status below zero is a signal. Ends everything it started when time is up."""
    process = subprocess.Popen(command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, start_new_session=True)
    try:
        out, err = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        process.communicate()
        raise Failure("%s did not end within %d s" % (os.path.basename(command[0]), limit)) from None
    return process.returncode, out, err.decode("utf-8", "replace")


def expect(what, wanted, got):
    if wanted != got:
        raise Failure("%s: wanted %r, got %r" % (what, wanted, got))


class Host:
    """Programs are built for this machine and run by it."""
    processor = platform.machine()
    is_emulated = False
    settings = []

    @staticmethod
    def compiler(name):
        return [name]

    @staticmethod
    def run(cwd, env, shim=None):
        return run(["./app"], cwd, dict(env, LD_PRELOAD=shim) if shim else env)


class Emulated:
    """Programs are built for another processor by Debian's cross compilers, and run under qemu's user mode."""
    is_emulated = True
    settings = ["TRACE_FORMAT=none"]  # it cannot make the process that renders

    def __init__(self, processor):
        self.processor = processor
        self.triplet = processor + "-linux-gnu"
        self.emulator = ["qemu-" + processor, "-L", "/usr/" + self.triplet]

    def compiler(self, name):
        return [name, "--target=" + self.triplet] if "clang" in name else [self.triplet + "-" + name]

    def run(self, cwd, env, shim=None):
        # The emulator itself is not to be preloaded.
        preload = ["-E", "LD_PRELOAD=" + shim] if shim else []
        return run([*self.emulator, *preload, "./app"], cwd, env)


def build(tools, source, line, header, cwd):
    name, *flags = line.split()
    compiler = tools.target.compiler(name)
    if shutil.which(compiler[0]) is None:
        raise Skip("no %s on this machine" % compiler[0])
    base = [*compiler, "-g", "-finstrument-functions", "-pthread", source, *flags, *tools.flags]
    objects = []
    for kind in ("LIBRARY", "PLUGIN"):
        for name in header[kind]:
            define = "-D%s=%s" % (kind, name.split(".")[0])
            compile_command(base + [define, "-fPIC", "-shared", "-o", name], cwd)
            if kind == "LIBRARY":
                objects.append("./" + name)
    compile_command(base + [*objects, "-Wl,-rpath,$ORIGIN", "-o", "app"], cwd)


def compile_command(command, cwd):
    status, _, err = run(command, cwd)
    if status != 0:
        raise Failure("build: " + (err.strip().split("\n") or ["?"])[-1])


class Tools:
    """The programs under test, applied to the trace in a directory."""

    def __init__(self, options):
        build_dir = os.path.abspath(options.build)
        self.shim = os.path.abspath(options.shim) if options.shim else os.path.join(build_dir, "libtraceshim.so")
        self.traceshim = os.path.join(build_dir, "traceshim")
        self.target = Emulated(options.target) if options.target else Host()
        self.flags = options.flags.split()

    def output(self, cwd, *arguments):
        status, out, err = run([self.traceshim, *arguments], cwd)
        if status != 0:
            raise Failure("traceshim %s: status %d: %s" % (arguments[0], status, err.strip()))
        return out.decode("utf-8")

    def run_bare(self, cwd):
        return self.target.run(cwd, self.environment())

    def run_traced(self, cwd, settings):
        settings = ["TRACE_OUTPUT=trace", "TRACE_HOOKS=", *self.target.settings, *settings]
        return self.target.run(cwd, dict(self.environment(), **dict(s.split("=", 1) for s in settings)), self.shim)

    @staticmethod
    def environment():
        return {k: v for k, v in os.environ.items() if not k.startswith("TRACE_") and k != "LD_PRELOAD"}


def check_report(tools, cwd, wanted):
    counts = collections.Counter()
    for line in tools.output(cwd, "report", "trace").splitlines():
        if not line.startswith("#"):
            fields = line.split(None, 7)
            counts[re.sub(r" \{[^{}]*\}$", "", fields[7])] += int(fields[0])
    for entry in wanted:
        name, count = entry.rsplit(" ", 1)
        expect("calls of " + name, int(count), counts[name])


def check_info(tools, cwd, wanted):
    if wanted:
        lines = [" ".join(line.split()) for line in tools.output(cwd, "info", "trace").splitlines()]
        for entry in wanted:
            if not any(line == entry or line.startswith(entry + " ") for line in lines):
                key = entry.split(":")[0]
                raise Failure("info: wanted '%s', got %r" % (entry, [x for x in lines if x.startswith(key)]))


def nanoseconds(number):
    whole, _, fraction = number.partition(".")
    return int(whole) * 1000 + int((fraction + "000")[:3])


def check_chrome(tools, cwd, header):
    tools.output(cwd, "export", "--format=chrome", "-o", "chrome.json", "trace")
    names, calls = set(), []

    def see(event):
        if event["ph"] == "X":
            calls.append((nanoseconds(event["ts"]), nanoseconds(event["dur"]), event["name"], event["pid"], event["tid"]))
        elif event["name"] == "thread_name":
            names.add(event["args"]["name"])

    with open(os.path.join(cwd, "chrome.json"), "rb") as file:
        fault = check_chrome_json.check_bytes(file.read(), see)
    if fault:
        raise Failure("chrome: " + fault)
    for wanted in " ".join(header["THREADS"]).split():
        if wanted not in names:
            raise Failure("no thread is named %s: %s" % (wanted, sorted(names)))
    for wanted in header["PROCESSES"]:
        expect("processes", int(wanted), len({pid for _, _, _, pid, _ in calls}))
    if header["PARENT"]:
        check_parents(calls, [entry.split(" < ") for entry in header["PARENT"]])


def check_perfetto_trace(tools, cwd):
    path = os.path.join(cwd, "trace.pftrace")
    tools.output(cwd, "export", "--format=perfetto", "-o", path, "trace")
    if os.path.getsize(path) > PERFETTO_BYTES:
        return
    try:
        check_perfetto.check_file(path)
    except check_perfetto.Fault as fault:
        raise Failure("perfetto: %s" % fault) from None


def check_parents(calls, wanted):
    wanted = dict(wanted)
    seen = collections.Counter()
    stacks = collections.defaultdict(list)
    for start, duration, name, pid, tid in sorted(calls, key=lambda call: (call[0], -call[1])):
        stack = stacks[pid, tid]
        while stack and stack[-1][1] <= start:
            stack.pop()
        parent = stack[-1][0] if stack else "-"
        stack.append((name, start + duration))
        if name in wanted:
            expect("parent of " + name, wanted[name], parent)
            seen[name] += 1
    for name in wanted:
        if not seen[name]:
            raise Failure("no call of %s in the Chrome trace" % name)


def disk_mebibytes(directory):
    return sum(e.stat().st_blocks for e in os.scandir(directory) if e.name.endswith(".trace")) * 512 / 2**20


def run_program(tools, source, line, header, cwd):
    is_first = line == header["BUILD"][0]
    if header["NOT-EMULATED"] and tools.target.is_emulated:
        raise Skip(header["NOT-EMULATED"][0])
    build(tools, source, line, header, cwd)
    bare_status, bare_out, _ = tools.run_bare(cwd)
    status, out, err = tools.run_traced(cwd, header["ENV"])
    expect("status", bare_status, status)
    expect("standard output", bare_out, out)
    for pattern in header["STDERR"]:
        if not re.search(pattern, err, re.M):
            raise Failure("standard error has no line like '%s': %s" % (pattern, err.strip()))
    if header["USED-MEBIBYTES"] and disk_mebibytes(os.path.join(cwd, "trace")) > int(header["USED-MEBIBYTES"][0]):
        raise Failure("the trace takes %.0f MiB" % disk_mebibytes(os.path.join(cwd, "trace")))
    if header["TREE"]:
        got = plain_tree(tools.output(cwd, "tree", "--calls", "trace"))
        if got != "\n".join(header["TREE"]).rstrip("\n /"):
            raise Failure("the tree is\n" + got)
    check_report(tools, cwd, header["CALLS"])
    check_info(tools, cwd, header["INFO"])
    check_chrome(tools, cwd, header)
    if is_first:  # what it writes does not depend on the compiler
        check_perfetto_trace(tools, cwd)


def run_script(tools, source, cwd, take_time):
    env = tools.environment()
    env.update(SHIM=tools.shim, TRACESHIM=tools.traceshim, SOURCES=HERE, LONG="1" if take_time else "",
               LC_ALL="C.UTF-8")
    status, out, err = run(["bash", source], cwd, env, 3000 if take_time else 300)
    text = out.decode("utf-8", "replace").strip()
    if status == 77:
        raise Skip(text.split("\n")[-1])
    if status != 0:
        raise Failure((text + "\n" + err).strip()[-1500:] or "status %d" % status)


def list_tests(tools, chosen, take_time):
    names = sorted(n for n in os.listdir(HERE) if re.match(r"\d{3}-.*\.(c|cc|sh)$", n))
    for name in names:
        stem, kind = os.path.splitext(name)
        if chosen and not any(stem.startswith(c) for c in chosen):
            continue
        path = os.path.join(HERE, name)
        if kind == ".sh":
            if not tools.target.is_emulated:
                yield stem, path, None, None
        elif stem + ".sh" not in names:
            header = read_header(path)
            if header["MACHINE"] not in ([], [tools.target.processor]):
                continue
            for line in header["BUILD"] if take_time or not tools.target.is_emulated else header["BUILD"][:1]:
                yield "%s (%s)" % (stem, line), path, line, header


def run_test(tools, options, test):
    started = time.monotonic()
    name, path, line, header = test
    cwd = tempfile.mkdtemp(prefix="traceshim-e2e.")
    os.chmod(cwd, 0o755)
    result = "passed", None
    try:
        if header is None:
            run_script(tools, path, cwd, options.long)
        else:
            run_program(tools, path, line, header, cwd)
    except Failure as failure:
        result = "failed", str(failure)
    except Skip as reason:
        result = "skipped", str(reason)
    except (OSError, ValueError, LookupError) as error:
        result = "failed", "%s: %s" % (type(error).__name__, error)
    if options.keep:
        print("%s: %s" % (name, cwd))
    else:
        shutil.rmtree(cwd, ignore_errors=True)
    return name, *result, time.monotonic() - started


def main():
    parser = argparse.ArgumentParser(description="end-to-end tests of traceshim")
    parser.add_argument("--build", default=os.path.join(ROOT, "build"), help="where the programs under test are")
    parser.add_argument("--shim", help="the library under test, where it is not there")
    parser.add_argument("--target", metavar="CPU", help="build for this processor, run under qemu")
    parser.add_argument("--flags", default="", help="more flags for the compilers")
    parser.add_argument("--long", action="store_true", help="full lengths of the long tests")
    parser.add_argument("--times", action="store_true", help="print the twenty slowest tests with their seconds")
    parser.add_argument("--keep", action="store_true", help="keep and name the scratch directories")
    parser.add_argument("--plain-tree", action="store_true", help="only filter a tree from stdin, as TREE: needs it")
    parser.add_argument("chosen", nargs="*")
    options = parser.parse_args()
    if options.plain_tree:
        print(plain_tree(sys.stdin.read()))
        return 0
    # A shell ignores them for what it runs in the background, and so would the programs under test.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)
    tools = Tools(options)
    for program in (tools.shim, tools.traceshim):
        if not os.path.exists(program):
            sys.exit("%s is not built: run make" % program)
    counts = collections.Counter()
    seconds = {}

    # Processes, not threads: what checks the formats is Python.
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count() or 1) as pool:
        run_one = functools.partial(run_test, tools, options)
        for name, verdict, why, took in pool.map(run_one, list_tests(tools, options.chosen, options.long)):
            seconds[name] = took
            counts[verdict] += 1
            print({"passed": "ok", "failed": "FAIL", "skipped": "skip"}[verdict], name + (": " + why if why else ""))
            sys.stdout.flush()
    for name in sorted(seconds, key=seconds.get, reverse=True)[:20] if options.times else []:
        print("%6.1f s  %s" % (seconds[name], name))
    print("%d passed, %d failed, %d skipped" % (counts["passed"], counts["failed"], counts["skipped"]))
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
