# A program that uses descriptor 2 for its data gets no line of ours into it.
. "$SOURCES/lib.sh"
instrument 037-stderr-is-data.c app
TRACE_OUTPUT=out traced ./app >got 2>err
expect "standard output" "data went to descriptor 2" "$(cat got)"
expect "the data" "data" "$(cat data)"
expect "calls" 1 "$(calls out write_data)"
[ -s out/trace.json ] || fail "nothing was rendered"
