# fork and exec: every program that a traced shell starts joins its session; each exec image has a file of its own, and
# the session is rendered once, when its first process ends. Row A2.
. "$SOURCES/lib.sh"
instrument programs/calls.c calls
ln calls other

TRACE_OUTPUT=out traced sh -c './calls 5; ./other 7; exit 3' >got 2>err
expect "status" 3 $?
printf 'sum 85\nsum 161\n' | cmp -s - got || fail "standard output is $(cat got)"
expect "trace files" 3 "$(ls out/*.trace | wc -l)"
expect "calls of inner" 24 "$(calls out inner)"
expect "lines that name the file to open" 1 "$(grep -c 'out/trace.json' err)"
[ -s out/tree.txt ] || fail "no tree.txt"
check_chrome out

# A cleared environment does not leave the session.
TRACE_OUTPUT=cleared traced sh -c 'env -i ./calls 2; :' >/dev/null 2>&1
expect "calls with a cleared environment" 4 "$(calls cleared inner)"

# TRACE_CHILDREN=0: children are left alone.
TRACE_OUTPUT=alone TRACE_CHILDREN=0 traced sh -c './calls 2; :' >/dev/null 2>&1
expect "calls of children that are left alone" 0 "$(calls alone inner)"
