# TRACE_QUIET silences standard error only; TRACE_FORMAT chooses the files; `none` leaves the trace alone.
. "$SOURCES/lib.sh"
instrument programs/calls.c calls

# files DIR: what is in it, .trace files by kind
files() {
    (cd "$1" && ls | sed 's/^[0-9.]*trace$/PID.trace/' | sort | tr '\n' ' ')
}

TRACE_OUTPUT=default traced ./calls >got 2>err
expect "files by default" "PID.trace trace.json trace.names tree.txt " "$(files default)"
expect_line err '^└── main '

TRACE_QUIET=1 TRACE_OUTPUT=quiet traced ./calls >got 2>err
expect "standard error when quiet" "" "$(cat err)"
expect "files when quiet" "PID.trace trace.json trace.names tree.txt " "$(files quiet)"

TRACE_FORMAT=none TRACE_OUTPUT=none traced ./calls >got 2>err
expect "files with none" "PID.trace " "$(files none)"

TRACE_FORMAT=tree TRACE_OUTPUT=tree traced ./calls >got 2>err
expect "files with tree" "PID.trace trace.names tree.txt " "$(files tree)"

TRACE_FORMAT=chrome TRACE_OUTPUT=chrome traced ./calls >got 2>err
expect "files with chrome" "PID.trace trace.json trace.names " "$(files chrome)"

TRACE_FORMAT=nonsense TRACE_OUTPUT=nonsense traced ./calls >got 2>err
expect "status with a wrong format" 0 $?
expect_line err '^traceshim: .*nonsense'
expect "calls with a wrong format" 2 "$(calls nonsense inner)"

# The same library twice is the library once. Row A6.
TRACE_OUTPUT=twice env LD_PRELOAD="$SHIM:$SHIM" ./calls >got 2>err
expect "calls with the library named twice" 2 "$(calls twice inner)"
