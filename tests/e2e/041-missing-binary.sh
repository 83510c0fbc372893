# Names come from the file that ran: missing, stripped or rebuilt, it is told, and never read as something else.
. "$SOURCES/lib.sh"
instrument programs/calls.c calls -O1
TRACE_FORMAT=none TRACE_OUTPUT=out traced ./calls 3 >got 2>err
expect_line <("$TRACESHIM" tree out 2>&1) 'outer .*\{calls\}'

# Rebuilt: other code, so another build-id.
mv calls calls.first
instrument programs/calls.c calls -O2 -DREBUILT
"$TRACESHIM" tree --calls out >tree.out 2>err || fail "tree: $(cat err)"
grep -q 'outer' tree.out && fail "names were taken from a program that was rebuilt"
expect_line tree.out 'calls\+0x[0-9a-f]+ '
expect_line err '^traceshim: .*calls'

# Missing.
rm calls
"$TRACESHIM" tree --calls out >tree.out 2>err || fail "tree: $(cat err)"
expect_line tree.out 'calls\+0x[0-9a-f]+ '
expect_one_line err

# Back again.
mv calls.first calls
expect_line <("$TRACESHIM" tree out 2>&1) 'outer .*\{calls\}'

# Stripped: module and offset; the counts are still right.
strip calls -o stripped
TRACE_FORMAT=none TRACE_OUTPUT=bare traced ./stripped 3 >got 2>err
"$TRACESHIM" report bare >report.out 2>err || fail "report: $(cat err)"
expect "rows of a stripped program" 3 "$(grep -cE ' stripped\+0x[0-9a-f]+ \{stripped\}$' report.out)"
expect "calls in a stripped program" "1 3 6" "$(awk '!/^#/ { print $1 }' report.out | sort -n | tr '\n' ' ' | sed 's/ $//')"
