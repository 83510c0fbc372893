# The command line: status 2 and usage for what it does not know, `run` gives the program's own status. Rows A3, A10.
. "$SOURCES/lib.sh"
instrument programs/calls.c calls
for arguments in "" "frobnicate" "tree" "tree --frobnicate x" "export x" "export --format=frob x" "report --sort=frob x" "tree a b"; do
    "$TRACESHIM" $arguments >out 2>err
    expect "status of traceshim $arguments" 2 $?
    [ -s err ] || fail "traceshim $arguments says nothing"
done
"$TRACESHIM" --help >out 2>err || fail "--help fails"
for command in run check render tree report export info dump hooks; do
    expect_line out "\\b$command\\b"
done
expect_line <("$TRACESHIM" --version) '^traceshim [0-9]+\.[0-9]+\.[0-9]+'

TRACE_OUTPUT=trace "$TRACESHIM" run -- ./calls 2 7 >got 2>err
expect "status of run" 7 $?
expect "standard output of run" "sum 16" "$(cat got)"
expect "calls with run" 4 "$(calls trace inner)"
TRACE_OUTPUT=killed "$TRACESHIM" run -- sh -c 'kill -TERM $$' >got 2>err
expect "status of run with a signal" 143 $?
"$TRACESHIM" run -- ./nonexistent >got 2>err
[ $? -ge 1 ] || fail "run of a missing program succeeds"
expect_line err 'nonexistent'

# Sorting, CSV and JSON of the report.
expect "first row by calls" inner "$("$TRACESHIM" report --sort=calls trace | awk '!/^#/ { print $8; exit }')"
"$TRACESHIM" report --format=json trace | python3 -m json.tool >/dev/null || fail "report --format=json is no JSON"
expect "CSV columns" "calls,total,self,avg,min,max,errors,name,scope" \
    "$("$TRACESHIM" report --format=csv trace | head -n 1 | cut -d , -f 1-9 | sed 's|_ns||g')"
