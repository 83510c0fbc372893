# A session of many processes: merged by program, or one program's alone; every process is in every output.
. "$SOURCES/lib.sh"
TRACE_QUIET=1 TRACE_OUTPUT=trace TRACE_HOOKS=io,proc traced sh -c \
    'for i in $(seq 30); do cat /etc/passwd; cat /proc/none-such; done >/dev/null 2>&1; ls /etc' >got
[ "$(ls trace/*.trace | wc -l)" -ge 61 ] || fail "$(ls trace/*.trace | wc -l) traces"

"$TRACESHIM" tree --programs trace >out 2>err
expect "status" 0 $?
expect_line out '^[├└]── cat \(.*\) \[ERROR\] \[processes=60, avg=.*, max=.*, failed=30\]$'
shell=$(basename "$(readlink -f /bin/sh)")
expect "programs" "$(printf '%s\n' cat "$shell" ls seq | sort | tr '\n' ' ')" "$(sed -n 's/^[├└]── \([a-z]*\) .*/\1/p' out | sort | tr '\n' ' ')"

expect "processes of --process" 60 "$("$TRACESHIM" tree --calls --process=cat trace | grep -c '^[├└]── cat ')"
expect "calls of --process" "60 30" "$("$TRACESHIM" report --process=cat --columns=calls,errors trace |
    awk '/ open(64)? [{]/ { print $1, $2 }')"
check_chrome trace
named=$(grep -o '"name":"process_name","pid":[0-9]*' chrome.json | sort -u | wc -l)
[ "$named" -ge 62 ] || fail "the Chrome trace names $named processes"
