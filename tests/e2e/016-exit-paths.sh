# However a program ends, its status is its own and its events are kept. Rows A10, B14.
. "$SOURCES/lib.sh"
instrument 016-exit-paths.c app
ulimit -c 0
for kind in exit _exit _Exit quick_exit abort kill segv term syscall thread pthread_exit; do
    ./app $kind >bare 2>/dev/null
    wanted=$?
    TRACE_OUTPUT=out-$kind traced ./app $kind >got 2>err
    expect "status of $kind" $wanted $?
    cmp -s bare got || fail "standard output of $kind is $(cat got)"
    expect "calls of leaf before $kind" 10 "$(calls out-$kind leaf)"
    expect "calls of main before $kind" 1 "$(calls out-$kind main)"
    check_chrome out-$kind
done 2>/dev/null

# Those that pass through exit, and those that the shim sees, are rendered at once.
for kind in exit _exit _Exit quick_exit thread pthread_exit; do
    [ -s out-$kind/trace.json ] || fail "$kind left no trace.json"
done
expect_line out-exit/tree.txt 'end \(unfinished, >= '
