# What did not fit: recorded and missing calls add up to those that were made, and the time ranges are those in which
# the program itself says that it made them. Row C11.
. "$SOURCES/lib.sh"
instrument 132-certificate-ring.c ring -O1
calls=2000000
for full in ring stop; do
    TRACE_MAX_SIZE=8M TRACE_FULL=$full TRACE_OUTPUT=$full.out TRACE_FORMAT=tree traced ./ring $full.times $calls 2>$full.err
    expect "status" 0 $?
    "$TRACESHIM" info --format=json $full.out >$full.json 2>err || fail "info: $(cat err)"
    python3 - $full $calls >check.out 2>&1 <<'P' || fail "$full: $(tail -n 1 check.out)"
import json, sys
full, made = sys.argv[1], int(sys.argv[2]) + 1  # and main
info = json.load(open(full + ".json"))
times = [int(line) for line in open(full + ".times")]
loss = info["traces"][0]["losses"][0]
kept = info["calls"]
assert not info["complete"] and len(info["missing"]) == 1 and len(info["traces"][0]["losses"]) == 1, info["missing"]
# What the program's first note is to the session's beginning: its start-up, which is between these.
run = info["run_ns"]
least, most = times[0] - times[-1] + run - 50_000_000, times[0] - times[-1] + run
def moment(calls, add):  # of the end of so many calls, from the beginning of the session, to 1000 calls
    return times[min(calls // 1000 + add, len(times) - 1)] - times[0]
if full == "ring":
    dropped = info["dropped_calls"]
    assert abs(kept + dropped - made) <= 3, "%d and %d are not %d" % (kept, dropped, made)
    assert loss["what"] == "dropped_calls" and loss["count"] == dropped, loss
    assert info["lost_events"] == 0 and info["dropped_windows"] > 0
    assert loss["from_ns"] <= most + moment(0, 1), loss
    assert moment(dropped, -1) + least <= loss["to_ns"] <= moment(dropped, 2) + most, (loss, moment(dropped, 0), least, most)
    assert info["closed_by"]["missing"] == 0, info["closed_by"]
else:
    lost = info["lost_events"]
    # Each call is two events; main is open when the trace is full.
    assert 2 * kept - info["unfinished"] + lost == 2 * made, (kept, info["unfinished"], lost)
    assert loss["what"] == "lost_events" and loss["count"] == lost and loss["why"] == "the trace was full", loss
    assert moment(kept, -1) + least <= loss["from_ns"] <= moment(kept, 2) + most, (loss, moment(kept, 0), least, most)
    assert moment(made, -1) + least <= loss["to_ns"] <= run + 1_000_000, (loss, run)
    assert info["closed_by"]["missing"] == info["unfinished"] >= 1, info["closed_by"]
P
done
thousands='[0-9]{1,3}(,[0-9]{3})+'
"$TRACESHIM" info ring.out >info.out || fail "info"
expect_line info.out "^NOT complete: the oldest $thousands calls dropped between .* and .*s \(TRACE_MAX_SIZE was reached\)\$"
expect_line ring.err "^traceshim: incomplete: the oldest $thousands calls dropped between "
"$TRACESHIM" info stop.out >info.out || fail "info"
expect_line info.out "^NOT complete: $thousands events lost between .* and .* \(the trace was full\)\$"
expect_line stop.err "^traceshim: incomplete: $thousands events lost between "
