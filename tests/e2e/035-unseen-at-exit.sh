# The renderer that runs at exit is not the program's child: no SIGCHLD, nothing to reap, nothing left behind.
. "$SOURCES/lib.sh"
instrument 035-unseen-at-exit.c app
for round in 1 2 3 4 5; do
    TRACE_OUTPUT=out-$round traced ./app >got 2>err
    expect "status" 0 $?
    expect "standard output" "main ends" "$(cat got)"
    [ -s out-$round/trace.json ] || fail "nothing was rendered: $(cat err)"
done

# A parent sees its own child only, and when the traced process is gone, the files are there, quiet or not.
TRACE_QUIET=1 TRACE_OUTPUT=quiet traced ./app >got 2>err
expect "standard error when quiet" "" "$(cat err)"
[ -s quiet/trace.json ] && [ -s quiet/tree.txt ] || fail "files are missing after the process has ended: $(ls quiet)"
