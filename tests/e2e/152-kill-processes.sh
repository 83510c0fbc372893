# SIGKILL at random moments for eight threads, their children and their threads at once: the trace renders, and holds
# every call that had counted itself.
. "$SOURCES/lib.sh"
instrument 152-kill-processes.c app -O1
rounds=$([ -n "$LONG" ] && echo 500 || echo 8)
RANDOM=3
processes=0
set -m # each in a process group of its own

for round in $(seq "$rounds"); do
    rm -rf out counters
    TRACE_MAX_SIZE=2G TRACE_OUTPUT=out env LD_PRELOAD="$SHIM" ./app counters 2>err &
    victim=$!
    sleep "0.$((RANDOM % 200 + 40))"
    kill -KILL -- -$victim
    wait $victim 2>/dev/null
    expect "status of the victim" 137 $?
    [ -e counters ] && ls out/*.trace >/dev/null 2>&1 || continue
    read -r counted tasks < <(./app counters print)
    recorded=$(calls out step)
    [ "$recorded" -ge "$counted" ] || fail "round $round: $counted counted, $recorded recorded"
    [ "$recorded" -le $((counted + tasks)) ] || fail "round $round: $counted counted by $tasks tasks, but $recorded recorded"
    expect "damaged, round $round" 0 "$(info out damaged)"
    "$TRACESHIM" tree out >tree.out 2>err || fail "round $round: tree: $(cat err)"
    processes=$((processes + tasks))
done
[ $processes -gt $((rounds * 10)) ] || fail "only $processes tasks in $rounds rounds"
