# The call graph has functions that are known from stacks alone: marked so, and not as called 0 times.
. "$SOURCES/lib.sh"
cat >deep.c <<'P'
#include <unistd.h>
__attribute__((noinline, noipa)) static int inner(void) { return getppid() + 1; }
__attribute__((noinline, noipa)) static int outer(void) { return inner() + 1; }
int main(void) { return outer() < 0; }
P
gcc -g -O1 deep.c -o deep || fail "cannot build"
TRACE_LEVEL=2 TRACE_HOOKS=getppid TRACE_OUTPUT=out TRACE_FORMAT=none traced ./deep || fail "status"
"$TRACESHIM" export --format=dot out >deep.dot || fail "dot"
expect_line deep.dot 'label="inner\\n\{deep\}\\ntotal [^"]*\\n\(from stack\)"'
expect_line deep.dot 'label="getppid\\n\{libc.so.6\}\\n[^"]*\\n1 calls"'
grep -q '\\n0 calls' deep.dot && fail "$(grep '0 calls' deep.dot)"
expect "edges without a count of calls" 2 "$(grep -cE -- '-> f[0-9]+ \[label="[0-9.]+ ?[a-zµ]+"' deep.dot)"
if command -v dot >/dev/null; then dot -Tsvg deep.dot >/dev/null || fail "Graphviz refuses it"; fi
