# Level 3: a throw and a catch carry the stack that they come from, in every output; it is verified, so that one throw
# that several callers reach says by which. Row C19.
. "$SOURCES/lib.sh"
cat >throws.cc <<'P'
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#define FUNCTION __attribute__((noinline, noipa)) static void
FUNCTION thrower(int n) {
    if (n >= 0)
        throw n;
}
FUNCTION left(int n) { thrower(n); std::abort(); }
FUNCTION right(int n) { thrower(n); std::abort(); }
FUNCTION deep(int n, int depth) { depth ? deep(n, depth - 1) : thrower(n); std::abort(); }
FUNCTION attempt(int n) {
    try {
        n % 3 == 0 ? left(n) : n % 3 == 1 ? right(n) : deep(n, n);
    } catch (int) {
    }
}
static void on_signal(int) { attempt(300); }
int main() {
    for (int n = 0; n < 12; n++)
        attempt(n);
    std::signal(SIGUSR1, on_signal);
    std::raise(SIGUSR1);
}
P
for compiler in g++ clang++; do
    command -v $compiler >/dev/null || continue
    $compiler -g -O1 throws.cc -o throws || fail "cannot build"
    rm -rf out
    TRACE_LEVEL=3 TRACE_OUTPUT=out TRACE_FORMAT=none traced ./throws || fail "status"
    "$TRACESHIM" export --format=jsonl -o spans.jsonl out || fail "jsonl"
    check_chrome out
    "$TRACESHIM" export --format=chrome -o trace.json out || fail "chrome"
    python3 - <<'P' || fail "other stacks ($compiler)"
import json
spans = [json.loads(line) for line in open("spans.jsonl")]
events = [e for e in json.load(open("trace.json"))["traceEvents"] if e["ph"] == "i"]
for seen in ([s["attributes"] for s in spans if s["name"] == "throw"],
             [e["args"] for e in events if e["name"] == "throw"]):
    assert len(seen) == 13, len(seen)
    for n, args in enumerate(seen[:12]):
        way = ["left", "right", " > ".join(["deep"] * (n + 1))][n % 3]
        assert args["caller"] == f"main > attempt > {way} > thrower", args
        assert args["at"] == "throws.cc:7", args
    assert seen[12]["caller"].endswith("attempt > left > thrower"), seen[12]
catches = [s["attributes"] for s in spans if s["name"] == "catch"]
assert [c["caller"] for c in catches[:12]] == ["main > attempt"] * 12, catches
assert all(c["at"].startswith("throws.cc:1") for c in catches), catches
P
    "$TRACESHIM" dump out >dump || fail "dump"
    # A stack is told once in a window, then it is a number: one for each way to throw and the one of the handler.
    expect "records of stacks" 26 "$(grep -c ' stack words=2 ' dump)"
    "$TRACESHIM" info out >info.out || fail "info"
    expect_line info.out '^caller stacks: ([0-9]|1[0-2]) stacks walked'
done
# Instrumented: the open calls are spans, which the throw lies in.
g++ -g -O1 -finstrument-functions throws.cc -o throws || fail "cannot build"
TRACE_LEVEL=3 TRACE_OUTPUT=own TRACE_FORMAT=none traced ./throws || fail "status"
tree own >tree.out
expect_line tree.out "└── throw \(dur\) \{throws\} \[exception.type='int', from='thrower', at='throws.cc:7'\]"
grep -q 'from stack' tree.out && fail "a frame beside its call: $(grep 'from stack' tree.out)"
# Level 2 and below: nothing of it.
TRACE_LEVEL=2 TRACE_OUTPUT=two TRACE_FORMAT=none traced ./throws || fail "status"
"$TRACESHIM" dump two | grep -q ' stack words' && fail "a stack without a call"
true
