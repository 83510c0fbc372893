# The clock is not the same for all processes of a trace: no duration comes of the difference, whichever clock is used.
. "$SOURCES/lib.sh"
instrument 148-time-namespace.c app -O1
./app 1
[ $? = 3 ] || skip "no time namespaces here"
for clock in auto system; do
    for seconds in 1000 -300 2; do
        rm -rf out
        TRACE_CLOCK=$clock TRACE_OUTPUT=out TRACE_FORMAT=none TRACE_MAX_SIZE=16M traced ./app $seconds 2>err
        expect "status" 3 $?
        expect "calls of leaf" 100200 "$(calls out leaf)"
        renders out
        "$TRACESHIM" report --format=csv out | awk -F, 'NR > 1 && ($2 < 0 || $2 > 30e9) { exit 1 }' ||
            fail "$clock, $seconds s: $(cat report.out)"
        python3 - chrome.json <<'P' || fail "$clock, $seconds s: a duration in the Chrome trace"
import json, sys
events = json.load(open(sys.argv[1], encoding="utf-8"))["traceEvents"]
sys.exit(any(not 0 <= event.get("dur", 0) <= 30e6 for event in events))
P
    done
done
