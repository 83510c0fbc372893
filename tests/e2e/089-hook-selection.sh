# The forms of TRACE_HOOKS: which calls of which modules are taken, and what is said of what selects nothing.
. "$SOURCES/lib.sh"
for library in two one; do
    # shellcheck disable=SC2046
    gcc -O1 -fPIC -shared -D${library^^} "$SOURCES/089-hook-selection.c" -o lib$library.so $([ $library = one ] &&
        echo ./libtwo.so -Wl,-rpath,.) || fail "cannot build lib$library.so"
done
gcc -O1 "$SOURCES/089-hook-selection.c" ./libone.so ./libtwo.so -Wl,-rpath,. -o app || fail "cannot build"
./app >wanted

# selects TRACE_HOOKS NAME=COUNT... [STDERR-PATTERN]
selects() {
    local hooks=$1 entry got
    shift
    rm -rf out
    TRACE_HOOKS=$hooks TRACE_OUTPUT=out TRACE_FORMAT=none traced ./app >got 2>err || fail "$hooks: status $?"
    cmp -s wanted got || fail "$hooks: $(cat got)"
    for entry; do
        case $entry in
        *=*)
            got=$(calls out "${entry%=*}")
            expect "$hooks: calls of ${entry%=*}" "${entry#*=}" "$got"
            ;;
        *) expect_line err "$entry" ;;
        esac
    done
    [[ $* == *traceshim:* ]] || [ ! -s err ] || fail "$hooks: $(cat err)"
}

selects getppid getppid=4 close=0
selects 'getppid@libone.so' getppid=1
selects 'getppid@libtwo*' getppid=2
selects 'getppid@app' getppid=1
selects 'getppid,-getppid@libtwo.so' getppid=2
selects 'libtwo.so:*' two_run=2 same=2 getppid=0
selects 'libtwo*:two_*' two_run=2 same=0
selects 'libtwo.so:two_run@libone.so' two_run=1
selects '*,-close' close=0 getppid=4 two_run=2 one_run=1
selects '*,-libtwo.so:*' two_run=0 same=0 one_run=1 close=4
selects '-close,getppid' close=0 getppid=4
selects 'getppid,-getppid,getppid@app' getppid=1
selects 'io' close=4 getppid=0
selects 'io@libone.so' close=1
selects 'io,-io@lib*' close=1
selects '*_run' two_run=2 one_run=1
selects '[ot]*_run' two_run=2 one_run=1
selects ' getppid , close ' getppid=4 close=4
selects 'same(n:int)=int|4,close' same=2 close=4
tree out | grep -qF 'same (dur) {libtwo.so} [n=2, result=4]' || fail "no result: $(tree out)"
tree out | grep -qF 'same (dur) {libtwo.so} [ERROR] [n=1, error=2]' || fail "no error: $(tree out)"
selects 'getpid' getppid=0 '^traceshim: .*nothing.* calls getpid'
selects 'two_rum' two_run=0 '^traceshim: .*nothing.* calls two_rum'
selects 'getppid,clsoe' getppid=4 '^traceshim: .*nothing.* calls clsoe; did you mean close\?'
selects 'getppid,same(n:no)=int' getppid=4 '^traceshim: TRACE_HOOKS: same\(n:no.*: unknown kind'
selects '' getppid=0 close=0
selects ',' getppid=0 close=0
selects '*:*' getppid=4 close=4 same=2

# setjmp and its kind are refused with a reason, by name too
selects 'getppid,setjmp,_setjmp' getppid=4 '^traceshim: .*setjmp'
