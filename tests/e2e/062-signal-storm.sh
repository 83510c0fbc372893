# A signal every 20 microseconds, anywhere, also inside the hooks, some leaving by siglongjmp: no call is lost, none has
# the wrong parent.
. "$SOURCES/lib.sh"
instrument 062-signal-storm.c app -O2
count=$([ -n "$LONG" ] && echo 25000000 || echo 1500000)
TRACE_FORMAT=none TRACE_MAX_SIZE=4G TRACE_OUTPUT=out traced ./app $count >got 2>err
expect "status" 0 $?
cat got
while read -r name least most; do
    if [ "$name" = jumps ]; then
        [ "$least" -gt 10 ] || fail "only $least jumps: this tested nothing"
        continue
    fi
    recorded=$(calls out "$name")
    [ "$recorded" -ge "$least" ] && [ "$recorded" -le "$most" ] ||
        fail "$recorded calls of $name are recorded, $least to $most were made"
done <got
expect "misnested" 0 "$(info out misnested)"
expect "lost" 0 "$(info out lost)"
"$TRACESHIM" tree --merged out >tree.out || fail "tree fails"
grep -E ' (work|after_jump) \(' tree.out | grep -vE '^    (│   |    )(├|└)── ' &&
    fail "calls of work or after_jump are not directly in run: $(cat tree.out)"
exit 0
