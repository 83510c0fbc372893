# A program that may map no more memory for a while: a ring goes on in what is mapped, so that the newest calls are there;
# with `stop` those of that while are lost, for the reason that is told, and recording goes on when there is memory again.
. "$SOURCES/lib.sh"
instrument 290-no-more-memory.c app -O1
wanted=$(./app)
for full in ring stop; do
    TRACE_FULL=$full TRACE_OUTPUT=$full TRACE_FORMAT=none traced ./app >got 2>err || fail "$full: status $?: $(cat err)"
    expect "$full: standard output" "$wanted" "$(cat got)"
    renders "$full"
done

expect "ring: the newest call while there was no memory" 1 "$(calls ring newest)"
expect "ring: later calls" 100000 "$(calls ring later)"
expect "ring: lost events" 0 "$(info ring lost)"
recorded=$(($(calls ring short_of) + $(info ring dropped)))
[ $((recorded - 1000000)) -ge -3 ] && [ $((recorded - 1000000)) -le 3 ] ||
    fail "ring: $recorded calls are there or were dropped, of 1000000"
expect_line info.out '^NOT complete: the oldest .* dropped .* \(no more memory could be mapped\)'

[ "$(calls stop later)" -gt 95000 ] || fail "stop: only $(calls stop later) of 100000 later calls"
expect_line info.out '^NOT complete: .* \(no more memory could be mapped\)'
recorded=$(($(calls stop short_of) + $(calls stop newest) + $(calls stop later) + $(info stop lost) / 2))
expect "stop: calls that are there and that were lost, by their events" 1100001 "$recorded"
