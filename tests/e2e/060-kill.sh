# SIGKILL at random moments of four threads: the trace renders, and holds every call that the program had counted
# itself. Rows A35, B14.
. "$SOURCES/lib.sh"
instrument 060-kill.c app -O1
rounds=$([ -n "$LONG" ] && echo 200 || echo 20)
RANDOM=1 # the same moments in each run, as far as the machine allows
recorded_something=0

for round in $(seq "$rounds"); do
    rm -rf out counters
    TRACE_MAX_SIZE=2G TRACE_OUTPUT=out env LD_PRELOAD="$SHIM" ./app counters 2>err &
    victim=$!
    sleep "0.0$((RANDOM % 90 + 10))"
    kill -KILL $victim
    wait $victim 2>/dev/null
    expect "status of the victim" 137 $?
    [ -e counters ] && ls out/*.trace >/dev/null 2>&1 || continue
    counted=$(./app counters print)
    recorded=$(calls out step)
    [ "$recorded" -ge "$counted" ] || fail "round $round: $counted counted, $recorded recorded"
    [ "$recorded" -le $((counted + 4)) ] || fail "round $round: $counted counted, but $recorded recorded"
    "$TRACESHIM" tree out >tree.out 2>err || fail "round $round: tree: $(cat err)"
    [ "$counted" -gt 1000 ] && recorded_something=$((recorded_something + 1))
done
[ $((recorded_something * 2)) -gt "$rounds" ] || fail "only $recorded_something of $rounds rounds got to their calls"
