# What each level counts is what the one below counts, and more; level 1 counts nothing. Cases of a switch and compared
# operands at level 3, those only of the functions that TRACE_COMPARES selects. The library may be linked, preloaded, or
# both, from one place or two: each block is counted once. Rows A2, C4.
. "$SOURCES/lib.sh"
directory=$(dirname "$SHIM")
export TRACE_FORMAT=none

# build CC FLAG...
build() {
    local cc=$1
    shift
    $cc -O0 -g -w "$@" "$SOURCES/188-lines-levels.c" -o program -L"$directory" -ltraceshim || fail "$cc: cannot build"
}

# at_level LEVEL LINES: runs it
at_level() {
    rm -rf out
    LD_LIBRARY_PATH=$directory TRACE_LEVEL=$1 TRACE_OUTPUT=out ./program >stdout 2>err || fail "status $?"
    [ -s err ] && fail "level $1: $(cat err)"
    "$TRACESHIM" lines out >"$2" 2>lines.err || fail "lines: $(cat lines.err)"
    "$TRACESHIM" dump out >dump 2>dump.err
}

check_levels() {
    at_level 1 one.txt
    expect "level 1" "(no lines)" "$(cat one.txt)"
    expect_line lines.err 'lines are recorded from TRACE_LEVEL=2 on'
    grep -qE ' (line_counts|branch_counts|compares) ' dump && fail "level 1 counts"
    at_level 2 two.txt
    expect_line two.txt '^ *10: *: *7: *return 10;'
    grep -qE '^(branch|case|compared)|default taken' two.txt && fail "level 2 has branches"
    grep -qE ' (branch_counts|compares) ' dump && fail "level 2 counts what only level 3 does"
    at_level 3 three.txt
    expect "lines of level 3" "$(cat two.txt)" "$(grep -vE '^(branch|case|default taken|compared) ?' three.txt)"
    expect_line three.txt '^case 1 taken 10$'
    expect_line three.txt '^case 7 taken 10$'
    expect_line three.txt '^default taken 80$'
    grep -q '^compared' three.txt && fail "comparisons without TRACE_COMPARES"
    TRACE_COMPARES='comp*,-other' at_level 3 compares.txt
    expect_line compares.txt '^compared 0 with -1 8$|^compared -1 with 0 3$|^compared 0 with -1 3$'
    grep -A3 'return left < right' compares.txt | grep -q '^compared' && fail "a comparison that was not selected"
    # 40 different pairs: 16 are kept, of which some are of the loop before
    expect "comparisons of one place" 60 "$(sed -n '/return left == right/,/^ /p' compares.txt | awk '/^compared/ { n += $NF } END { print n }')"
}

build gcc -fsanitize-coverage=trace-pc,trace-cmp
check_levels
expect_line compares.txt '^compared 0.25 with 0.5 45$|^compared 0.5 with 0.25 45$'
if command -v clang >/dev/null; then
    build clang -fsanitize-coverage=trace-pc-guard,trace-cmp,no-prune -fno-sanitize-link-runtime
    check_levels
fi

# linked and preloaded
mkdir other
cp "$SHIM" other/libtraceshim.so
for preload in "$SHIM" "$PWD/other/libtraceshim.so" "$SHIM:$PWD/other/libtraceshim.so"; do
    rm -rf out
    LD_LIBRARY_PATH=$directory LD_PRELOAD=$preload TRACE_LEVEL=2 TRACE_OUTPUT=out ./program >stdout 2>err
    "$TRACESHIM" lines out >lines.txt 2>&1
    expect_line lines.txt '^ *10: *: *7: *return 10;'
    case $preload in
    *:*) expect_line err 'other/libtraceshim.so does not record, for this copy of the library does' ;;
    *) expect "standard error" "" "$(cat err)" ;;
    esac
    expect "traces" 1 "$(ls out | wc -l)"
done
