# Shared objects need nothing but the compiler's option: the library that is preloaded receives their callbacks. Plugins
# that come to the same addresses one after the other are counted apart, for gcc and clang.
. "$SOURCES/lib.sh"
gcc -O0 -w "$SOURCES/187-lines-plugin.c" -o program || fail "cannot build"

# body OBJECT: count of the body of its loop, from its build's own source
body() {
    "$TRACESHIM" lines out 2>lines.err | awk -F: -v file="$1.c" '
        $3 == 0 { on = index($0, "/" file) }
        on && /LINE body/ { print $1 + 0 }'
    [ -s lines.err ] && fail "lines: $(cat lines.err)"
}

for cc in gcc clang; do
    command -v $cc >/dev/null || continue
    for plugin in one two; do
        cp "$SOURCES/187-lines-plugin.c" $plugin.c
        $cc -O0 -g -w -fPIC -shared -DPLUGIN=3 -fsanitize-coverage=trace-pc $plugin.c -o $plugin.so -Wl,--build-id ||
            fail "$cc: cannot build"
    done
    rm -rf out
    LD_LIBRARY_PATH=. TRACE_LEVEL=2 TRACE_FORMAT=none TRACE_OUTPUT=out traced ./program >stdout 2>err || fail "$cc: status $?"
    [ -s err ] && fail "$cc: $(cat err)"
    expect "$cc: plugins in one place" "3 at the same address" "$(cat stdout)"
    expect "$cc: rounds in one.so" 300 "$(body one)"
    expect "$cc: rounds in two.so" 21 "$(body two)"
done
