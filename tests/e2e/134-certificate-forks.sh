# A tree of processes, one of them killed: every process, its calls as it counted them itself, and how it ended.
. "$SOURCES/lib.sh"
instrument 134-certificate-forks.c forks -O1
TRACE_OUTPUT=out TRACE_FORMAT=none traced ./forks counts 2>err || fail "status $?: $(cat err)"
"$TRACESHIM" info --format=json out >info.json 2>err || fail "info: $(cat err)"
python3 - >check.out 2>&1 <<'P' || fail "$(tail -n 1 check.out)"
import json, struct
info = json.load(open("info.json"))
counts = list(struct.iter_unpack("QQ", open("counts", "rb").read()))
assert len(counts) == 10 == len(info["processes"]), info["processes"]
processes = {process["pid"]: process for process in info["processes"]}
for number, (pid, calls) in enumerate(counts):
    process = processes[pid]
    assert process["instrumented_calls"] == calls > 0, "%s made %d" % (process, calls)
    if number == 2:
        assert process["end"] == "not_seen", process
    else:
        assert (process["end"], process["status"]) == ("_exit" if number else "exit", number), process
assert info["calls"] == sum(calls for pid, calls in counts)
assert info["unfinished"] == info["closed_by"]["no_end"] == 3, info["closed_by"]
assert info["complete"] and info["unwound"] == 0
# Those that have written facts of their own tell their CPU time; the killed one cannot.
assert 1 <= info["own_cost"]["processes"] <= 9, info["own_cost"]
P
info out calls >/dev/null
expect_line info.out '^complete: every call that can be seen was recorded; 1 process was killed or still runs'
expect_line info.out '^closed by no_end: 3 \('
