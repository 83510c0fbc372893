# Callers of hooked calls in programs of the distribution: 95 % of them are whole, and those of 50 calls taken at random
# are what gdb says in the same process. Long only: gdb takes its time.
. "$SOURCES/lib.sh"
[ -n "${LONG-}" ] || skip "long only: --long"
command -v gdb >/dev/null || skip "no gdb on this machine"
unset TRACE_HOOKS
export TRACE_LEVEL=2 TRACE_FORMAT=none TRACE_QUIET=1 TRACE_CHILDREN=0 STOPS=50
git init -q repository && (
    cd repository && git config user.name n && git config user.email e@x &&
        for i in 1 2 3 4 5 6 7 8; do seq $((i * 100)) >f$i && git add . && git commit -qm $i; done
) || fail "git"
cat >work.py <<'P'
import json, os, ssl, subprocess
for i in range(60):
    open("/etc/passwd").read(); os.stat("/"); os.listdir("/usr"); sorted([3, 1, 2], key=lambda n: os.getpid() + n)
P
query="create table t(a integer primary key, b);"
query="$query with recursive n(x) as (values(1) union all select x + 1 from n where x < 9000)"
query="$query insert into t select x, hex(randomblob(100)) from n; create index i on t(b); select count(*) from t;"
echo "$query" >work.sql

# compare NAME CALLS PROGRAM...: takes its calls from the first CALLS
compare() {
    name=$1
    export AMONG=$2
    shift 2
    command -v "$1" >/dev/null || { echo "$1 is not installed"; return; }
    program=$(readlink -f "$(command -v "$1")")
    shift
    rm -rf out gdb.json
    TRACE_OUTPUT=out timeout 300 gdb -q -batch -ex "set environment LD_PRELOAD $SHIM" \
        -ex "source $SOURCES/174-callers-gdb.py" --args "$program" "$@" >gdb.out 2>&1 </dev/null
    [ -s gdb.json ] || fail "$name: gdb: $(tail -c 300 gdb.out)"
    "$TRACESHIM" dump out >dump.out 2>err || fail "$name: dump: $(cat err)"
    "$TRACESHIM" info --format=json out >info.json || fail "$name: info"
    python3 - >check.out 2>&1 <<'P' || fail "$name: $(tail -n 1 check.out)"
import json, re
told, frames, stack_of, number = json.load(open("gdb.json")), {}, {}, 0
for line in open("dump.out"):
    if " window sequence=" in line:
        frames = {}
        continue
    found = re.search(r" frame words=\d+ frame=(\d+) outer=(\d+) address=0x([0-9a-f]+)", line)
    if found:
        frames[int(found[1])] = int(found[2]), int(found[3], 16)
    elif re.search(r"^\S+ enter(_wide)? ", line):
        number += 1
    elif re.search(r"^\S+ stack words=2 ", line):
        at, addresses = int(line.rsplit("=", 1)[1]), []
        while at in frames:
            at, address = frames[at]
            addresses.append(address)
        stack_of[number] = at, addresses
wrong = []
for number, wanted in told.items():
    around, got = stack_of.get(int(number), (None, []))
    # gdb shows the frames of the open call as well, or what it takes for more behind the first frame of a stack.
    if not got or got != wanted[:len(got)] or (around == 0 and len(wanted) - len(got) > 1):
        wrong.append((number, around, [hex(a) for a in got], [hex(a) for a in wanted]))
assert len(told) >= 50, "only %d calls" % len(told)
assert not wrong, "%d of %d differ: %s" % (len(wrong), len(told), wrong[:2])
info = json.load(open("info.json"))
assert info["whole_stacks"] >= 0.95 * info["calls"] > 0, info
print(len(told), "stacks equal gdb's;", info["whole_stacks"], "of", info["calls"], "whole")
P
    echo "$name: $(tail -n 1 check.out)"
}
python=$(env -u LD_PRELOAD python3 -c 'import sys; print(sys.executable)') # python3 may be a script
compare python3 800 "${python:-python3}" work.py
compare sqlite3 800 sqlite3 -batch -init work.sql base.db .tables # gdb passes no blanks
compare git 120 git -C repository log --stat
