# What a program's end shows: at most 40 lines, the long paths, what failed with what it was asked, one line at the end.
. "$SOURCES/lib.sh"

# look NAME CMD...: traces it; what it shows is in NAME.err, after the program's own
look() {
    local name=$1
    shift
    TRACE_RENDER_TIMEOUT=0 TRACE_OUTPUT=$name TRACE_HOOKS=io,proc traced "$@" >/dev/null 2>"$name.err"
    [ "$(grep -c . "$name.err")" -le 40 ] || fail "$name: $(grep -c . "$name.err") lines"
    expect_line <(tail -n 1 "$name.err") '^traceshim: [0-9]+ calls; open .*trace.json'
}

cat >opens.c <<'C'
#include <fcntl.h>
#include <unistd.h>
int main(void) {
    for (int i = 0; i < 300; i++)
        open("/proc/none-such", O_RDONLY);
    for (int i = 0; i < 70; i++)
        close(open("/", O_RDONLY));
    write(77, "x", 1);
}
C
gcc -w opens.c -o opener
look opens ./opener
expect "failures, the rare one first" "write open " "$(sed -n 's/^traceshim: failed: \([a-z]*\) .*/\1/p' opens.err | tr '\n' ' ')"
expect_line opens.err "^traceshim: failed: write .*fd=77.*error='EBADF'"
expect_line opens.err "^traceshim: failed: open .*path='/proc/none-such'.*error='ENOENT'\\], and 299 more$"

look one cat /etc/passwd /proc/none-such
grep -q 'traceshim: failed' one.err && fail "a failure that the tree shows is told again"
expect_line one.err "open .*\\[ERROR\\] \\[path='/proc/none-such'"

look many sh -c 'for i in $(seq 40); do /bin/true $i; done; cat /etc/passwd'
expect_line many.err '^[├└]── true \(.*\) \[processes=40, avg=.*, max=.*\]$'
expect "a program that ran once has its process" 1 "$(grep -c '^[├└]── cat (.*) \[pid=[0-9]*\]$' many.err)"
