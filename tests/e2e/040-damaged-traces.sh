# Damaged, cut, foreign and newer files: one clear line each, and no crash. Rows A35, C24.
. "$SOURCES/lib.sh"
instrument programs/calls.c calls
TRACE_FORMAT=none TRACE_OUTPUT=good traced ./calls 3 >got 2>err
trace=$(ls good/*.trace)

# refused NAME: every view of ./NAME fails with one line, status 1
refused() {
    for view in tree report info render "export --format=chrome" dump; do
        "$TRACESHIM" $view "$1" >out 2>err
        expect "status of $view on $1" 1 $?
        expect_one_line err
    done
}

# patched NAME OFFSET HEX...: a copy with these bytes
patched() {
    local name=$1 offset=$2
    shift 2
    mkdir "$name"
    cp --sparse=always "$trace" "$name/1.trace"
    chmod u+w "$name/1.trace"
    printf "$(printf '\\x%s' "$@")" | dd of="$name/1.trace" bs=1 seek="$offset" conv=notrunc 2>/dev/null
}

refused nonexistent
echo text >a-file
refused a-file
patched bad-magic 0 00
refused bad-magic
patched newer 8 63 00
refused newer
expect_line err 'newer'
patched other-order 12 01 02 03 04
refused other-order
patched feature 40 80
refused feature

mkdir cut
for bytes in 1 100 511; do
    head -c $bytes "$trace" >cut/1.trace
    refused cut
done

# Cut behind the first window: what is left is read, and the cut is stated.
used=$(du -k "$trace" | cut -f1)
mkdir half
head -c $((used * 512)) "$trace" >half/1.trace
"$TRACESHIM" info half >out 2>err || fail "info of half a trace: $(cat err)"

# One good and one bad file: the good one is read, a line tells of the other.
mkdir mixed
cp --sparse=always "$trace" mixed/1.trace
echo nothing >mixed/2.trace
"$TRACESHIM" report mixed >out 2>err
expect "status with one bad file" 0 $?
expect_one_line err
expect "calls of the good file" 6 "$(calls mixed inner)"

# A directory without traces.
mkdir none
expect "tree of nothing" "(no spans)" "$("$TRACESHIM" tree none 2>err | head -n 1)"
expect_one_line err
expect "JSON of nothing" '{"traceEvents":[]}' "$("$TRACESHIM" export --format=chrome none 2>err | tr -d ' \n')"
expect_one_line err

# Any byte may be any value: copies with one to eight bytes changed, in the header and in the first window.
mkdir flipped
cp --sparse=always "$trace" flipped/1.trace
chmod u+w flipped/1.trace
cat >flip.py <<'P'
import random, resource, subprocess, sys

copies, command = int(sys.argv[1]), sys.argv[2:]

def limit():
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))

with open("flipped/1.trace", "r+b", buffering=0) as trace:
    for seed in range(copies):
        random.seed(seed)
        changed = {}
        for _ in range(random.randint(1, 8)):
            at = random.choice([random.randrange(512), random.randrange(4096), random.randrange(1 << 20)])
            trace.seek(at)
            changed.setdefault(at, trace.read(1))
            trace.seek(at)
            trace.write(bytes([random.choice([0, 1, 0x7F, 0x80, 0xFF, random.randrange(256)])]))
        ended = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=20,
                               preexec_fn=limit, check=False)
        if ended.returncode not in (0, 1):
            sys.exit("copy %d ended with status %d: %s" % (seed, ended.returncode, ended.stderr.decode()))
        for at, byte in changed.items():
            trace.seek(at)
            trace.write(byte)
P
copies=$([ -n "$LONG" ] && echo 1000 || echo 200)
python3 flip.py "$copies" "$TRACESHIM" tree flipped 2>err || fail "tree of a damaged $(cat err)"
