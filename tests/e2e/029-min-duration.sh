# TRACE_MIN_DURATION leaves out leaf calls that are shorter; longer ones and what holds them stay.
. "$SOURCES/lib.sh"
instrument 029-min-duration.c app -O1
for value in 10ms 10000us 10000000; do
    TRACE_MIN_DURATION=$value TRACE_OUTPUT=out traced ./app >got 2>err
    expect "standard output" "slept" "$(cat got)"
    expect "slow, around and main with $value" "2 1 1" "$(calls out slow) $(calls out around) $(calls out main)"
    [ "$(calls out quick)" -lt 20 ] || fail "$(calls out quick) quick calls with $value" # the machine may pause one
    check_chrome out
    rm -rf out
done
TRACE_OUTPUT=out traced ./app >got 2>err
expect "quick calls without the option" 1002 "$(calls out quick)"
