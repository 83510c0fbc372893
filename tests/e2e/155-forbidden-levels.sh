# A program that forbids itself system calls ends as it does without the library, also where nothing is recorded: at
# level 0, where the output is refused; and at the levels that know more.
. "$SOURCES/lib.sh"
instrument 146-forbidden.c app -O1 -D_GNU_SOURCE
./app >wanted
status=$?
mkdir refused && touch refused/file
for way in "TRACE_LEVEL=0" "TRACE_OUTPUT=refused" "TRACE_LEVEL=2" "TRACE_LEVEL=3" "TRACE_LEVEL=3 TRACE_HOOKS=*"; do
    rm -rf out
    # shellcheck disable=SC2086 # words of $way
    (set -f && env TRACE_OUTPUT=out TRACE_FORMAT=none $way LD_PRELOAD="$SHIM" ./app) >stdout 2>err
    expect "status with $way" $status $?
    expect "standard output with $way" "$(cat wanted)" "$(cat stdout)"
done
