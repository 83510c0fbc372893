# Every system call of the shim fails once, and from then on always: the program never notices, and what was recorded
# renders. It cannot find what fails outside these functions.
. "$SOURCES/lib.sh"
gcc -w -O1 -fPIC -shared "$SOURCES/fault/fault.c" -o fault.so || fail "cannot build fault.so"
instrument 050-faults.c app -O1
wanted=$(./app)
most=$([ -n "$LONG" ] && echo 500 || echo 10)

# faulty CALL NUMBER [STAYS]
faulty() {
    rm -rf out log
    timeout -k 1 20 env FAULT_CALL="$1" FAULT_NUMBER="$2" ${3:+FAULT_STAYS=1} FAULT_LOG="$PWD/log" TMPDIR="$PWD/tmp" \
        TRACE_FORMAT=none TRACE_MAX_SIZE=2M TRACE_OUTPUT=out LD_PRELOAD="$PWD/fault.so $SHIM" ./app >got 2>err
    expect "status when $1 fails at call $2 ${3-}" 4 $?
    expect "standard output when $1 fails at call $2 ${3-}" "$wanted" "$(cat got)"
    grep -v '^traceshim: ' err && fail "standard error when $1 fails at call $2 ${3-}: $(cat err)"
    ls out/*.trace >/dev/null 2>&1 || return 0
    "$TRACESHIM" report out >report.out 2>err
    [ $? -le 1 ] || fail "report of what was recorded when $1 failed at call $2 ${3-}: $(cat err)"
}

mkdir tmp
seen=0
for call in open ftruncate fallocate mmap mremap munmap madvise mprotect pwrite write read fstatfs mkdir fchmod; do
    faulty $call 0
    count=$(cat log 2>/dev/null | wc -c)
    seen=$((seen + count))
    for number in $(seq "$((count < most ? count : most))"); do
        faulty $call "$number"
        faulty $call "$number" stays
    done
done
[ "$seen" -gt 10 ] || fail "only $seen calls of the shim were seen: nothing was tested"
