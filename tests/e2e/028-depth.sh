# TRACE_DEPTH records so many levels of calls and no deeper; 0 is no limit.
. "$SOURCES/lib.sh"
instrument programs/calls.c calls
for depth in "1 1 0 0" "2 1 4 0" "3 1 4 8" "0 1 4 8"; do
    set -- $depth
    TRACE_DEPTH=$1 TRACE_OUTPUT=out traced ./calls 4 >got 2>err
    expect "standard output" "sum 56" "$(cat got)"
    expect "calls at depth $1" "$2 $3 $4" "$(calls out main) $(calls out outer) $(calls out inner)"
    expect "unfinished" 0 "$(info out unfinished)"
    expect "unwound" 0 "$(info out unwound)"
    rm -rf out
done

# Calls above the limit by longjmp and back: the limit counts open calls, not calls made.
instrument 008-longjmp.c jumps -O2
TRACE_DEPTH=2 TRACE_OUTPUT=jumped traced ./jumps >got 2>err
expect "calls after jumps" "200 200 0" "$(calls jumped attempt) $(calls jumped after) $(calls jumped descend)"
