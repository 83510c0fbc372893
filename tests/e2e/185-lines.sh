# The counts of all lines of a program are gcov's, for gcc and clang; the source is shown with them, and lcov reads them.
# Differences, all explained: setjmp returns twice (guarded); clang splits edges inside a condition of three lines, whose
# gcov knows the lines of its middle only. Lines of labels and braces have no code in the one build or the other.
. "$SOURCES/lib.sh"

# covered CC DIR FLAG...: builds with coverage callbacks and runs it at level 2
covered() {
    local cc=$1 dir=$2
    shift 2
    $cc -O0 -g -w "$@" "$SOURCES/185-lines.c" -o covered -L"$(dirname "$SHIM")" -ltraceshim || fail "$cc: cannot build"
    LD_LIBRARY_PATH=$(dirname "$SHIM") TRACE_LEVEL=2 TRACE_FORMAT=none TRACE_OUTPUT=$dir ./covered >"$dir.out" ||
        fail "$cc: status $?"
    cmp -s "$dir.out" bare.out || fail "$cc: other output than without callbacks"
}

# compared DIR SAME: line by line
compared() {
    "$TRACESHIM" lines --format=json -o "$1.json" "$1" 2>"$1.err" || fail "lines: $(cat "$1.err")"
    expect "standard error of lines" "" "$(cat "$1.err")"
    "$SOURCES/compare_lines.py" "$1-gcov/185-lines.c.gcov" "$1.json" 185-lines.c >"$1.compared"
    expect_line "$1.compared" "^same $2,"
}

mkdir gcc-gcov clang-gcov
(cd gcc-gcov && gcc -O0 -g -w --coverage "$SOURCES/185-lines.c" -o bare && ./bare >../bare.out && gcov ./*.gcda >/dev/null) ||
    skip "no gcov on this machine"
covered gcc gcc -fsanitize-coverage=trace-pc
compared gcc 143
expect "lines that gcc's gcov counts otherwise" "152: gcov 6, traceshim 9" "$(grep : gcc.compared)"

"$TRACESHIM" lines gcc >lines.txt
expect_line lines.txt '^ *- *: *: *0:Source:.*/185-lines\.c$'
expect_line lines.txt '^ *366: *: *16:static struct node \*insert'
expect_line lines.txt '^ *#####: *: *20: *abort'
expect_line lines.txt '^ *-: *: *14:};'
grep -q '^branch' lines.txt && fail "branches at level 2"
"$TRACESHIM" lines --format=lcov gcc >lines.info
expect_line lines.info '^SF:/.*185-lines\.c$'
expect_line lines.info '^FNDA:366,insert$'
expect_line lines.info '^DA:20,0$'
if command -v genhtml >/dev/null; then
    genhtml -q -o html lines.info >genhtml.out 2>&1 || fail "genhtml: $(cat genhtml.out)"
fi

if command -v clang >/dev/null && command -v llvm-cov >/dev/null; then
    (cd clang-gcov && clang -O0 -g -w --coverage "$SOURCES/185-lines.c" -o bare && ./bare >/dev/null &&
        llvm-cov gcov ./*.gcda >/dev/null) || skip "clang has no coverage library on this machine"
    covered clang clang -fsanitize-coverage=trace-pc,no-prune -fno-sanitize-link-runtime
    compared clang 149
    expect "lines that clang's gcov counts otherwise" \
        "116: gcov 8, traceshim 15;151: gcov 9, traceshim 6;152: gcov 9, traceshim 6;" "$(grep : clang.compared | tr '\n' ';')"
fi
