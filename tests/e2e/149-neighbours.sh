# Libraries that others preload, before and after ours, or link: what they do for the program stays the same, and
# nothing is lost of what we record. Compared with the neighbour alone.
. "$SOURCES/lib.sh"
instrument 149-neighbours.c app -O1
gcc -w -O1 -shared -fPIC -DPRELOAD "$SOURCES/149-neighbours.c" -o other.so || fail "cannot build other.so"
gcc -w -O1 -shared -fPIC -DAUDIT "$SOURCES/149-neighbours.c" -o audit.so || fail "cannot build audit.so"
missing=

# check NAME CMD...: `CMD ours` with CMD alone; `ours` sets the environment of the traced run
check() {
    expect "status, $1" "$status" "$got_status"
    cmp -s alone got || fail "standard output, $1: $(diff alone got)"
    cmp -s alone.err err || fail "standard error, $1: $(diff alone.err err)"
    expect "calls of step, $1" 6000 "$(calls out step)"
    expect "lost, $1" 0 "$(info out lost)"
    expect "misnested, $1" 0 "$(info out misnested)"
    "$TRACESHIM" report --format=csv out | awk -F, 'NR > 1 && ($2 < 0 || $2 > 60e9) { exit 1 }' || fail "durations, $1"
    [ -z "$LONG" ] || check_chrome out
}

# beside NAME PRELOADED COMMAND...: with PRELOADED before us and after us; empty: whatever COMMAND itself does
beside() {
    local name=$1 library=$2 order
    shift 2
    env LD_PRELOAD="$library" "$@" >alone 2>alone.err
    status=$?
    for order in "$SHIM $library" "$library $SHIM"; do
        rm -rf out
        env TRACE_QUIET=1 TRACE_HOOKS='io,time,proc' TRACE_FORMAT=none TRACE_OUTPUT="$PWD/out" LD_PRELOAD="$order" "$@" \
            >got 2>err
        got_status=$?
        check "$name, LD_PRELOAD=$order"
        [ -n "$library" ] || break
    done
}

# found PATTERN: the first library of that name, or it is said to be missing
found() {
    local directory
    for directory in "/usr/lib/$(gcc -dumpmachine)" /usr/lib /usr/lib64; do
        # shellcheck disable=SC2086 # a pattern
        set -- "$1" $directory/$1
        [ -e "$2" ] && library=$2 && return 0
    done
    missing="$missing $1"
    return 1
}

beside "another preload" "$PWD/other.so" ./app
for pattern in libjemalloc.so.2 libtcmalloc_minimal.so.4; do
    found "$pattern" || continue
    beside "$pattern" "$library" ./app
    [ -n "$LONG" ] || break
    gcc -w -g -O1 -finstrument-functions -pthread "$SOURCES/149-neighbours.c" -o linked "$library" || fail "cannot link $pattern"
    beside "$pattern, linked" "" ./linked
done
found faketime/libfaketime.so.1 && FAKETIME='-3y x5' beside faketime "$library" ./app
for name in fakeroot stdbuf; do
    command -v $name >/dev/null || missing="$missing $name"
done
command -v stdbuf >/dev/null && beside stdbuf "" stdbuf -o0 ./app
command -v fakeroot >/dev/null && fakeroot true 2>/dev/null && beside fakeroot "" fakeroot ./app

rm -rf out
LD_AUDIT=$PWD/audit.so ./app >alone 2>alone.err
status=$?
TRACE_QUIET=1 TRACE_HOOKS=io,time,proc TRACE_FORMAT=none TRACE_OUTPUT=out LD_AUDIT=$PWD/audit.so traced ./app >got 2>err
got_status=$?
check "LD_AUDIT"
[ -z "$missing" ] || skip "the rest passed; not here:$missing"
