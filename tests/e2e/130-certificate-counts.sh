# The certificate of a run that is complete: calls as the program counted them itself in shared memory, CPU time as the
# kernel counted it, bytes as the file system did. Row A29.
. "$SOURCES/lib.sh"
instrument 130-certificate-counts.c counts -O1
cat >run.py <<'P'
import os, resource, sys
pid = os.fork()
if pid == 0:
    os.environ.update(LD_PRELOAD=sys.argv[1], TRACE_OUTPUT="out", TRACE_FORMAT="none")
    os.execv("./counts", ["counts", "count", "4", "100000"])
status, used = os.wait4(pid, 0)[1:]
print(status, int((used.ru_utime + used.ru_stime) * 1e9))
P
python3 run.py "$SHIM" >ran 2>err || fail "run: $(cat err)"
read -r status cpu <ran
expect "status" 0 "$status"
made=$(od -An -t u8 count | tr -d ' ')
expect "calls" "$made" "$(info out calls)"
expect "first line" "complete: every call that can be seen was recorded" "$(head -n 1 info.out)"
expect "threads" 5 "$(info out threads)"
expect "lost" 0 "$(info out lost)"
expect "misnested" 0 "$(info out misnested)"
expect_line info.out '^modules: [0-9]+ loaded, 1 patched in 2 slots, 0 refused$'
expect_line info.out '^patched: .*/counts, instrumented, 2 slots$'
expect_line info.out '^not seen: functions of [0-9]+ modules \(.*libc\.so\.6.*-finstrument-functions'

"$TRACESHIM" info --format=json out >info.json 2>err || fail "info --format=json: $(cat err)"
python3 - "$made" "$cpu" >check.out 2>&1 <<'P' || fail "$(tail -n 1 check.out)"
import glob, json, os, sys
made, cpu = int(sys.argv[1]), int(sys.argv[2])
info = json.load(open("info.json"))
cost = info["own_cost"]
assert info["complete"] and not info["missing"], info["missing"]
assert info["processes"][0]["instrumented_calls"] == made == info["calls"]
assert info["processes"][0]["end"] == "exit" and info["processes"][0]["status"] == 0
assert cost["events"] == 2 * made and cost["hooked_calls"] == 0, cost
assert cpu * 0.6 <= cost["cpu_ns"] <= cpu * 1.02 + 2e6, "CPU time %d, by the kernel %d" % (cost["cpu_ns"], cpu)
sum_ns = cost["start_ns"] + cost["events"] * cost["event_ps"] // 1000
assert abs(cost["added_ns"] - sum_ns) <= 1 and 0 < cost["added_ns"] < cost["cpu_ns"], cost
assert 500 < cost["event_ps"] < 1000000, cost
used = sum(os.stat(name).st_blocks * 512 for name in glob.glob("out/*.trace"))
assert abs(info["bytes"] - used) <= 262144, "%d bytes, by the file system %d" % (info["bytes"], used)
assert abs(info["bytes_per_second"] * info["run_ns"] / 1e9 - info["bytes"]) < info["bytes"] / 100
clock = info["traces"][0]["clock"]
assert clock["pairs"] >= 7 and clock["steps_back"] == 0, clock
P
