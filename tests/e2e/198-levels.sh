# Each level records what the level below it does, and more: every call of a lower level is there at a higher one, as
# often; level 3 has the events of the program besides. Level 0 is nothing at all. Rows C2, C4.
. "$SOURCES/lib.sh"
instrument 198-levels.c levels -g

# names LEVEL: calls of each function at that level, sorted
names() {
    "$TRACESHIM" report "out.$1" | awk '$1 ~ /^[0-9]+$/ { print $8, $9, $1 }' | sort
}

for level in 0 1 2 3; do
    TRACE_LEVEL=$level TRACE_OUTPUT=out.$level traced ./levels >got.$level 2>err
    expect "status at level $level" 0 $?
    expect "standard output at level $level" end "$(cat got.$level)"
done
[ -e out.0 ] && fail "level 0 made files"
expect "calls of compare at level 1" 3 "$(calls out.1 compare)"
for level in 2 3; do
    expect "calls of level $((level - 1)) that level $level lacks" "" \
        "$(comm -23 <(names $((level - 1))) <(names $level))"
done
expect "calls of SIGUSR1 at level 2" "" "$("$TRACESHIM" report out.2 | grep -w SIGUSR1)"
expect "calls of SIGUSR1 at level 3" 1 "$(calls out.3 SIGUSR1)"
expect_line out.3/tree.txt "SIGUSR1 (.*) \{levels\} \[handler='on_signal', code=SI_TKILL, sender=[0-9]*\]"
expect_line out.3/tree.txt "longjmp (.*) \{levels\} \[value=1, from='leave', at='198-levels.c:15', left=\['leave'\]\]"
grep -q longjmp out.2/tree.txt && fail "level 2 has an event of level 3"
"$TRACESHIM" info out.3 >info
expect_line info 'signals: 1 handled'
expect_line info 'jumps: 1'
"$TRACESHIM" info --format=json out.3 >info.json
expect_line info.json '"signals_handled":[[:space:]]*1'
"$TRACESHIM" dump out.3 >dump
expect_line dump ' jump words=6 clock=[0-9]* site=0x[0-9a-f]* value=1$'
grep -q '"name":"longjmp","cat":"levels","ph":"i","s":"t"' out.3/trace.json || fail "no instant event in the Chrome trace"
