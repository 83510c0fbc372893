"""Costs of hooked calls: one, and what the default packs add to programs of the distribution."""
import os
import shutil
import statistics

from harness import children_cpu

# Written over many times: what a call costs, without that of new pages of a file, which `FILE` has besides.
RING = dict(TRACE_MAX_SIZE="4M", TRACE_FULL="ring")
FILE = dict(TRACE_MAX_SIZE="2G")


def part_calls(bench):
    print("A hooked call of a library function that does nothing, nanoseconds of CPU above the call without a hook")
    many, few = 4000000, 20000
    value = "callee_value(value:int)=int"
    candidates = {
        "bare": bench.calls("none", many),
        "bare value": bench.calls("value", many),
        "clock": bench.calls("clock", 4 * many),
        "typed": bench.calls("none", many, LD_PRELOAD=bench.shim, TRACE_HOOKS="callee_none()=stack=0", **RING),
        "generic": bench.calls("none", many, LD_PRELOAD=bench.shim, TRACE_HOOKS="callee_none", **RING),
        "values": bench.calls("value", many, LD_PRELOAD=bench.shim, TRACE_HOOKS=value, **RING),
        "generic to a file": bench.calls("none", many, LD_PRELOAD=bench.shim, TRACE_HOOKS="callee_none", **FILE),
        "values to a file": bench.calls("value", many, LD_PRELOAD=bench.shim, TRACE_HOOKS=value, **FILE),
        "not selected": bench.calls("none", many, LD_PRELOAD=bench.shim, TRACE_HOOKS="callee_value", **RING),
    }
    if shutil.which("uftrace"):
        candidates["uftrace"] = bench.calls("none", many, ["uftrace", "record", "--force", "-d", "out"])
    if shutil.which("ltrace"):
        candidates["ltrace"] = bench.calls("none", few, ["ltrace", "-o", "/dev/null", "-e", "callee_none"])
    medians = bench.alternate(candidates)
    clocks = 2 * medians["clock"][0]
    added = {name: medians[name][0] - medians["bare value" if name.startswith("values") else "bare"][0]
             for name in medians}
    bench.goal("reading the clock twice", clocks, None)
    bench.goal("no arguments, with a signature", added["typed"], None)
    bench.goal("  beyond reading the clock twice", added["typed"] - clocks, 15)
    bench.goal("nothing known of it", added["generic"], None)
    bench.goal("  beyond reading the clock twice", added["generic"] - clocks, 30)
    bench.goal("an argument and a result recorded", added["values"], None)
    bench.goal("nothing known of it, to new pages of a file", added["generic to a file"], None)
    bench.goal("an argument and a result recorded, to new pages of a file", added["values to a file"], None)
    bench.goal("a function that is not selected", added["not selected"], None)
    # In all processes: uftrace and ltrace write from another one what is written in the program here.
    whole = {name: medians[name][1] - medians["bare"][1] for name in medians}
    bench.goal("nothing known of it, to new pages of a file, start and end included", whole["generic to a file"], None)
    for name, factor in (("uftrace", 3), ("ltrace", 500)):
        if name not in medians:
            print("  left out: %s is not installed" % name)
            continue
        bench.goal("%s, in the program" % name, added[name], None)
        bench.goal("%s / traceshim (nothing known, in ring mode)" % name, added[name] / added["generic"], None)
        bench.goal("%s / traceshim (nothing known, to a file)" % name, added[name] / added["generic to a file"], factor,
                   True)
        bench.goal("%s, all processes" % name, whole[name], None)
        bench.goal("%s / traceshim, all processes (nothing known, to a file)" % name,
                   whole[name] / whole["generic to a file"], factor, True)


# A session with a repository of 3000 files: what a command does, not how often one is started.
GIT = """git init -q r; cd r; git config user.name n; git config user.email e@x
awk 'BEGIN { for (i = 0; i < 3000; i++) { for (k = 0; k < 50; k++) print i, k > "f" i; close("f" i) } }'
git add -A; git commit -qm one; for i in 1 2 3; do git status >/dev/null; git log -p >/dev/null; done
git gc -q; git fsck >/dev/null 2>&1; git archive HEAD >/dev/null"""
SQLITE = """sqlite3 db "create table t(a integer primary key, b text);
with recursive n(x) as (values(1) union all select x + 1 from n where x < 300000) insert into t select x, 'row ' || x from n;
create index i on t(b); select count(*) from t where b like '%7%'; select sum(length(b)) from t group by a % 10;" """
PYTHON = """python3 -c "
import json, os
for i in range(300):
    text = json.dumps([{'n': n, 'name': 'x' * 20} for n in range(1000)])
    open('f%d' % (i % 9), 'w').write(text)
    json.loads(open('f%d' % (i % 9)).read())
    os.listdir('.')" """
# Debian's server is this one of its tools by another name. Its clients are not traced: to be without the library is not
# enough, for children of a traced shell get it back.
REDIS = """ln -s "$(command -v redis-check-rdb)" redis-server
./redis-server --port 0 --unixsocket s --save '' --daemonize no >/dev/null & server=$!
i=0; while [ ! -S s ] && [ $i -lt 100 ]; do sleep 0.05; i=$((i + 1)); done
TRACE_LEVEL=0 redis-benchmark -s s -n 60000 -q -t set,get,lpush >/dev/null; kill $server; wait $server; true"""
TAR = """tar -cf - -C /usr/include . | zstd -q -3 -T1 -o t.zst; zstd -q -d -c t.zst | tar -tf - >/dev/null"""
PROGRAMS = {"git": ("git", GIT), "sqlite3": ("sqlite3", SQLITE), "python3": ("python3", PYTHON),
            "redis": ("redis-check-rdb", REDIS), "tar and zstd": ("zstd", TAR)}


DISTRIBUTION = "/usr/sbin:/usr/bin:/sbin:/bin"  # not what somebody put before it, which may be scripts


def part_programs(bench):
    print("Default packs: CPU of programs of the distribution with their children, seconds")
    for name, (needs, script) in PROGRAMS.items():
        if not shutil.which(needs, path=DISTRIBUTION):
            print("  left out: %s is not installed" % needs)
            continue
        sizes = []

        def cpu(traces=None, script=script, sizes=sizes, **settings):
            def measure():
                before = children_cpu()
                bench.run(["sh", "-c", script], PATH=DISTRIBUTION, **settings)
                used = children_cpu() - before
                if traces:
                    sizes.append(sum(entry.stat().st_blocks * 512 for entry in os.scandir(traces)) / used)
                    shutil.rmtree(traces)
                return used
            return measure

        traces = os.path.join(bench.work, "programs")
        medians = bench.alternate({"without": cpu(), "traced": cpu(traces, LD_PRELOAD=bench.shim, TRACE_OUTPUT=traces)})
        bench.goal("%s: without" % name, medians["without"], None)
        bench.goal("%s: traced / without" % name, medians["traced"] / medians["without"], 1.05)
        bench.goal("%s: MiB of trace per second of CPU" % name, statistics.median(sizes) / 2**20, None)
