# The Perfetto trace: threads, forks, arguments and errors decode by the rules, it holds the calls that `report` counts in
# few bytes each, names where threads and processes come from, and a cut file decodes up to the cut.
. "$SOURCES/lib.sh"
check() {
    python3 "$SOURCES/../check_perfetto.py" "$@" 2>&1
}

# counts DIR: a line `calls name {scope}` for each function
counts() {
    "$TRACESHIM" report "$1" | sed -nE 's/^([0-9]+)( +[^ ]+){6}  (.*)$/\1 \3/p' | sort
}

instrument programs/calls.c calls -O1
TRACE_FORMAT=perfetto TRACE_OUTPUT=many traced ./calls 4000 >got 2>err
[ -e many/trace.pftrace ] || fail "TRACE_FORMAT=perfetto made no trace.pftrace: $(ls many)"
expect_line err "open .*/many/trace.pftrace in"
expect "the rules" "perfetto ok" "$(check many/trace.pftrace)"
expect "calls by function" "$(counts many)" "$(check --calls many/trace.pftrace | sort)"
size=$(stat -c %s many/trace.pftrace)
[ "$size" -lt $((12001 * 20)) ] || fail "$size bytes for 12001 calls"

# Cut anywhere, what stands before the cut decodes.
for bytes in $((size / 2)) $((size - 1)); do
    head -c "$bytes" many/trace.pftrace >cut.pftrace
    check --cut cut.pftrace >cut.out || fail "cut to $bytes bytes: $(cat cut.out)"
done
expect "the rules of a cut trace" "perfetto ok" "$(cat cut.out)"

cat >family.sh <<'SCRIPT'
for i in 1 2; do
    (exec cat /etc/hostname /etc/missing)
done
sleep 0 & wait
SCRIPT
TRACE_HOOKS=io,proc TRACE_FORMAT=none TRACE_OUTPUT=family traced bash family.sh >got 2>err
"$TRACESHIM" export --format=perfetto -o family.pftrace family || fail "export failed"
expect "the rules" "perfetto ok" "$(check family.pftrace)"
expect "calls by function" "$(counts family)" "$(check --calls family.pftrace | sort)"
python3 - "$SOURCES/.." <<'EOF2' || fail "what the trace says"
import sys
sys.path.insert(0, sys.argv[1])
import check_perfetto

trace = check_perfetto.check_file("family.pftrace", keep=True)
errors = [call for call in trace.kept if call.arguments.get("error") == "ENOENT"]
assert any(call.arguments.get("path") == "/etc/missing" for call in errors), errors
kinds = [name for name, _ in trace.instants]
assert kinds.count("fork") >= 3 and kinds.count("exec") >= 3, kinds
assert len(trace.flow_ends) >= 6, (trace.flow_starts, trace.flow_ends)
facts = dict(trace.instants)["traceshim"]
assert facts["calls"] == sum(trace.calls.values()) and facts["dropped_deep_calls"] == 0, facts
EOF2

if [ -n "$LONG" ]; then # over a mebibyte the state is told again: what comes after a hole is understood
    TRACE_FORMAT=perfetto TRACE_RENDER_TIMEOUT=0 TRACE_OUTPUT=long traced ./calls 150000 >got 2>err
    expect "calls by function" "$(counts long)" "$(check --calls long/trace.pftrace | sort)"
    PYTHONPATH="$SOURCES/.." python3 -c '
import check_perfetto
assert max(check_perfetto.check_file("long/trace.pftrace").states.values()) >= 3' || fail "the state is not told again"
fi

if command -v protoc >/dev/null; then
    python3 "$SOURCES/../check_perfetto.py" --inflate calls.raw many/trace.pftrace
    protoc --decode_raw <calls.raw >raw.txt 2>&1 || fail "protoc: $(tail -n 1 raw.txt)"
    expect "packets by protoc" "$(check --packets many/trace.pftrace)" "$(grep -c '^1 {' raw.txt)"
fi
