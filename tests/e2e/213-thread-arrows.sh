# Arrows lead from the call in which a thread was made to the new thread's first call, in the Chrome and the Perfetto
# trace; jsonl names the maker. None where nothing was made, or not by a thread of the process; the program does not notice.
. "$SOURCES/lib.sh"
instrument 213-thread-arrows.c program -O1
./program >bare 2>bare.err
expect "status untraced" 0 $?
for hooks in proc ""; do
    TRACE_HOOKS=$hooks TRACE_FORMAT=chrome,perfetto,jsonl TRACE_OUTPUT="out$hooks" traced ./program >got 2>err
    expect "status" 0 $?
    cmp bare got || fail "output with TRACE_HOOKS=$hooks: $(cat got)"
    python3 "$SOURCES/../check_chrome_json.py" "out$hooks/trace.json" >check.out 2>&1 || fail "$(tail -n 1 check.out)"
    PYTHONPATH="$SOURCES/.." python3 - "out$hooks" "$hooks" <<'EOF2' || fail "the arrows with TRACE_HOOKS=$hooks"
import collections
import json
import sys

import check_perfetto

directory, hooks = sys.argv[1:]
rows = [json.loads(line) for line in open(directory + "/spans.jsonl", encoding="utf-8")]
main = next(row["tid"] for row in rows if row["name"] == "main")
roots = [row for row in rows if not row["parent_id"] and row["kind"] == "call" and row["tid"] != main]
made = {"frees_its_job": 50, "counts_frames": 1, "of_c": 1, "makes_another": 204, "forks": 1}
# A thread that is cancelled at once may have no time for a call.
roots = [row for row in roots if row["name"] != "is_cancelled"]
assert collections.Counter(row["name"] for row in roots) == made, collections.Counter(row["name"] for row in roots)
threads = {row["tid"]: row for row in rows}
strangers = [row for row in roots if row["maker_tid"] not in threads]
assert not strangers, strangers
nested = [row for row in roots if row["maker_tid"] != main]
assert [row["name"] for row in nested] == ["makes_another"] * 3, nested
child = [row for row in rows if row["pid"] != main]
assert child and all(row["maker_tid"] == 0 for row in child), "the forked child was made by fork alone"

events = json.load(open(directory + "/trace.json", encoding="utf-8"))["traceEvents"]
arrows = collections.defaultdict(dict)
for event in events:
    if event["ph"] in "sf" and event["name"] == "thread":
        arrows[event["id"]][event["ph"]] = event
calls = collections.defaultdict(list)
for event in events:
    if event["ph"] == "X":
        calls[event["pid"], event["tid"]].append(event)


def around(event):
    """The innermost call around an end of an arrow."""
    inside = [call for call in calls[event["pid"], event["tid"]] if call["ts"] <= event["ts"] <= call["ts"] + call["dur"]]
    return max(inside, key=lambda call: call["ts"])["name"]


ends = collections.Counter((around(arrow["s"]), around(arrow["f"])) for arrow in arrows.values())
maker = (lambda name: "pthread_create") if hooks else (lambda name: name)
wanted = collections.Counter()
for name, count, caller in (("frees_its_job", 50, "jobs"), ("counts_frames", 1, "main"), ("makes_another", 200, "short_ones"),
                            ("makes_another", 1, "main"), ("makes_another", 3, "makes_another"), ("forks", 1, "main")):
    wanted[maker(caller), name] += count
wanted["thrd_create" if hooks else "main", "of_c"] += 1
ends.pop((maker("main"), "is_cancelled"), None)
assert ends == wanted, (ends, wanted)

trace = check_perfetto.check_file(directory + "/trace.pftrace", keep=True)
kinds = collections.Counter(name for name, _ in trace.instants)
assert kinds["thread"] in (257, 258), kinds
assert len(trace.flow_ends) >= 257, len(trace.flow_ends)
EOF2
done
