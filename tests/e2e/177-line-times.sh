# `traceshim lines`: the time on a line is that of the calls that it makes, by their call sites, of hooked functions and
# instrumented ones; several calls on a line add up, of a recursion only the outermost counts. Row C4.
. "$SOURCES/lib.sh"
cat >times.c <<'P'
#include <unistd.h>
__attribute__((noinline)) static void nap(int ms) {
    usleep(1000 * ms);
}
__attribute__((noinline)) static int down(int n) {
    if (!n)
        return getpagesize();
    nap(2);
    return down(n - 1) + 1;
}
int main(void) {
    nap(5); nap(5);
    int sum = down(4);
    sum += getpid();
    return sum < 0;
}
P
gcc -g -O0 -fsanitize-coverage=trace-pc -finstrument-functions times.c -o times -L"$(dirname "$SHIM")" -ltraceshim ||
    fail "cannot build"
export LD_LIBRARY_PATH=${SHIM%/*}
TRACE_LEVEL=2 TRACE_HOOKS=usleep,getpagesize TRACE_OUTPUT=out TRACE_FORMAT=none ./times || fail "status"
"$TRACESHIM" lines --format=json -o lines.json out || fail "lines"
python3 - <<'P' || fail "other times: $(cat lines.json)"
import json
lines = {l["line"]: l for l in json.load(open("lines.json"))["files"][0]["lines"]}
calls = {number: line["calls"] for number, line in lines.items() if line["calls"]}
assert calls == {3: 6, 7: 1, 8: 4, 9: 4, 12: 2, 13: 1}, calls
ms = {number: line["calls_ns"] / 1e6 for number, line in lines.items()}
assert ms[12] >= 10 and ms[3] >= 18 and 8 <= ms[8] <= ms[3], ms
assert 6 <= ms[9] < ms[13], ms # not 6 + 4 + 2: the calls lie in each other
assert ms[11] == ms[14] == 0, ms # where main begins; getpid is not hooked
P
"$TRACESHIM" lines out >lines.txt || fail "lines"
expect_line lines.txt '^ *1: *[0-9.]+ms: *12:    nap\(5\); nap\(5\);$'
expect_line lines.txt '^ *1: +: *14:    sum \+= getpid\(\);$'
