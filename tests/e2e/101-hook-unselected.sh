# A call that is not selected costs nothing: the loop that makes it executes as many instructions as untraced.
. "$SOURCES/lib.sh"
command -v valgrind >/dev/null || skip "no valgrind on this machine"
gcc -O1 -fPIC -shared -DLIBRARY "$SOURCES/101-hook-unselected.c" -o libtwo.so || fail "cannot build"
for flags in '-Wl,-z,now' '-fno-plt'; do
    gcc -O1 $flags "$SOURCES/101-hook-unselected.c" -o app -L. -ltwo -Wl,-rpath,"$PWD" || fail "cannot build with $flags"

    # instructions FILE COMMAND...: of the loop and what it calls
    instructions() {
        local out=$1
        shift
        "$@" valgrind -q --tool=callgrind --toggle-collect=loop --callgrind-out-file="$out" ./app >got 2>err ||
            fail "status $?: $(cat err)"
        expect output 2002 "$(cat got)"
        sed -n 's/^summary: *//p' "$out"
    }
    rm -rf out
    bare=$(instructions bare env)
    traced=$(TRACE_HOOKS=hooked TRACE_OUTPUT=out TRACE_FORMAT=none instructions traced env LD_PRELOAD="$SHIM")
    [ "$bare" -gt 5000 ] || fail "the loop took $bare instructions"
    expect "instructions ($flags)" "$bare" "$traced"
    expect "calls of hooked" 1 "$(calls out hooked)"
    expect "calls of not_hooked" 0 "$(calls out not_hooked)"
done
