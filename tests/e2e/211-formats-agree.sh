# One trace through every format: the same calls, times and errors as `report`; what is left out as too deep is stated.
. "$SOURCES/lib.sh"
instrument 211-formats-agree.c program -O1
TRACE_HOOKS=io,proc TRACE_FORMAT=tree,chrome,perfetto,speedscope,folded,callgrind,dot,csv,jsonl TRACE_OUTPUT=out \
    traced ./program >got 2>err
expect "status" 0 $?
"$TRACESHIM" report --format=csv out | cmp - out/report.csv || fail "the CSV file is not the report"
python3 "$SOURCES/../check_chrome_json.py" out/trace.json >chrome.out 2>&1 || fail "$(tail -n 1 chrome.out)"
PYTHONPATH="$SOURCES/.." python3 - <<'EOF2' || fail "the formats differ"
import collections
import read_formats as formats

report = formats.read_csv("out/report.csv")
chrome, chrome_facts = formats.read_chrome("out/trace.json")
perfetto, perfetto_facts = formats.read_perfetto("out/trace.pftrace")
jsonl = formats.read_jsonl("out/spans.jsonl")
speedscope = formats.read_speedscope("out/trace.speedscope.json")
inherited = collections.Counter((span.name, span.scope) for span in jsonl if span.inherited)
deep = len(jsonl) - len(chrome)
assert deep > 80 and int(chrome_facts["dropped_deep_calls"]) == deep, (deep, chrome_facts)
assert perfetto_facts["dropped_deep_calls"] == deep and len(perfetto) == len(chrome) == len(speedscope)


def compare(what, sums, fields):
    for key, wanted in report.items():
        got = sums.get(key)
        for field in fields:
            if not got or getattr(got, field) != getattr(wanted, field):
                raise SystemExit("%s: %s of %s: %s, report has %s" % (what, field, key, got and getattr(got, field),
                                                                       getattr(wanted, field)))
    assert set(sums) <= set(report), set(sums) - set(report)


compare("jsonl", formats.sums_of_spans(jsonl), ("calls", "total", "self", "errors"))
# What is too deep is missing, and its time is its caller's.
shown = formats.sums_of_spans(chrome)
assert sum(entry.calls for entry in shown.values()) == sum(entry.calls for entry in report.values()) - deep
assert sum(entry.self for entry in shown.values()) == sum(entry.self for entry in report.values())
assert sum(entry.errors for entry in shown.values()) == sum(entry.errors for entry in report.values())
for what, spans in (("perfetto", perfetto),):
    for key, entry in formats.sums_of_spans(spans).items():
        assert vars(entry) == vars(shown[key]), (what, key, vars(entry), vars(shown[key]))
by_name = collections.defaultdict(formats.Sums)
for (name, scope), entry in shown.items():
    by_name[name].calls += entry.calls + inherited[name, scope]
    by_name[name].self += entry.self
for (name, _), entry in formats.sums_of_spans(speedscope).items():
    assert (entry.calls, entry.self) == (by_name[name].calls, by_name[name].self), (name, vars(entry))

selfs, calls = collections.Counter(), collections.Counter()
for (name, scope), entry in report.items():
    selfs[name] += entry.self
    calls[name] += entry.calls
assert formats.read_folded("out/stacks.folded") == selfs, "folded"
got_calls, got_selfs, summary = formats.read_callgrind("out/callgrind.out")
assert got_calls == calls and got_selfs == selfs and summary == sum(selfs.values()), "callgrind"
assert formats.read_dot("out/calls.dot") == calls, (formats.read_dot("out/calls.dot"), calls)
EOF2
"$TRACESHIM" info out >info.out 2>&1
expect_line info.out '^calls inside 512 others: [0-9]+, left out of chrome, perfetto and speedscope files'
