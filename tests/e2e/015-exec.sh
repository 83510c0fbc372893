# exec in the same process: each image has its own file of the same pid, and an exec that fails changes nothing.
. "$SOURCES/lib.sh"
instrument 015-exec.c app
./app 2 >bare
TRACE_OUTPUT=out traced ./app 2 >got 2>err
expect "status" 5 $?
cmp -s bare got || fail "standard output is $(cat got)"
pid=$(basename "$(ls out/*.trace | grep -E '/[0-9]+\.trace$')" .trace)
for image in "$pid" "$pid.2" "$pid.3"; do
    [ -e "out/$image.trace" ] || fail "no $image.trace: $(ls out)"
done
expect "calls of main" 3 "$(calls out main)"
expect "calls of leaf" 2 "$(calls out leaf)"
check_chrome out
