# The merged tree at level 2 says where calls were made: `at` where one line made them all, else how many lines did;
# the same where parts of the trace are decoded at once; nothing of it at level 1. Row C4.
. "$SOURCES/lib.sh"
cat >merged.c <<'P'
#include <unistd.h>
__attribute__((noinline, noipa)) static int leaf(int n) { return n + 1; }
__attribute__((noinline, noipa)) static int both(int n) {
    return leaf(n) + leaf(n); /* two calls, one line */
}
__attribute__((noinline, noipa)) static int apart(int n) {
    n = leaf(n);
    return leaf(n);
}
int main(int argc, char **argv) {
    int sum = argc > 1 ? 0 : 1;
    for (int i = 0; i < 120; i++)
        sum += both(i) + apart(i);
    for (int i = 0; argc > 1 && i < 1500000; i++)
        leaf(i);
    sum += getpagesize();
    return sum < 0;
}
P
gcc -g -O1 -finstrument-functions merged.c -o merged || fail "cannot build"
export TRACE_HOOKS=getpagesize TRACE_FORMAT=none

# places DIR: the merged tree's names, counts and places, sorted
places() {
    "$TRACESHIM" tree --merged "$1" | sed -E 's/^[ │├└─]*//; s/ \([^)]*\)//; s/, (self|avg|max)=[^],]*//g' | sort
}
# Rows fold where the machine kept one call waiting: then it is run again.
for _ in 1 2 3 4 5 6 7 8 9; do
    rm -rf out
    TRACE_LEVEL=2 TRACE_OUTPUT=out traced ./merged || fail "status"
    places out >seen
    grep -q ' more$' seen || break
done
sort >wanted <<'W'
main {merged} [calls=1]
both {merged} [calls=120, at='merged.c:13']
leaf {merged} [calls=240, at='merged.c:4']
apart {merged} [calls=120, at='merged.c:13']
leaf {merged} [calls=240, sites=2]
getpagesize {libc.so.6} [calls=1, at='merged.c:16']
W
diff wanted seen || fail "other places than these"

TRACE_LEVEL=1 TRACE_OUTPUT=out1 traced ./merged || fail "status"
"$TRACESHIM" tree --merged out1 | grep -E "at=|sites=" && fail "places at level 1"

# Only on one processor is a trace never decoded in parts.
TRACE_LEVEL=2 TRACE_OUTPUT=large traced ./merged many || fail "status"
places large >parts
expect_line parts "^leaf \{merged\} \[calls=1500000, at='merged.c:15'\]$"
taskset 1 "$TRACESHIM" tree --merged large | sed -E 's/^[ │├└─]*//; s/ \([^)]*\)//; s/, (self|avg|max)=[^],]*//g' | sort >whole
diff whole parts || fail "parts tell other places"

# Without debug information nothing is known but the calls.
strip --strip-debug merged
"$TRACESHIM" tree --merged out | grep -E "at=|sites=" && fail "places without debug information"
exit 0
