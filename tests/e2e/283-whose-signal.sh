# The signal of TRACE_SIGNAL is the program's where it has a use of its own for it: its handler, that it ignores it, or
# that it was started with it ignored. It sees a default where it has none. What is no such signal is refused.
. "$SOURCES/lib.sh"
cat >program.c <<'P'
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static int handled;
static void on_signal(int number) {
    handled += number == SIGUSR2;
}
void work(void) {}
int main(int count, char **arguments) {
    const char *what = count > 1 ? arguments[1] : "";
    struct sigaction old, action = {.sa_handler = on_signal};
    sigaction(SIGUSR2, NULL, &old);
    printf("%s %x\n", old.sa_handler == SIG_DFL ? "default" : old.sa_handler == SIG_IGN ? "ignored" : "ours", old.sa_flags);
    if (!strcmp(what, "sigaction"))
        sigaction(SIGUSR2, &action, NULL);
    if (!strcmp(what, "signal"))
        signal(SIGUSR2, on_signal);
    if (!strcmp(what, "ignore"))
        signal(SIGUSR2, SIG_IGN);
    if (!strcmp(what, "default"))
        printf("%d\n", signal(SIGUSR2, SIG_DFL) == SIG_DFL);
    if (!strcmp(what, "restored")) {
        sigaction(SIGUSR2, &action, &old);
        sigaction(SIGUSR2, &old, NULL);
    }
    errno = 77;
    raise(SIGUSR2);
    printf("handled %d errno %d\n", handled, errno);
    work();
    fflush(stdout);
    char byte;
    return (int)read(0, &byte, 1); /* is started again */
}
P
gcc -g -finstrument-functions -w program.c -o program || fail "cannot build"
export TRACE_FORMAT=none

# run NAME: with TRACE_SIGNAL=USR2; its output lies in `got`, what is said in `said`
run() {
    TRACE_SIGNAL=USR2 TRACE_OUTPUT="out.$1" traced ./program "$1" >got 2>said </dev/null || fail "$1: status $?"
}

for what in default restored none; do
    run $what
    expect "$what: handled" "handled 0 errno 77" "$(tail -n 1 got)"
    expect_line got '^default 0$'
    expect "$what: calls" 0 "$(calls out.$what work)"
done
[ -s said ] && fail "without a handler: says $(cat said)"
for what in sigaction signal; do
    run $what
    expect "$what: handled" "handled 1 errno 77" "$(tail -n 1 got)"
    expect "$what: calls" 1 "$(calls out.$what work)"
    expect_one_line said
    expect_line said 'signal 12 \(TRACE_SIGNAL\) is handled, or ignored, by the program itself'
done
run ignore
expect "ignore: calls" 1 "$(calls out.ignore work)"
expect_one_line said
(
    trap '' USR2
    run inherited
) || fail "inherited"
expect_line got '^ignored 0$'
expect "inherited: calls" 1 "$(calls out.inherited work)"
expect_one_line said
expect_line said 'is ignored here from the start'
# A read that waits is started again.
mkfifo pipe
TRACE_SIGNAL=USR2 TRACE_OUTPUT=out.read LD_PRELOAD=$SHIM ./program >got 2>said <pipe &
program=$!
exec 9>pipe
for i in $(seq 100); do
    grep -q handled got && break
    sleep 0.02
done
kill -USR2 $program
sleep 0.05
exec 9>&-
wait $program || fail "read: status $?"
# At level 0 there is no handler.
TRACE_LEVEL=0 TRACE_SIGNAL=USR2 traced ./program >got 2>said </dev/null
expect "level 0" $((128 + 12)) $?

for wrong in KILL 33 usr2 ' '; do
    TRACE_SIGNAL=$wrong TRACE_OUTPUT=out.wrong.%p traced true 2>said
    if [ "$wrong" = ' ' ]; then
        [ -s said ] && fail "a space: $(cat said)"
    else
        expect_one_line said
        expect_line said "^traceshim: TRACE_SIGNAL=$(printf %s "$wrong" | sed 's/+/\\+/') is not understood"
    fi
done
TRACE_START=off TRACE_OUTPUT=out.start.%p traced true 2>said
expect_one_line said
"$TRACESHIM" run --signal=KILL true 2>said
expect "run --signal=KILL" 2 $?
expect_one_line said
for right in SIGUSR2 RTMIN+30 WINCH; do
    TRACE_SIGNAL=$right TRACE_OUTPUT=out.right.%p traced true 2>said
    [ -s said ] && fail "$right: $(cat said)"
done
exit 0
