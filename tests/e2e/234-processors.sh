# A thread's windows are decoded on all processors, whatever the level: the outputs are those of one, byte by byte, and
# memory stays small.
. "$SOURCES/lib.sh"
cat >deep.cc <<'C'
#include <cstdlib>
static int sink;
__attribute__((noinline)) void leaf(int n) { sink += n; }
__attribute__((noinline)) void down(int n) {
    if (n == 0 && sink % 7 == 0)
        throw n;
    n ? down(n - 1) : leaf(n);
    leaf(n);
}
int main(int, char **v) {
    for (int i = atoi(v[1]); i > 0; i--) {
        try {
            down(i % 30);
        } catch (int) {
        }
        leaf(1);
    }
}
C
g++ -O1 -g -finstrument-functions -w deep.cc -o deep || skip "no C++ compiler"
one=$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')
for level in 1 2 3; do
    rm -rf trace
    TRACE_LEVEL=$level TRACE_FORMAT=none TRACE_OUTPUT=trace traced ./deep $((level == 1 ? 60000 : 30000)) || fail "status $?"
    [ "$(du -k trace/*.trace | cut -f 1)" -gt 16384 ] || fail "the trace is too small for this: $(du -k trace/*.trace)"
    for view in "report --format=json" "report --columns=calls,total,self,stddev" "tree --merged"; do
        "$TRACESHIM" $view trace >all 2>&1
        taskset -c "$one" "$TRACESHIM" $view trace >one 2>&1
        cmp -s all one || fail "$view differs on one processor at level $level"
    done
done
peak=$(env time -f %M "$TRACESHIM" report trace 2>&1 >/dev/null | tail -n 1)
case $peak in *[!0-9]*) ;; *) [ "$peak" -lt 40000 ] || fail "report takes $peak KiB" ;; esac
