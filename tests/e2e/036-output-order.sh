# With both streams in one pipe the tree comes after the program's last line, though stdio is flushed late.
. "$SOURCES/lib.sh"
instrument programs/calls.c calls
TRACE_OUTPUT=out traced ./calls 3 2>&1 | cat >both
expect "the first line" "sum 33" "$(head -n 1 both)"
expect_line both '^└── main '
grep -n '' both | grep -q "out/trace.json" || fail "no line names the file to open: $(cat both)"
expect "lines of the program" 1 "$(grep -c '^sum 33$' both)"
