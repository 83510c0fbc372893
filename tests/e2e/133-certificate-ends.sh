# Calls that ended without their exit, by what ended them: known numbers of jumps, thread ends, exceptions, and calls
# that were open at each kind of end.
. "$SOURCES/lib.sh"
instrument 133-certificate-ends.c ends -O1

# ends OUT KEY COUNT TOTAL: `info` says that so many were closed by this, and no other kind; TOTAL: unwound or unfinished
ends() {
    expect "$1: closed by $2" "$3" "$(info $1 "closed by $2")"
    expect "$1: kinds" 1 "$(grep -c '^closed by ' info.out)"
    expect "$1: $4" "$3" "$(info $1 "$4")"
}

TRACE_OUTPUT=jumps TRACE_FORMAT=none traced ./ends jumps || fail "jumps"
ends jumps longjmp $((70 * 5)) unwound
TRACE_OUTPUT=threads TRACE_FORMAT=none traced ./ends threads || fail "threads"
ends threads thread_end $((6 * 4)) unwound

for how in exit _exit quick_exit exec abort kill; do
    (
        ulimit -c 0
        TRACE_CHILDREN=0 TRACE_OUTPUT=end.$how TRACE_FORMAT=none traced ./ends $how
    ) >/dev/null 2>&1
    case $how in
    exec) key="exec" ;;
    abort) # a signal, whether its moment was seen or not
        info end.abort unfinished >/dev/null
        key=$(sed -n 's/^closed by \(abort\|signal\|no_end\): .*/\1/p' info.out) ;;
    kill) key=no_end ;;
    *) key=process_exit ;;
    esac
    ends end.$how $key 4 unfinished
done
expect_line info.out '^complete: every call .*; 1 process was killed or still runs: '
expect_line info.out '^own cost: not known '

# g++ calls the exit hook while it unwinds: those calls have an exit. clang++ does not.
for compiler in g++ clang++; do
    command -v $compiler >/dev/null || continue
    CC=$compiler instrument 133-certificate-ends.cc throws.$compiler -O1
    TRACE_OUTPUT=throws.out.$compiler TRACE_FORMAT=none traced ./throws.$compiler || fail "throws of $compiler"
    expect "$compiler: calls" $((1 + 40 * 3 + 10)) "$(info throws.out.$compiler calls)"
    expect "$compiler: left by exceptions" $((40 * 3 + 10)) "$(info throws.out.$compiler 'left by exceptions')"
    expect "$compiler: unfinished" 0 "$(info throws.out.$compiler unfinished)"
    if [ $compiler = clang++ ]; then
        ends throws.out.$compiler exception $((40 * 3 + 10)) unwound
    else
        expect "$compiler: unwound" 0 "$(info throws.out.$compiler unwound)"
    fi
done
exit 0
