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
        [ -f core ] && mv core cores/$kind-$where.bare
        out=out-$kind-$where
        TRACE_OUTPUT=$out traced ./app "$@" >got 2>err
        got=$?
        expect "status of $kind in $where" $wanted $got
        cmp -s bare got || fail "standard output of $kind in $where is $(cat got)"
        [ -s $out/trace.json ] || fail "$kind in $where is not rendered: $(cat err)"
        [ -f core ] && mv core cores/$kind-$where.traced
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
        grep -qE "\"name\":\"${signal%% *}\".*\"ph\":\"i\"" $out/trace.json || fail "$kind in $where is no instant event"
    done
} 2>/dev/null

mkdir cores
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
for where in main thread; do
    set -- overflow
    [ $where = main ] || set -- overflow thread
    ./app "$@" >bare
    [ -f core ] && mv core cores/overflow-$where.bare
    TRACE_FORMAT=none TRACE_OUTPUT=out-overflow-$where traced ./app "$@" >got
    expect "status of overflow" 139 $?
    [ -f core ] && mv core cores/overflow-$where.traced
    "$TRACESHIM" info out-overflow-$where >info.out
    expect_line info.out "killed by SIGSEGV \(SEGV_(MAP|ACC)ERR\) at address 0x[0-9a-f]+, in recurse at .* \([0-9]+ times\) < …,"
done 2>/dev/null

python3 "$SOURCES/../check_chrome_json.py" out-*/trace.json >chrome.out || fail "$(cat chrome.out)"

# Which thread gets a process's signal, and at which instruction, differs from run to run; so does where a stack ends.
describe() {
    python3 "$SOURCES/core_signal.py" "$@" | paste - <(printf '%s\n' "$@") | sed 's/\.bare$//; s/\.traced$//' |
        sed -E '/kill-|xcpu|alarm/s/ pc [0-9a-f]+//; /overflow/s/ (0x[0-9a-f]+|-) pc [0-9a-f]+//'
}
if [ -n "$cores" ] && [ "$(uname -m)" = x86_64 ]; then
    describe cores/*.bare >cores.bare
    describe cores/*.traced >cores.traced
    [ "$(wc -l <cores.bare)" -gt 10 ] || fail "only these core files: $(cat cores.bare)"
    cmp -s cores.bare cores.traced || fail "core files differ: $(diff cores.bare cores.traced)"
fi
