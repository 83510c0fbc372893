# Counts are exact with threads, signal handlers, forked and killed processes; what a handler counts is what it counted
# itself. A loop of any length takes no more of the file.
. "$SOURCES/lib.sh"
gcc -O0 -g -w -pthread -fsanitize-coverage=trace-pc "$SOURCES/186-lines-processes.c" -o program \
    -L"$(dirname "$SHIM")" -ltraceshim || fail "cannot build"
LD_LIBRARY_PATH=$(dirname "$SHIM")
export LD_LIBRARY_PATH TRACE_LEVEL=2 TRACE_FORMAT=none

# count DIR MARK: of the line with LINE MARK
count() {
    "$TRACESHIM" lines "$1" 2>lines.err | awk -F: -v mark="LINE $2 " 'index($0, mark) { print $1 + 0 }'
    [ -s lines.err ] && fail "lines: $(cat lines.err)"
}

TRACE_OUTPUT=out ./program 2>err || fail "status $?"
expect "rounds of four threads" 400000 "$(count out counted)"
expect "signals handled" "$(cat err)" "$(count out handler)"
expect "short threads" 200 "$(count out short)"
expect "rounds of the children and their parent" $((55 + 1000)) "$(count out child)"
"$TRACESHIM" dump out >dump
short=$(grep -c ' line_counts ' dump)
# Five threads at most run at once, eleven processes; all of the code is in four pieces of 1 KiB at most.
[ "$short" -le $(((5 + 10) * 4)) ] || fail "$short tables: those of ended threads are not used again"

TRACE_OUTPUT=killed ./program kill 2>/dev/null
expect "rounds of a killed process" 100000 "$(count killed counted)"

# The child is a process of its own that has no calls: it is there, with its end unseen.
"$TRACESHIM" info out >info.out 2>&1
expect_line info.out '^processes: 11'
