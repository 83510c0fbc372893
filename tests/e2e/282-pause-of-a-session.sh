# Who is forked or executed begins as its parent stands: paused in a pause, recording otherwise, whatever TRACE_START
# says; through a shell, which keeps an environment of its own, and where the program hands over an empty one.
. "$SOURCES/lib.sh"
cat >program.c <<'P'
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
void early(void) {}
void late(void) {}
void forked_early(void) {}
void forked_late(void) {}
int main(int count, char **arguments) {
    char *again[] = {arguments[0], "last", NULL}, *none[] = {NULL};
    early();
    if (count > 1 && !strcmp(arguments[1], "last"))
        return 0;
    if (fork() == 0) {
        forked_early();
        raise(SIGWINCH);
        forked_late();
        _exit(0);
    }
    wait(NULL);
    if (count > 1) /* in the pause that it was started in, or after it */
        raise(SIGWINCH);
    late();
    if (fork() == 0) {
        execve(arguments[0], again, none);
        _exit(1);
    }
    wait(NULL);
    return 0;
}
P
gcc -g -finstrument-functions -w program.c -o program || fail "cannot build"
export TRACE_SIGNAL=WINCH TRACE_QUIET=1 TRACE_FORMAT=none

counts() {
    expect "$1: lost" 0 "$(info "$1" lost)"
    for name in early forked_early forked_late late; do
        printf '%s=%s ' $name "$(calls "$1" $name)"
    done
}

TRACE_START=paused TRACE_OUTPUT=paused traced ./program || fail "status $?"
expect "paused" "early=0 forked_early=0 forked_late=1 late=0 " "$(counts paused)"
TRACE_START=paused TRACE_OUTPUT=resumed traced ./program toggles || fail "status $?"
expect "resumed" "early=1 forked_early=0 forked_late=1 late=1 " "$(counts resumed)"
TRACE_START=on TRACE_OUTPUT=on traced ./program || fail "status $?"
expect "on" "early=2 forked_early=1 forked_late=0 late=1 " "$(counts on)"
TRACE_START=on TRACE_OUTPUT=stopped traced ./program toggles || fail "status $?"
expect "stopped" "early=1 forked_early=1 forked_late=0 late=0 " "$(counts stopped)"
# The shell is paused by itself, or goes on, before it executes the program.
TRACE_START=paused TRACE_OUTPUT=shell traced sh -c './program; kill -WINCH $$; ./program; ./program; kill -WINCH $$; ./program'
expect "of a shell" "early=4 forked_early=2 forked_late=2 late=2 " "$(counts shell)"
renders shell
# Without a session for children there is nobody to ask.
TRACE_START=paused TRACE_CHILDREN=0 TRACE_OUTPUT=alone traced ./program || fail "status $?"
expect "alone" "early=0 forked_early=0 forked_late=1 late=0 " "$(counts alone)"
expect "files of a paused run" "1" "$(ls alone/*.trace | wc -l)"
"$TRACESHIM" run --start=paused --signal=WINCH --output ran ./program toggles || fail "run: status $?"
expect "run" "early=1 forked_early=0 forked_late=1 late=1 " "$(counts ran)"
# What is said at the end: for how long, and why the tree is empty.
TRACE_START=paused TRACE_FORMAT=tree TRACE_QUIET=0 TRACE_OUTPUT=empty traced true 2>said
expect_line said '^\(no spans\)$'
expect_line said '^traceshim: recording was paused 1 time, [0-9.]+ [mµn]?s in all$'
expect_line said '^traceshim: nothing was recorded: recording was paused'
