# One trace through every format: the same calls, times and errors as `report`; what is left out as too deep is stated.
# Rows A23, A42.
. "$SOURCES/lib.sh"
instrument 211-formats-agree.c program -O1
TRACE_HOOKS=io,proc TRACE_FORMAT=tree,chrome,perfetto,speedscope,folded,callgrind,dot,csv,jsonl,otlp TRACE_OUTPUT=out \
    traced ./program >got 2>err
expect "status" 0 $?
"$TRACESHIM" report --format=csv out | cmp - out/report.csv || fail "the CSV file is not the report"
python3 "$SOURCES/../check_chrome_json.py" out/trace.json >chrome.out 2>&1 || fail "$(tail -n 1 chrome.out)"
PYTHONPATH="$SOURCES/.." python3 - <<'EOF2' || fail "the formats differ"
import collections
import json
import time

import check_otlp
import read_formats as formats

report = formats.read_csv("out/report.csv")
chrome, chrome_facts = formats.read_chrome("out/trace.json")
perfetto, perfetto_facts = formats.read_perfetto("out/trace.pftrace")
jsonl = formats.read_jsonl("out/spans.jsonl")
otlp = formats.read_otlp("out/trace.otlp.jsonl")
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
compare("otlp", formats.sums_of_spans(otlp), ("calls", "total", "self", "errors"))
# The same spans by the same ids, at the same times of CLOCK_REALTIME.
rows = {row["span_id"]: row for row in map(json.loads, open("out/spans.jsonl", encoding="utf-8"))}
trace = check_otlp.check_file("out/trace.otlp.jsonl")
assert {span.id for span in trace.spans} == set(rows)
for span in trace.spans:
    row = rows[span.id]
    assert (span.name, span.scope, span.start, span.end - span.start, trace.trace) == (
        row["name"], row["scope"], row["start_unix_ns"], row["dur_ns"], row["trace_id"]), (span, row)
    assert span.flags == 769 or span.parent == (row["parent_id"] or None) or span.attributes["thread.id"] != span.pid
    assert abs(span.end / 1e9 - time.time()) < 600, span
    got = {key: str(value) for key, value in span.attributes.items()}
    assert set(row["attributes"].items()) <= set(got.items()), (got, row)
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
