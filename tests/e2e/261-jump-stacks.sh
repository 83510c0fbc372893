# Level 3: a jump carries the stack that it leaves, in every output, as a throw does: verified, so that one jump that
# several callers reach says by which; also out of a handler, and where the next call is the first in its function. Row C19.
. "$SOURCES/lib.sh"
cat >jumps.c <<'P'
#include <setjmp.h>
#include <signal.h>
#include <unistd.h>
#define FUNCTION __attribute__((noinline, noipa)) static void
static jmp_buf back;
FUNCTION leaper(int n) {
    if (n >= 0)
        longjmp(back, n + 1);
}
FUNCTION left(int n) { leaper(n); __asm__ volatile(""); }
FUNCTION right(int n) { leaper(n); __asm__ volatile(""); }
FUNCTION deep(int n, int depth) { depth ? deep(n, depth - 1) : leaper(n); __asm__ volatile(""); }
FUNCTION attempt(int n) {
    if (setjmp(back) == 0)
        n % 3 == 0 ? left(n) : n % 3 == 1 ? right(n) : deep(n, n);
    else if (n > 5)
        getpid();
}
static void on_signal(int number) { (void)number; attempt(300); }
int main(void) {
    for (int n = 0; n < 12; n++)
        attempt(n);
    signal(SIGUSR1, on_signal);
    raise(SIGUSR1);
}
P
for compiler in gcc clang; do
    command -v $compiler >/dev/null || continue
    $compiler -g -O1 jumps.c -o jumps || fail "cannot build"
    rm -rf out
    TRACE_LEVEL=3 TRACE_HOOKS=getpid TRACE_OUTPUT=out TRACE_FORMAT=none traced ./jumps || fail "status"
    "$TRACESHIM" export --format=jsonl -o spans.jsonl out || fail "jsonl"
    check_chrome out
    "$TRACESHIM" export --format=chrome -o trace.json out || fail "chrome"
    python3 - <<'P' || fail "other stacks ($compiler)"
import json
spans = [json.loads(line) for line in open("spans.jsonl")]
events = [e for e in json.load(open("trace.json"))["traceEvents"] if e["ph"] == "i"]
for seen in ([s["attributes"] for s in spans if s["name"] == "longjmp"],
             [e["args"] for e in events if e["name"] == "longjmp"]):
    assert len(seen) == 13, len(seen)
    for n, args in enumerate(seen[:12]):
        way = ["left", "right", " > ".join(["deep"] * (n + 1))][n % 3]
        assert args["caller"] == f"main > attempt > {way} > leaper", args
        assert args["at"] == "jumps.c:8" and int(args["value"]) == n + 1 and "left" not in args, args
    assert seen[12]["caller"].endswith("attempt > left > leaper"), seen[12]
P
    "$TRACESHIM" tree out >tree.out
    expect_line tree.out "longjmp \(0 ns\) \{jumps\} \[value=1, from='leaper', at='jumps.c:8'\]"
done
# Instrumented: the open calls are spans, which the jump lies in; those that it left are named.
gcc -g -O1 -finstrument-functions jumps.c -o jumps || fail "cannot build"
TRACE_LEVEL=3 TRACE_HOOKS=getpid TRACE_OUTPUT=own TRACE_FORMAT=none traced ./jumps || fail "status"
tree own >tree.out
expect_line tree.out "└── longjmp \(dur\) \{jumps\} \[value=8, from='leaper', at='jumps.c:8', left=\['leaper', 'right'\]\]"
grep -q 'from stack' tree.out && fail "a frame beside its call: $(grep 'from stack' tree.out)"
# Level 2 and below: nothing of it.
TRACE_LEVEL=2 TRACE_OUTPUT=two TRACE_FORMAT=none traced ./jumps || fail "status"
"$TRACESHIM" dump two | grep -q ' stack words' && fail "a stack without a call"
true
