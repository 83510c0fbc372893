# Calls whose hook was preempted get a wrong parent at worst; the program does not notice. Cannot find it in a run where
# no hook was interrupted.
. "$SOURCES/lib.sh"
instrument 046-preempted-in-hooks.c app -O2
TRACE_FORMAT=none TRACE_OUTPUT=out traced ./app >got 2>err
expect "status" 0 $?
expect "standard output" "done" "$(cat got)"
expect "lost" 0 "$(info out lost)"
misnested=$(info out misnested)
[ "$misnested" -le 3000 ] || fail "$misnested calls are misnested after 3000 switches"
exit 0
