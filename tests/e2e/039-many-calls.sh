# Over two million calls: no JSON at exit but a Perfetto trace; one line names it and says how to make the other.
. "$SOURCES/lib.sh"
instrument programs/calls.c calls -O1
TRACE_OUTPUT=big traced ./calls 1000000 >got 2>err
expect "status" 0 $?
[ -e big/trace.json ] && fail "a JSON file of $(du -h big/trace.json) was made at exit"
[ -s big/trace.pftrace ] || fail "no Perfetto trace was made"
expect_line err 'open .*/big/trace.pftrace in .*traceshim export --format=chrome'
[ "$(wc -l <err)" -lt 120 ] || fail "$(wc -l <err) lines on standard error"
expect "calls" 2000000 "$(calls big inner)"
