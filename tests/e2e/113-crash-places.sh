# A crash where locks are held, on a stack that is gone, in many threads at once, in a forked or vforked child: ends as
# without us, at once, and is told of where that can be. DESIGN 7.
. "$SOURCES/lib.sh"
instrument 113-crash-places.c app
ulimit -c 0

# expect_kind KIND LINE: what `info` says of the process that it happens to; - where it cannot be known
expect_kind() {
    local kind=$1 wanted
    ./app $kind >bare 2>/dev/null
    wanted=$?
    TRACE_OUTPUT=out-$kind traced timeout 60 ./app $kind >got 2>err
    expect "status of $kind" $wanted $?
    cmp -s bare got || fail "standard output of $kind is $(cat got)"
    renders out-$kind
    "$TRACESHIM" info out-$kind >info.out
    [ "$2" = - ] || expect_line info.out "$2"
    [ "$2" != - ] || grep -q ' at address ' info.out && [ "$2" = - ] && fail "$kind: $(cat info.out)"
    return 0
} 2>/dev/null

segv='killed by SIGSEGV \(SEGV_MAPERR\) at address 0x30, in strike at 113-crash-places.c:[0-9]+'
expect_kind loader "$segv < in_loader < .*dl_iterate_phdr.* < main,"
expect_kind stack 'killed by SIGSEGV \(SEGV_MAPERR\) at address 0x[0-9a-f]+, in own_stack_is_gone at '
expect_kind together "$segv < strike_together,"
"$TRACESHIM" tree --calls out-together >tree.out
told=$(grep -c 'SIGSEGV (0 ns).*strike at' tree.out)
[ $told -ge 1 ] && [ $told -le 8 ] || fail "$told crashes are told of"
expect_kind busy "$segv < main,"
expect_kind handler "$segv < in_handler < .* < main,"
expect_kind heap 'killed by SIG(ABRT|SEGV) .* < main'
expect_kind full "$segv < main,"
expect_kind child "^process [0-9]+: app, $segv < in_child < main,"
expect_line info.out '^process [0-9]+: app, exited with status 0'
expect_kind vfork -
expect_kind strict -
for kind in loader together busy handler heap full; do
    [ -s out-$kind/trace.json ] || fail "$kind is not rendered"
done
