# `info` tells each module once, also one whose hooked functions the library puts its own in front of (fork): their code
# lies in the library then, their module is libc all the same. Row A29.
. "$SOURCES/lib.sh"
cat >forks.c <<'P'
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
    if (fork() == 0)
        _exit(0);
    return wait(0) < 0;
}
P
gcc -O1 forks.c -o forks || fail "cannot build"
TRACE_HOOKS=proc TRACE_OUTPUT=out TRACE_FORMAT=none traced ./forks || fail "status"
"$TRACESHIM" info out >info.out || fail "info"
expect "modules told twice" "" "$(sed -n 's/^module: \([^,]*\).*/\1/p' info.out | sort | uniq -d)"
expect "modules" "$(grep -c '^module: ' info.out)" "$(sed -n 's/^modules: \([0-9]*\) loaded.*/\1/p' info.out)"
"$TRACESHIM" info --format=json out | python3 -c '
import json, sys
paths = [m["path"] for m in json.load(sys.stdin)["modules"]]
assert len(paths) == len(set(paths)), paths' || fail "modules in JSON"
"$TRACESHIM" report out >report.out || fail "report"
expect_line report.out '^1 .* fork \{libc\.so\.6\}$'
