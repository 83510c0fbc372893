# Each descriptor is named, by its open or by the kernel, in every window; and naming those that were opened for a path
# costs no system call.
. "$SOURCES/lib.sh"
gcc -O1 -w "$SOURCES/094-hook-descriptors.c" -o app || fail "cannot build"
mkdir sub && echo 1 >one && echo 2 >sub/two
TRACE_HOOKS=io TRACE_OUTPUT=out TRACE_FORMAT=none traced ./app || fail "status $?"
"$TRACESHIM" tree --calls out >tree || fail "tree"

# named CALL PATH: one such call, and what its descriptor refers to
named() {
    grep -E "── $1 \(" tree >lines
    expect_line lines "fd\.path='$2'"
}
named read two
named pread "$PWD/one"
named lseek "$PWD/one"
# In a window that begins meanwhile, the kernel's name is asked for.
expect "reads of it" 20000 "$(grep -cE "── read \(.*fd\.path='([^']*/)?one'" tree)"
expect "closes of it" 20001 "$(grep -cE "── close \(.*fd\.path='([^']*/)?one'" tree)"
expect_line tree "── write \(.*fd\.type='pipe'"

# A call that is taken back names nothing.
mkfifo fifo
TRACE_HOOKS=io TRACE_MIN_DURATION=50ms TRACE_CHILDREN=0 TRACE_OUTPUT=short TRACE_FORMAT=none traced ./app fifo || fail "status $?"
"$TRACESHIM" tree --calls short >tree || fail "tree"
expect "opens that were taken back" 0 "$(grep -c '── open (' tree)"
expect_line tree "── read \(.*fd\.path='$PWD/fifo'"

command -v strace >/dev/null || skip "no strace on this machine"
rm -rf out
TRACE_HOOKS=io TRACE_OUTPUT=out TRACE_FORMAT=none strace -f -e trace=readlink,readlinkat -o calls \
    -E LD_PRELOAD="$SHIM" ./app 2000 || skip "strace is refused here"
links=$(grep -c readlink calls)
[ "$links" -le 20 ] || fail "$links links were read for 4000 files"
