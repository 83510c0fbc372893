# Programs that run at the same time with one TRACE_OUTPUT: none is refused, all are in the directory, what is
# rendered last has them all, and the finished run that was there is kept once.
. "$SOURCES/lib.sh"
instrument 141-shared-output.c calls
rounds=$([ -n "$LONG" ] && echo 40 || echo 6)
for round in $(seq "$rounds"); do
    rm -rf out out.old go
    earlier=$((round % 2))
    touch go
    [ $earlier = 1 ] && TRACE_OUTPUT=out traced ./calls 18 >/dev/null 2>&1
    rm go
    for i in 1 2 3 4 5; do
        (TRACE_OUTPUT=out traced ./calls 4 >got.$i 2>err.$i; echo "status $?" >>got.$i) &
    done
    for _ in $(seq 200); do # until all of them run
        [ "$(ls out/*.trace 2>/dev/null | wc -l)" = 5 ] && break
        sleep 0.05
    done
    touch go
    wait
    for i in 1 2 3 4 5; do
        expect "program $i" "sum 14 status 0" "$(tr '\n' ' ' <got.$i | sed 's, $,,')"
        grep -q 'cannot be used' err.$i && fail "program $i: $(cat err.$i)"
    done
    expect "traces" 5 "$(ls out/*.trace | wc -l)"
    expect "calls" 20 "$(calls out inner)"
    expect "calls in what was rendered at the end" 20 "$(grep -o '"name":"inner"' out/trace.json | wc -l)"
    expect "what is in the directory" 8 "$(ls -A out | wc -l)"
    expect "calls of the finished run" $((earlier * 18)) "$([ -d out.old ] && calls out.old inner || echo 0)"
done
