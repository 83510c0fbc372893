# TRACE_MAX_SIZE holds: `ring` keeps the newest, `stop` the oldest; both say what is missing. Row C11.
. "$SOURCES/lib.sh"
instrument programs/calls.c calls -O1
count=2000000
for full in ring stop; do
    TRACE_MAX_SIZE=8M TRACE_FULL=$full TRACE_OUTPUT=$full traced ./calls $count >got 2>err
    expect "status" 0 $?
    expect "standard output" "$(./calls $count)" "$(cat got)"
    used=$(du -k "$full"/*.trace | awk '{ print $1 }')
    [ "$used" -le 9216 ] || fail "$full: the trace takes $used KiB"
    kept=$(calls $full inner)
    [ "$kept" -gt 100000 ] && [ "$kept" -lt $((2 * count)) ] || fail "$full: $kept calls of inner are kept"
    check_chrome $full
done

# What is there and what is missing are all the calls that were made.
all=$((3 * count + 1))
reported() {
    "$TRACESHIM" report "$1" | awk '!/^#/ { n += $1 } END { print n }'
}
found=$(($(reported ring) + $(info ring dropped)))
[ $found -ge $((all - 1)) ] && [ $found -le $((all + 3)) ] ||
    fail "ring: $(reported ring) there and $(info ring dropped) dropped are not the $all calls made"
expect "lost in ring mode" 0 "$(info ring lost)"
[ "$(info ring dropped)" -gt $((count / 2)) ] || fail "ring: only $(info ring dropped) calls are said to be dropped"

# Lost are events, two for each call; the calls that were open are left without their end.
found=$((2 * $(reported stop) - $(info stop unfinished) + $(info stop lost)))
expect "events found and lost in stop mode" $((2 * all)) $found
expect "dropped in stop mode" 0 "$(info stop dropped)"
