# Span ids are the same however often a trace is exported and whatever of it is shown; none comes twice, also of calls
# whose begins are cut off to one moment. Rows A42, B18.
. "$SOURCES/lib.sh"
instrument 230-filters.c shape
TRACE_HOOKS=usleep TRACE_FORMAT=none TRACE_OUTPUT=out traced ./shape >got || fail "the program failed"
export_ids() {
    "$TRACESHIM" export --format=jsonl -o "$1.jsonl" "${@:2}" out || fail "export ${*:2}"
}
export_ids all
export_ids again
cmp all.jsonl again.jsonl || fail "another file the next time"
export_ids focus --focus=work
export_ids callers --callers=leaf --focus=work
export_ids depth --depth=2
export_ids alone --time=0.01.. --errors
export_ids cut --time=0.01..
python3 - <<'P' || fail "span ids"
import json
def spans(name):
    rows = [json.loads(line) for line in open(name + ".jsonl")]
    ids = {(row["name"], row["tid"], row["start_ns"]): row["span_id"] for row in rows}
    assert len(ids) == len(rows) == len(set(ids.values())), (name, "an id comes twice")
    return ids
every = spans("all")
for name, count in (("focus", 8), ("callers", 8), ("depth", 5)):
    shown = spans(name)
    assert len(shown) >= count, (name, shown)
    other = {key: shown[key] for key in shown if every[key] != shown[key]}
    assert not other, (name, "another id than where all is shown", other)
spans("cut")
P
