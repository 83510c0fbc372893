# Hooked calls as the program makes them and as strace counts them; bound functions and patched slots as the program's
# own relocations say; what cannot be seen, with its reason. Rows A28, A29.
. "$SOURCES/lib.sh"
gcc -O1 -fno-plt -Wl,-z,now "$SOURCES/131-certificate-hooks.c" -o early || fail "cannot build"
gcc -O1 "$SOURCES/131-certificate-hooks.c" -o lazy || fail "cannot build"
for program in early lazy; do
    env -u TRACE_HOOKS TRACE_OUTPUT=$program.out TRACE_FORMAT=none LD_PRELOAD="$SHIM" ./$program 2>err
    expect "status of $program" 0 $?
    "$TRACESHIM" info --format=json $program.out >$program.json 2>err || fail "info: $(cat err)"
    readelf -rW $program | awk '$3 ~ /JUMP_SLO|GLOB_DAT/ { sub(/@.*/, "", $5); print $5 }' >$program.slots
    strace -c -o $program.strace -e trace=lseek ./$program 2>/dev/null || echo "100 0 0 200 lseek" >$program.strace
    python3 - $program >check.out 2>&1 <<'P' || fail "$program: $(tail -n 1 check.out)"
import json, sys
name = sys.argv[1]
info = json.load(open(name + ".json"))
calls = {hook["name"]: hook["calls"] for hook in info["hooks"]}
wanted = {"open": 50, "open64": 50, "read": 200, "lseek": 200, "lseek64": 200, "close": 50, "unlink": 0}
own = [slot for slot in open(name + ".slots").read().split() if slot in wanted]
assert len(own) == 5, own
for symbol in own:
    assert calls.get(symbol) == wanted[symbol], "%s: %s" % (symbol, calls)
seeks = [int(line.split()[3]) for line in open(name + ".strace") if line.split()[-1:] == ["lseek"]]
assert seeks == [sum(calls.get(symbol, 0) for symbol in ("lseek", "lseek64"))], (seeks, calls)
assert info["processes"][0]["hooked_calls"] == 500 == info["calls"] == info["own_cost"]["hooked_calls"], info["calls"]
module = [module for module in info["modules"] if module["path"].endswith("/" + name)][0]
assert module["patched"] == len(own) and not module["refused"] and not module["instrumented"], module
assert info["complete"]
P
    "$TRACESHIM" info $program.out >info.out || fail "info"
    expect_line info.out '^hooks of io: 5 bound, 4 called, never called: unlink$'
    expect_line info.out '^not seen: calls inside libc\.so\.6 of its [0-9]+ hooked functions: '
    expect_line info.out '^own cost of one hooked call: [0-9.]+ ns$'
done

# A name that is refused, one that nobody calls by a symbol, and an option that leaves calls out.
TRACE_HOOKS=read,setjmp,frobnicate TRACE_MIN_DURATION=1s TRACE_OUTPUT=some.out TRACE_FORMAT=none traced ./lazy 2>err
"$TRACESHIM" info some.out >info.out || fail "info"
expect_line info.out '^not seen: calls of setjmp: never hooked: it returns twice'
expect_line info.out '^not seen: calls of frobnicate: no module that was loaded calls it by a symbol'
expect_line info.out '^not seen: calls that TRACE_MIN_DURATION=1s leaves out: asked for$'
expect "lines of read" 0 "$(grep -c '^not seen: calls of read:' info.out)"
"$TRACESHIM" info --format=yaml some.out >/dev/null 2>err
expect "status of a format that there is not" 2 $?
