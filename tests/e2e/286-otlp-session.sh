# All processes of a session are one OTLP trace: threads, forked children and executed programs hang below the call that
# made them, and the first process below the span that TRACEPARENT names. Rows B6, B8.
. "$SOURCES/lib.sh"
instrument 213-thread-arrows.c program -O1
cat >starts.c <<'P'
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
__attribute__((noinline)) static void spawns(char **words) {
    pid_t child;
    if (posix_spawn(&child, words[0], NULL, NULL, words, environ) == 0)
        waitpid(child, NULL, 0);
}
__attribute__((noinline)) static void executes(char **words) {
    execv(words[0], words);
}
int main(int argc, char **argv) {
    char *leaf[] = {argv[0], "leaf", NULL};
    if (argc > 1)
        return 0;
    spawns(leaf);
    executes(leaf);
    return 1;
}
P
gcc -g -finstrument-functions -w starts.c -o starts || fail "cannot build"
parent=00f067aa0ba902b7
for hooks in proc ""; do
    TRACE_HOOKS=$hooks TRACE_FORMAT=otlp TRACE_OUTPUT="made-$hooks" traced ./program >got 2>err || fail "program"
    TRACEPARENT=00-4bf92f3577b34da6a3ce929d0e0e4736-$parent-01 \
        TRACE_HOOKS=$hooks TRACE_FORMAT=otlp TRACE_OUTPUT="begun-$hooks" traced ./starts >got 2>err || fail "starts"
    PYTHONPATH="$SOURCES/.." python3 - "$hooks" $parent <<'P' || fail "parents with TRACE_HOOKS=$hooks"
import sys
import check_otlp

hooks, parent = sys.argv[1:]


def read(name, remote):
    trace = check_otlp.check_file(name + hooks + "/trace.otlp.jsonl", remote)
    return trace, {span.id: span for span in trace.spans}, [s for s in trace.spans if s.parent in (None, remote)]


trace, spans, roots = read("begun-", parent)
assert trace.trace == "4bf92f3577b34da6a3ce929d0e0e4736", trace.trace
assert [(root.name, root.parent, root.flags) for root in roots] == [("main", parent, 769)], roots
mains = [span for span in trace.spans if span.name == "main" and span.parent != parent]
makers = sorted(spans[span.parent].name for span in mains)
assert makers == (["execv", "posix_spawn"] if hooks else ["executes", "spawns"]), makers
assert all(span.flags == 769 for span in mains), mains
assert len({resource["process.pid"] for resource in trace.resources}) == 2
assert ["./starts", "leaf"] in [resource["process.command_args"] for resource in trace.resources]

trace, spans, roots = read("made-", None)
assert [root.name for root in roots] == ["main"], [root.name for root in roots]
made = [span for span in trace.spans if span.parent in spans and spans[span.parent].stream != span.stream]
assert len(made) >= 256, len(made)
makers = {spans[span.parent].name for span in made if span.pid == roots[0].pid}
assert not hooks or makers <= {"pthread_create", "thrd_create", "clone"}, makers
P
done
