# Every system call of the shim fails once, and from then on always: the program never notices, and what was recorded
# renders. The shim makes its calls itself, not through libc, so that a tracer has to make them fail.
. "$SOURCES/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "the tracer that makes calls fail is for x86-64"
gcc -w -O1 "$SOURCES/fault/fault.c" -o fault || fail "cannot build fault"
instrument 050-faults.c app -O1
wanted=$(./app)
most=$([ -n "$LONG" ] && echo 500 || echo 2)

# numbers COUNT: all of them when there is time, else some from the start to the end: start-up, windows, fork, exec, end
numbers() {
    seq "$1" | awk -v count="$1" -v most="$most" 'NR == 1 || count <= most || int(NR * most / count) != int((NR - 1) * most / count)'
}

# faulty CALL NUMBER once|on
faulty() {
    rm -rf out
    TMPDIR="$PWD/tmp" TRACE_FORMAT=$format TRACE_MAX_SIZE=2M TRACE_OUTPUT=out FAULT_PRELOAD="$SHIM" \
        timeout -k 1 60 ./fault "$1" "$2" "$3" count ./app >got 2>err
    status=$?
    [ $status != 77 ] || skip "ptrace is refused here"
    expect "status when call $2 of $1 fails ($3)" 4 $status
    expect "standard output when call $2 of $1 fails ($3)" "$wanted" "$(cat got)"
    # 84 000 events: a call that fails is not made again at each of them.
    [ "$(cat count)" -lt 5000 ] || fail "$1 was called $(cat count) times when call $2 failed ($3)"
    [ $format = none ] && grep -v '^traceshim: ' err && fail "standard error when call $2 of $1 fails ($3): $(cat err)"
    ls out/*.trace >/dev/null 2>&1 || return 0
    "$TRACESHIM" report out >report.out 2>err
    [ $? -le 1 ] || fail "report of what was recorded when call $2 of $1 failed ($3): $(cat err)"
}

# each CALL...: every one of them fails once; with time enough, or for the first, also from then on always
each() {
    local call count number
    for call in "$@"; do
        faulty "$call" 0 once
        count=$(cat count)
        echo "$call: $count"
        seen=$((seen + count))
        for number in $(numbers "$count"); do
            faulty "$call" "$number" once
            [ -z "$LONG" ] && [ "$number" != 1 ] || faulty "$call" "$number" on
        done
    done
}

mkdir tmp
seen=0
format=none
each openat ftruncate fallocate mmap mremap munmap madvise mprotect pwrite write read fstatfs newfstatat mkdirat fchmod \
    prlimit64 rt_sigprocmask close getcwd getrandom prctl sigaltstack readlinkat unlinkat
[ "$seen" -gt 100 ] || fail "only $seen calls of the shim were seen: nothing was tested"

# The processes that render: neither made, nor become, nor waited for.
format=tree
each clone execve wait4 dup3 close_range rt_sigaction
