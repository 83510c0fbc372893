# What happens in calls are events of their OTLP spans: exceptions as OpenTelemetry names them, jumps and the signal that
# ends the program by their own names, so many for one span that readers take them, the rest counted. A call that fails
# has status ERROR with its reason, one that never ended says so. Rows A43, A35.
. "$SOURCES/lib.sh"
cat >events.cc <<'P'
#include <csetjmp>
#include <cstdio>
#include <fcntl.h>
#include <stdexcept>
#include <unistd.h>
static jmp_buf back;
__attribute__((noinline)) static void thrower() {
    throw std::runtime_error("of \"thrower\"\n");
}
__attribute__((noinline)) static void passes_on() {
    thrower();
    puts("never");
}
__attribute__((noinline)) static void catches() {
    try {
        passes_on();
    } catch (const std::exception &) {
        open("/missing/file", O_RDONLY);
    }
}
__attribute__((noinline)) static void jumps() {
    volatile int left = 200;
    setjmp(back);
    if (left-- > 0)
        longjmp(back, 1);
}
__attribute__((noinline)) static void crashes() {
    *(volatile int *)8 = 0;
}
int main() {
    catches();
    jumps();
    crashes();
}
P
g++ -g -O1 -finstrument-functions -w events.cc -o events || fail "cannot build"
for level in 1 3; do
    TRACE_LEVEL=$level TRACE_HOOKS=io TRACE_FORMAT=otlp TRACE_OUTPUT=out$level traced ./events >got 2>err
    expect "status" 139 $?
done
PYTHONPATH="$SOURCES/.." python3 - <<'P' || fail "events"
import check_otlp

for level in 1, 3:
    spans = {span.name: span for span in check_otlp.check_file("out%d/trace.otlp.jsonl" % level).spans}
    events = {name: [event.name for event in span.events] for name, span in spans.items()}
    opened = spans["open"]
    assert opened.message == "ENOENT: No such file or directory" and opened.attributes["error.type"] == "ENOENT", opened
    assert opened.attributes["errno"] == 2 and opened.attributes["path"] == "/missing/file", opened
    known = level == 3
    for name in "thrower", "passes_on":
        span = spans[name]
        wanted = "std::runtime_error: of \"thrower\"\n" if known else "exception: left by a C++ exception"
        assert span.message == wanted, span
        assert events[name] == ["exception"], (name, events[name])
        said = span.events[0].attributes
        assert said["exception.type"] == ("std::runtime_error" if known else "exception"), said
        assert said["exception.message"] == wanted.split(": ", 1)[1], said
        assert ("moment" in said) == (known and name == "thrower"), said
    for name in "main", "crashes":
        assert spans[name].attributes["unfinished"] is True and not spans[name].error, spans[name]
        assert spans[name].attributes["code.file.path"].endswith("events.cc"), spans[name]
    assert spans["main"].end >= spans["crashes"].end and "unfinished" not in spans["jumps"].attributes
    if known:
        assert events["catches"] == ["catch"] and not spans["catches"].error, events
        assert events["jumps"] == ["longjmp"] * 128 and spans["jumps"].dropped == 72, spans["jumps"].dropped
        assert spans["thrower"].attributes["at"] == "events.cc:11", spans["thrower"].attributes
    assert events["crashes"] == ["SIGSEGV"] and events["main"] == [], events
    assert spans["crashes"].events[0].attributes["address"] == "0x8", spans["crashes"].events
P
