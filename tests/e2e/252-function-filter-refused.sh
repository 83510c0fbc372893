# TRACE_FUNCTIONS where its names cannot be read: everything is recorded, one line says so, and the program is as ever.
. "$SOURCES/lib.sh"
instrument programs/calls.c calls

# tools SCRIPT: a library of its own in tools/, beside a renderer that is this script; none where it is empty
tools() {
    rm -rf tools
    mkdir tools
    cp "$SHIM" tools/
    [ -z "$1" ] || printf '#!/bin/sh\n%s\n' "$1" >tools/traceshim
    [ -z "$1" ] || chmod +x tools/traceshim
}

# whole WHAT REASON COMMAND...: nothing is left out, for that reason
whole() {
    local what=$1 reason=$2
    shift 2
    rm -rf out
    echo data | TRACE_FUNCTIONS=outer TRACE_FORMAT=none TRACE_RENDER_TIMEOUT=1 TRACE_OUTPUT=out \
        LD_PRELOAD=$PWD/tools/libtraceshim.so "$@" >got 2>err
    expect "status, $what" 0 $?
    expect "standard output, $what" "sum 56" "$(head -n 1 got)"
    expect_one_line err
    expect_line err "TRACE_FUNCTIONS cannot be applied: .*$reason.*; recorded whole: .*/calls"
    expect "calls, $what" "1 4 8" "$(calls out main) $(calls out outer) $(calls out inner)"
}

tools ''
whole "no renderer" "not beside the library nor on PATH" bash -c 'PATH=/nowhere exec ./calls 4'
tools 'exit 2'
whole "another version" "another version" ./calls 4
tools 'exit 127'
whole "not executable" "cannot run here" ./calls 4
tools 'kill -9 $$'
whole "killed" "cannot run here" ./calls 4
tools 'exec sleep 20'
whole "slow" "longer than TRACE_RENDER_TIMEOUT" ./calls 4
tools "exec $TRACESHIM \"\$@\""
cat >childless.c <<'C'
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int count, char **arguments) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
        return 77;
    execv(arguments[1], arguments + 1);
    return 78;
}
C
gcc childless.c -o childless || fail "cannot build childless"
whole "no processes" "no process could be made" ./childless ./calls 4

# The real one again, in narrow places: no descriptor, none of the standard ones, a file size of nothing.
# right WHAT COMMAND...
right() {
    local what=$1
    shift
    rm -rf out
    TRACE_FUNCTIONS=outer TRACE_FORMAT=none TRACE_MAX_SIZE=1M TRACE_OUTPUT=out LD_PRELOAD=$PWD/tools/libtraceshim.so \
        "$@" >got 2>err
    expect "status, $what" 0 $?
    expect "calls, $what" "0 4 0" "$(calls out main) $(calls out outer) $(calls out inner)"
}
cp "$TRACESHIM" tools/traceshim
right "as ever" ./calls 4
right "no descriptors" bash -c 'ulimit -Sn 4; exec ./calls 4'
right "standard descriptors closed" bash -c 'exec ./calls 4 <&- >&- 2>&-'
[ -s got ] && fail "something was written to standard output"
echo data >input
right "input is data" bash -c './calls 4 >&2; cat' <input
expect "what was left of the input" data "$(cat got)"
