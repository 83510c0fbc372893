# A debugger that starts the program or attaches to it: its breakpoints, backtraces through hooked calls and the
# program's output are as without us.
. "$SOURCES/lib.sh"
command -v gdb >/dev/null || skip "no gdb"
instrument 151-debugger.c app -O1

# debug NAME=VALUE...: for the program; prints what the debugger shows, addresses and numbers left out
debug() {
    local settings=() setting
    for setting; do
        settings+=(-ex "set environment ${setting%%=*} = ${setting#*=}")
    done
    timeout 60 gdb -nx -batch -ex 'set debuginfod enabled off' -ex 'set startup-with-shell off' "${settings[@]}" \
        -ex 'set breakpoint pending on' -ex 'break stopped_in' -ex run -ex 'bt -frame-arguments scalars' -ex 'finish' \
        -ex 'catch fork' -ex continue -ex 'delete' -ex continue --args ./app 2>gdb.err </dev/null |
        sed -E 's/0x[0-9a-f]+/ADDRESS/g; s/process [0-9]+/process N/g; s/Thread ADDRESS \(LWP [0-9]+\)/Thread T/g
            s/LWP [0-9]+/LWP N/g; s/^Catchpoint [0-9]+ \(forked.*/forked/' | grep -v 'libtraceshim.so\|^\[\|^Using host\|_dl_\|^Breakpoint 1 \|^Function'
}
debug NOTHING=1 >wanted
grep -q 'stopped_in' wanted || skip "gdb cannot run a program here: $(tail -n 1 gdb.err)"
debug LD_PRELOAD="$SHIM" TRACE_HOOKS='qsort(base:pointer n:size width:size compare:pointer)' TRACE_QUIET=1 TRACE_FORMAT=none \
    TRACE_OUTPUT="$PWD/out" >got
# The stub's own frame is the one that may be there more.
grep -v '^#.*qsort\|^#.*ts_\|^#.* in ?? ()' got | sed 's/^#[0-9]* *//' >got.frames
grep -v '^#.*qsort' wanted | sed 's/^#[0-9]* *//' >wanted.frames
cmp -s wanted.frames got.frames || fail "the debugger shows: $(diff wanted.frames got.frames)"
expect "calls of compare" "$(sed -n 's/^compared \([0-9]*\)$/\1/p' wanted)" "$(calls out compare)"

# Attached while it records: it goes on.
rm -rf out
mkfifo input
TRACE_HOOKS=io TRACE_OUTPUT=out TRACE_FORMAT=none env LD_PRELOAD="$SHIM" ./app wait <input >got 2>err &
app=$!
exec 3>input
for _ in $(seq 100); do
    grep -q waiting got && break
    sleep 0.05
done
timeout 60 gdb -nx -batch -p $app -ex bt -ex 'print calls' -ex detach >attached 2>&1 </dev/null
grep -q '^#.* main ' attached || { exec 3>&-; wait $app; skip "gdb may not attach here"; }
exec 3>&-
wait $app
expect "status after the debugger has left" 3 $?
expect_line got '^compared '
expect "misnested" 0 "$(info out misnested)"
