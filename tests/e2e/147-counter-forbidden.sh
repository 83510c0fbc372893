# A program that forbids the processor's counter (PR_SET_TSC, strict mode) is not ended by a hook that reads it; calls
# are recorded on, and last as long as they do.
. "$SOURCES/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "steps through code of x86-64"
instrument 147-counter-forbidden.c app -O1 -D_GNU_SOURCE

# durations FUNCTION MINIMUM MAXIMUM: each of its calls lasts so many ms
durations() {
    "$TRACESHIM" report --format=csv out | awk -F, -v name="$1" -v least="$2" -v most="$3" '
        NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
        index($0, name) { seen = 1; bad = $column["min_ns"] < least * 1e6 || $column["max_ns"] > most * 1e6 }
        END { exit !seen || bad }' || fail "$way: $1 lasts: $("$TRACESHIM" report out | grep -w "$1")"
}

for way in tsc by-call before strict; do
    rm -rf out
    wanted=$(./app $way)
    status=$?
    [ $status != 77 ] || skip "the counter cannot be forbidden here"
    got=$(TRACE_HOOKS=getppid TRACE_OUTPUT=out TRACE_FORMAT=none traced ./app $way 2>err)
    expect "status, $way" $status $?
    expect "standard output, $way" "$wanted" "$got"
    [ ! -s err ] || fail "$way: $(cat err)"
    renders out
    expect "misnested, $way" 0 "$(info out misnested)"
    durations middle 0 5000
    case $way in
    strict)
        expect "calls of leaf, $way" 42 "$(calls out leaf)"
        durations spin 1 20000
        expect_line info.out '^note: the program entered strict mode'
        ;;
    *)
        expect "calls of leaf, $way" 122 "$(calls out leaf)"
        durations nap 19 2000
        ;;
    esac
    case $way in
    before) expect_line info.out '^clock: CLOCK_MONOTONIC' ;;
    tsc | by-call) expect_line info.out '^note: the program forbade the processor.s counter' ;;
    esac
done
