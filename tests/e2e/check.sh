# For the tests of `traceshim check`: what it tells of a program against a run of that program.

# came PROGRAM: whether a run of it leaves a trace with a call in it
came() {
    rm -rf out
    TRACE_OUTPUT=out TRACE_FORMAT=none timeout 20 env LD_PRELOAD="$SHIM" "$1" >ran 2>ran.err </dev/null
    [ -d out ] && [ "$("$TRACESHIM" report out 2>/dev/null | awk '!/^#/ { n += $1 } END { print n + 0 }')" -gt 0 ]
}

# foretold PROGRAM PATTERN...: each pattern is that of a finding, and the status tells whether a trace comes
foretold() {
    local program=$1 status wanted=1 pattern
    shift
    came "$program" && wanted=0
    rm -rf out
    TRACE_OUTPUT=out "$TRACESHIM" check "$program" >found 2>err
    status=$?
    [ -s err ] && fail "$program: $(cat err)"
    expect "status of check $program ($(grep FAIL found || echo all well))" $wanted $status
    [ $wanted = 0 ] || expect_line found '^FAIL  '
    grep -vE '^(ok  |note|FAIL)  .' found && fail "$program: no such grade"
    for pattern; do
        expect_line found "$pattern"
    done
}
