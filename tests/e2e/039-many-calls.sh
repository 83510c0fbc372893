# Over two million calls: no JSON at exit, one line says how to make it.
. "$SOURCES/lib.sh"
instrument programs/calls.c calls -O1
TRACE_OUTPUT=big traced ./calls 1000000 >got 2>err
expect "status" 0 $?
[ -e big/trace.json ] && fail "a JSON file of $(du -h big/trace.json) was made at exit"
expect_line err 'traceshim export --format=chrome'
[ "$(wc -l <err)" -lt 120 ] || fail "$(wc -l <err) lines on standard error"
expect "calls" 2000000 "$(calls big inner)"
