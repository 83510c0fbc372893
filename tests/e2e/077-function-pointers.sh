# Pointers to one function are equal wherever they were taken (in the program, in a library, in a table in constant
# data, by dlsym), whichever calls are hooked; and calls through them are seen where the function was named.
. "$SOURCES/lib.sh"

# build COMPILER FLAG...
build() {
    local compiler=$1
    shift
    command -v "$compiler" >/dev/null || return 1
    "$compiler" -w "$@" -fPIC -shared -DLIBRARY "$SOURCES/077-function-pointers.c" -o libpointer.so &&
        "$compiler" -w "$@" "$SOURCES/077-function-pointers.c" ./libpointer.so -Wl,-rpath,. -o app || fail "cannot build: $*"
    ./app >wanted </dev/null || fail "bare: $?"
}

named='pointer_own(n:int)=int,pointer_called,read'
differing=
for flags in -O2 '-O2 -fno-plt' '-O2 -Wl,-z,now' '-O2 -no-pie -fno-pie' '-O2 -no-pie -fno-pie -fno-plt' '-O0'; do
    for compiler in gcc clang; do
        build $compiler $flags || continue
        for hooks in default 'io,dl' '*' "$named" "*,$named" 'pointer_*'; do
            rm -rf out
            if [ "$hooks" = default ]; then
                env LD_PRELOAD="$SHIM" TRACE_OUTPUT=out TRACE_FORMAT=none ./app >got 2>err </dev/null
            else
                TRACE_HOOKS=$hooks TRACE_OUTPUT=out TRACE_FORMAT=none traced ./app >got 2>err </dev/null
            fi || fail "$compiler $flags, $hooks: status $?"
            cmp -s wanted got ||
                differing+="$compiler $flags, TRACE_HOOKS=$hooks: $(diff wanted got | grep '^[<>]' | tr '\n' ' ')"$'\n'
        done
    done
done
[ -z "$differing" ] || fail "$differing"
