# Where the trace goes: made with its parents, never into what is not ours, a finished run is kept once.
. "$SOURCES/lib.sh"
instrument programs/calls.c calls

run_calls() {
    traced ./calls 2 >got 2>err
    expect "status" 0 $?
    expect "standard output" "sum 16" "$(cat got)"
}

TRACE_OUTPUT=deep/er/out run_calls
expect "calls in a directory that was made" 4 "$(calls deep/er/out inner)"

mkdir empty
TRACE_OUTPUT=empty run_calls
expect "calls in an empty directory" 4 "$(calls empty inner)"

mkdir foreign
echo precious >foreign/file
TRACE_OUTPUT=foreign run_calls
expect_one_line err
expect "what is in a directory that is not ours" "file" "$(ls foreign)"

echo precious >plain
TRACE_OUTPUT=plain run_calls
expect_one_line err
expect "a file in the way" "precious" "$(cat plain)"

# A name that is used again: the finished run moves to .old, and we say so.
TRACE_OUTPUT=again run_calls
first=$(ls again/*.trace)
TRACE_OUTPUT=again run_calls
expect_line err '^traceshim: .*again\.old'
[ -e "again.old/${first#again/}" ] || fail "the first run is not in again.old"
expect "traces of the second run" 1 "$(ls again/*.trace | wc -l)"
TRACE_OUTPUT=again run_calls
expect "directories of three runs" "again again.old" "$(echo again*)"

# A pattern that gives the same name gets a number.
for wanted in calls.out calls.out-2 calls.out-3; do
    TRACE_OUTPUT=%e.out run_calls
    [ -e $wanted ] || fail "no $wanted: $(ls -d calls*)"
done

# The default is traceshim.<pid>.
(exec env LD_PRELOAD="$SHIM" ./calls >got 2>err) &
wait $!
[ -d traceshim.$! ] || fail "no traceshim.$!: $(ls -d traceshim*)"

# A place where nobody can write: a default place gives way to TMPDIR, a named one is refused.
mkdir -p readonly tmp
if mount -t tmpfs -o ro none readonly 2>/dev/null; then
    (cd readonly && TMPDIR=$OLDPWD/tmp traced ../calls 2 >../got 2>../err)
    status=$?
    TRACE_OUTPUT=readonly/out run_calls
    umount readonly
    expect "status in a read-only directory" 0 $status
    expect_one_line err
    expect "sessions in TMPDIR" 1 "$(ls -d tmp/traceshim* | wc -l)"
else
    skip "the rest passed; mounting a read-only tmpfs is refused here"
fi
