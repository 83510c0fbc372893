# Lines of a loop without a condition: the jump back has a row of its first line in gcc's tables, which is no execution
# of that line. Counts as gcov has them, and of a line that is executed never none.
. "$SOURCES/lib.sh"
cat >loops.c <<'P'
static int spin(int n) {
    int odd = 0;
    for (;;) {
        n -= 1;
        if (n == 0)
            break;
        if (n == 100)
            odd++;
    }
    return odd;
}
int main(void) {
    return spin(6);
}
P
gcc -g -O0 -fsanitize-coverage=trace-pc loops.c -o loops -L"$(dirname "$SHIM")" -ltraceshim || fail "cannot build"
LD_LIBRARY_PATH=${SHIM%/*} TRACE_LEVEL=2 TRACE_OUTPUT=out TRACE_FORMAT=none ./loops || fail "status"
"$TRACESHIM" lines out >lines.txt || fail "lines"
expect_line lines.txt '^ *6: *: *4: '
expect_line lines.txt '^ *6: *: *5: '
expect_line lines.txt '^ *1: *: *6: '
expect_line lines.txt '^ *5: *: *7: '
expect_line lines.txt '^ *#####: *: *8: '
