# `report --sites`: a line for each function and place that it is called from, at level 2; the sums are those of the
# plain report, the first columns as they are there; text, CSV and JSON say the same. Row C4.
. "$SOURCES/lib.sh"
cat >sites.c <<'P'
#include <unistd.h>
__attribute__((noinline, noipa)) static int leaf(int n) { return n + 1; }
__attribute__((noinline, noipa)) static int twice(int n) {
    return leaf(n) + leaf(n); /* one line, two calls */
}
__attribute__((noinline, noipa)) static int down(int n) {
    return n ? down(n - 1) + 1 : getpagesize();
}
int main(void) {
    int sum = 0;
    for (int i = 0; i < 3; i++)
        sum += twice(i);
    sum += leaf(sum);
    sum += down(4);
    return sum < 0;
}
P
gcc -g -O1 -finstrument-functions sites.c -o sites || fail "cannot build"
TRACE_LEVEL=2 TRACE_HOOKS=getpagesize TRACE_OUTPUT=out TRACE_FORMAT=none traced ./sites || fail "status"

"$TRACESHIM" report --sites --sort=calls out >text || fail "report"
expect_line text '^# calls +total +self +avg +min +max +errors  name \{scope\}  from  at$'
awk '$1 ~ /^[0-9]+$/ { $2 = $3 = $4 = $5 = $6 = ""; $0 = $0; $1 = $1; print }' text | sort >seen
sort >wanted <<'W'
6 0 leaf {sites} twice sites.c:4
1 0 leaf {sites} main sites.c:13
3 0 twice {sites} main sites.c:12
1 0 down {sites} main sites.c:14
4 0 down {sites} down sites.c:7
1 0 getpagesize {libc.so.6} down sites.c:7
1 0 main {sites} ? ?
W
diff wanted seen || fail "other lines than these"

"$TRACESHIM" report --sites --format=csv out >table.csv || fail "csv"
expect "csv" "calls,total_ns,self_ns,avg_ns,min_ns,max_ns,errors,name,scope,from,at,unfinished,unwound" "$(head -n 1 table.csv)"
"$TRACESHIM" report --sites --format=json out >table.json || fail "json"
"$TRACESHIM" report --format=json out >plain.json || fail "json"
python3 - <<'P' || fail "the layouts differ"
import csv, json
def alike(a, b):
    return abs(a - b) <= 20 # each reading of a short trace fits its clock anew
rows = json.load(open("table.json"))
table = list(csv.DictReader(open("table.csv")))
assert [(r["name"], r["from"] or "", r["at"] or "", r["calls"]) for r in rows] == \
    [(r["name"], r["from"], r["at"], int(r["calls"])) for r in table], table
main = [r for r in rows if r["name"] == "main"]
assert main[0]["from"] is None and main[0]["at"] is None, main
for plain in json.load(open("plain.json")):
    own = [r for r in rows if r["name"] == plain["name"]]
    for key in ("calls", "errors"):
        assert sum(r[key] for r in own) == plain[key], (key, plain)
    assert alike(min(r["min_ns"] for r in own), plain["min_ns"]) and alike(max(r["max_ns"] for r in own), plain["max_ns"])
    assert alike(sum(r["self_ns"] for r in own), plain["self_ns"]), plain
    assert plain["name"] == "down" or alike(sum(r["total_ns"] for r in own), plain["total_ns"]), plain
    assert "from" not in plain
P
# A choice of calls, and of columns, is the same as without.
"$TRACESHIM" report --sites --columns=calls --focus=twice --format=csv out >focus.csv || fail "focus"
expect "in focus" 'calls,name,scope,from,at 3,"twice","sites","main","sites.c:12" 6,"leaf","sites","twice","sites.c:4"' \
    "$(tr '\n' ' ' <focus.csv | sed 's/ $//')"
"$TRACESHIM" report --sites --columns=calls --min=1ns --format=csv out | sort >min.csv
"$TRACESHIM" report --sites --columns=calls --format=csv out | sort | diff - min.csv || fail "calls that are chosen late"
# Without debug information there are the functions; at level 1 nothing is known, which a line says.
strip --strip-debug sites
"$TRACESHIM" report --sites out >stripped || fail "report"
expect_line stripped '^6 .* leaf \{sites\}  twice  \?$'
TRACE_LEVEL=1 TRACE_OUTPUT=out1 TRACE_FORMAT=none traced ./sites || fail "status"
"$TRACESHIM" report --sites out1 >text || fail "report"
expect_line text '^# no call site is known: they are recorded at TRACE_LEVEL=2'
expect_line text '^7 .* leaf \{sites\}  \?  \?$'
