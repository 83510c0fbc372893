# Level 2: each hooked call has the callers that it really had, in every place that calls come from, handlers included.
. "$SOURCES/lib.sh"
for flags in -O0 "-O2 -fomit-frame-pointer"; do
    gcc -g $flags -pthread "$SOURCES/173-callers-everywhere.c" -o program || fail "cannot build"
    rm -rf out
    TRACE_HOOKS=open TRACE_LEVEL=2 TRACE_OUTPUT=out TRACE_FORMAT=none traced ./program >stdout 2>err
    expect "status" "0 done" "$? $(cat stdout)"
    "$TRACESHIM" export --format=chrome -o trace.json out 2>err || fail "export: $(cat err)"
    "$TRACESHIM" info --format=json out >info.json || fail "info"
    python3 - "$flags" >check.out 2>&1 <<'P' || fail "$flags: $(tail -n 1 check.out)"
import collections, json
calls, wrong, without = collections.Counter(), [], 0
for event in json.load(open("trace.json"))["traceEvents"]:
    arguments = event.get("args", {})
    if event["ph"] != "X" or not arguments.get("path", "").startswith("/none/"):
        continue
    wanted = arguments["path"][6:].split(">")
    calls[wanted[0]] += 1
    if "at" not in arguments:
        without += 1 # told of none where a signal or the end of a window came between
        continue
    assert arguments["at"].startswith("173-callers-everywhere.c:"), arguments
    if "caller" not in arguments:
        without += 1
        continue
    caller = arguments["caller"].split(" > ")
    if caller[-2:] != wanted:
        wrong.append((wanted, caller))
    # A handler's stack begins with it, main's with main, a thread's with its function; a coroutine's with itself.
    first = {"on_alarm": ["on_alarm"], "coroutine": ["coroutine"]}.get(wanted[0], ["main", "thread"])
    if caller[0] not in first:
        wrong.append((wanted, caller))
assert not wrong, wrong[:3]
assert calls["load"] == calls["save"] == 110 and calls["down"] == calls["moving"] == calls["coroutine"] == 60, calls
assert calls["on_alarm"] > 3, calls
assert without <= sum(calls.values()) / 100, (without, calls)
info = json.load(open("info.json"))
assert info["complete"] and info["stacks"] >= info["calls"] * 0.99, info["stacks"]
P
done
