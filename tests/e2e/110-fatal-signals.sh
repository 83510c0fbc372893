# A signal that ends the program does it as without us: same status, same output, same core file; and is recorded with
# its code, address and stack, and rendered before the parent sees the end. DESIGN 7. Row A10.
. "$SOURCES/lib.sh"
instrument 110-fatal-signals.c app
ulimit -c unlimited
echo 0 >/proc/self/coredump_filter # notes alone: memory is much and slow to write
read -r pattern </proc/sys/kernel/core_pattern
read -r with_pid </proc/sys/kernel/core_uses_pid
cores=
[ "$pattern" = core ] && [ "$with_pid" = 0 ] && cores=yes

# expect_kind KIND SIGNAL(CODE) STACK
expect_kind() {
    local kind=$1 signal=$2 stack=$3 wanted got where begin
    for where in main thread; do
        set -- $kind
        [ $where = main ] || set -- $kind thread
        rm -f core
        ./app "$@" >bare 2>/dev/null
        wanted=$?
        [ -f core ] && python3 "$SOURCES/core_signal.py" core >core.bare
        rm -f core
        out=out-$kind-$where
        TRACE_OUTPUT=$out traced ./app "$@" >got 2>err
        got=$?
        expect "status of $kind in $where" $wanted $got
        cmp -s bare got || fail "standard output of $kind in $where is $(cat got)"
        [ -s $out/trace.json ] || fail "$kind in $where is not rendered: $(cat err)"
        if [ -f core ] || { [ -n "$cores" ] && [ -s core.bare ]; }; then
            python3 "$SOURCES/core_signal.py" core >core.traced
            case $kind in kill-*) sed -i '/^pc/d' core.bare core.traced ;; esac # either thread's
            expect "core file of $kind in $where" "$(cat core.bare)" "$(cat core.traced)"
        fi
        rm -f core core.bare
        [ $where = main ] && begin=main || begin=thread
        "$TRACESHIM" info $out >info.out 2>info.err || fail "info: $(cat info.err)"
        case $kind in
        kill-* | xcpu | alarm) # the process's: any thread may get it
            expect_line info.out "^process [0-9]+: app, killed by $signal, in .*, command" ;;
        *)
            expect_line info.out "^process [0-9]+: app, killed by $signal, in $stack.* < $begin, [0-9.]+ (ms|s|µs), command"
            expect_line $out/tree.txt "└── ${signal%% *} \(0 ns\) \{.*\} \[ERROR\] \[.*stack='$stack.* < $begin'\]" ;;
        esac
        expect_line err "^traceshim: app \(process [0-9]+\) was killed by $signal"
        python3 "$SOURCES/../check_chrome_json.py" $out/trace.json >chrome.out || fail "$kind: $(cat chrome.out)"
        grep -qE "\"name\":\"${signal%% *}\".*\"ph\":\"i\"" $out/trace.json || fail "$kind in $where is no instant event"
    done
} 2>/dev/null

below='strike.* < caller'
expect_kind segv 'SIGSEGV \(SEGV_MAPERR\) at address 0x10' 'strike at 110-fatal-signals.c:[0-9]+ < caller'
expect_kind call 'SIGSEGV \(SEGV_MAPERR\) at address 0x0' '0x0 < strike at 110-fatal-signals.c:[0-9]+ < caller'
expect_kind bus 'SIGBUS \(BUS_ADRERR\) at address 0x7[0-9a-f]+010' "beyond_the_file at .* < $below"
expect_kind ill 'SIGILL \(ILL_ILLOPN\) at address 0x[0-9a-f]+' 'strike at .* < caller'
expect_kind abort 'SIGABRT \(SI_TKILL\)' ".*abort < $below"
expect_kind free 'SIGABRT \(SI_TKILL\)' ".*abort.* < double_free < $below"
expect_kind raise-segv 'SIGSEGV \(SI_TKILL\)' ".*raise < $below"
expect_kind kill-abrt 'SIGABRT \(SI_USER\)' ''
expect_kind kill-term 'SIGTERM \(SI_USER\)' ''
expect_kind kill-int 'SIGINT \(SI_USER\)' ''
expect_kind kill-sys 'SIGSYS \(SI_USER\)' ''
expect_kind kill-rt 'SIGRTMIN\+3 \(SI_QUEUE\)' ''
expect_kind alarm 'SIGALRM \(SI_KERNEL\)' ''
expect_kind pipe 'SIGPIPE \(SI_TKILL\)' ".*raise < $below"
expect_kind xcpu 'SIGXCPU \(SI_KERNEL\)' ''
if [ "$(uname -m)" = x86_64 ]; then
    expect_kind fpe 'SIGFPE \(FPE_INTDIV\) at address 0x[0-9a-f]+' 'strike at .* < caller'
    expect_kind trap 'SIGTRAP \(SI_KERNEL\)' 'strike at .* < caller'
fi

# A stack that is used up: the innermost of very many.
for where in "" thread; do
    rm -f core core.bare
    ./app overflow $where >bare
    [ -f core ] && python3 "$SOURCES/core_signal.py" core | head -n 1 | cut -d' ' -f1,2 >core.bare
    rm -f core
    TRACE_FORMAT=none TRACE_OUTPUT=out-overflow$where traced ./app overflow $where >got
    expect "status of overflow" 139 $?
    if [ -f core ]; then
        expect "core file of overflow" "$(cat core.bare)" "$(python3 "$SOURCES/core_signal.py" core | head -n 1 | cut -d' ' -f1,2)"
    fi
    "$TRACESHIM" info out-overflow$where >info.out
    expect_line info.out "killed by SIGSEGV \(SEGV_(MAP|ACC)ERR\) at address 0x[0-9a-f]+, in recurse at .* \([0-9]+ times\) < …,"
done 2>/dev/null
rm -f core
