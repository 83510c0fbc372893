# The calls that strace counts are all there, but for those that libc and the loader make inside themselves (to open a
# locale or a library, to flush a stream, to read a directory), which pass no slot: strace's stacks tell which those are.
. "$SOURCES/lib.sh"
command -v strace >/dev/null || skip "no strace on this machine"
strace -k -o probe.txt true 2>/dev/null && grep -q '^ > .*libc' probe.txt || skip "this strace knows no stacks, or may not trace"

cat >count.py <<'P'
import collections, re, subprocess, sys
NAMES = {"openat": "open open64 openat openat64 __open_2 __open64_2 __openat_2 __openat64_2", "read": "read __read_chk",
         "write": "write", "close": "close", "pread64": "pread pread64 __pread_chk __pread64_chk",
         "pwrite64": "pwrite pwrite64", "unlink": "unlink", "fdatasync": "fdatasync", "lseek": "lseek lseek64",
         "rename": "rename", "ftruncate": "ftruncate ftruncate64", "mkdir": "mkdir", "getdents64": "getdents64"}
wanted, inside, got = collections.Counter(), collections.Counter(), collections.Counter()
jumps = collections.Counter()  # made inside libc by a jump, so that the stack does not show where: closedir to close
stacks = []
for line in open(sys.argv[1], encoding="utf-8", errors="replace"):
    if line.startswith(" > "):
        stacks[-1][1].append(line[3:].split("(")[0])
    else:
        found = re.match(r"(?:\d+ +)?([a-z0-9_]+)\(", line)
        stacks.append((found.group(1) if found else "", []))
for call, frames in stacks:
    if call in NAMES:
        own = [bool(re.search(r"/(libc|ld-linux[^/]*|libpthread)(\.|-)[^/]*$", f)) for f in frames[:2]]
        (inside if not own or all(own) else wanted)[call] += 1
for line in subprocess.run([sys.argv[2], "report", sys.argv[3]], stdout=subprocess.PIPE, check=True,
                           text=True).stdout.splitlines():
    fields = line.split()
    if not line.startswith("#") and fields[7] == "closedir":
        jumps["close"] += int(fields[0])
    for call, names in NAMES.items():
        if not line.startswith("#") and fields[7] in names.split() and fields[8].startswith("{libc."):
            got[call] += int(fields[0])
for call in NAMES:
    if wanted[call] or got[call]:
        print("%s: %d of %d seen, %d inside libc" % (call, got[call], wanted[call], inside[call]))
sys.exit(any(not got[c] <= wanted[c] <= got[c] + jumps[c] for c in NAMES))
P

# agree NAME COMMAND...: the same counts for a command, run in a directory of its own
agree() {
    local name=$1
    shift
    command -v "$1" >/dev/null || return 0
    mkdir bare.$name seen.$name
    cp input/* bare.$name
    cp input/* seen.$name
    (cd bare.$name && strace -k -o ../$name.strace "$@" </dev/null >../wanted 2>../wanted.err)
    local status=$?
    (cd seen.$name && TRACE_HOOKS=io TRACE_OUTPUT=../out.$name TRACE_FORMAT=none traced "$@" </dev/null >../got 2>../err)
    expect "status of $name" $status $?
    cmp -s wanted got || fail "$name: other output: $(diff wanted got | head -n 3)"
    cmp -s wanted.err err || fail "$name: other messages: $(diff wanted.err err | head -n 3)"
    python3 count.py $name.strace "$TRACESHIM" out.$name >counts 2>&1 || fail "$name: $(cat counts)"
    [ -s counts ] || fail "$name: nothing was counted"
}

mkdir input
printf 'create table t(a,b);\ninsert into t values(1,2);\ninsert into t select a+1,b from t;\nselect * from t;\n' >input/in.sql
seq 20000 >input/numbers
cp input/numbers input/more
agree cat cat numbers more nowhere
agree wc wc numbers more
agree ls ls -l .
agree cp cp numbers more copy-of-nothing
agree sort sort -n numbers -o sorted
agree gzip gzip -k numbers
agree dd dd if=numbers of=copy bs=1000 status=none
agree sqlite3 sqlite3 data.db '.read in.sql'
