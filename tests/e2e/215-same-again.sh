# A trace shows the same times whenever it is read: nothing but the trace counts. The programs are shorter than what a
# rate of clocks is measured over otherwise, and one is killed.
. "$SOURCES/lib.sh"
instrument programs/calls.c calls -O1
TRACE_FORMAT=none TRACE_OUTPUT=ended traced ./calls 100 >got 2>err
cat >killed.c <<'C'
#include <signal.h>
#include <unistd.h>
static void step(void) { usleep(300); }
int main(void) { step(); step(); return kill(getpid(), SIGKILL); }
C
gcc -g -finstrument-functions killed.c -o killed || fail "cannot build"
TRACE_FORMAT=none TRACE_OUTPUT=killed.out traced ./killed >got 2>err
for trace in ended killed.out; do
    for round in 1 2 3; do
        for view in chrome perfetto jsonl otlp html; do
            "$TRACESHIM" export --format=$view -o "$trace.$round.$view" "$trace" || fail "export $view"
        done
        "$TRACESHIM" report --format=csv "$trace" >"$trace.$round.report"
        "$TRACESHIM" info "$trace" >"$trace.$round.info"
        sleep 0.1
    done
    for view in chrome perfetto jsonl otlp html report info; do
        for round in 2 3; do
            cmp "$trace.1.$view" "$trace.$round.$view" || fail "$view of $trace is another one the next time"
        done
    done
done
# What was slept shows, though no two readings of the clocks are 10 ms apart.
python3 - <<'P' || fail "times"
import csv
row = next(row for row in csv.DictReader(open("killed.out.1.report")) if row["name"] == "step")
assert int(row["min_ns"]) >= 297000, row
P
