# Places that are not what they seem: what cannot be used is refused in one line, nothing is made where nobody asked for
# it, and the program's result is the same.
. "$SOURCES/lib.sh"
instrument programs/calls.c calls
calls_path=$PWD/calls

# ran WHAT: the program's result, whatever became of the trace
ran() {
    expect "status: $1" 0 $status
    expect "standard output: $1" "sum 16" "$(cat "$OUT/got")"
}
OUT=$PWD

# run OUTPUT: TRACE_OUTPUT, in the directory where we stand
run() {
    TRACE_OUTPUT=$1 traced "$calls_path" 2 >"$OUT/got" 2>"$OUT/err" </dev/null
    status=$?
}

# A working directory that was removed is no place, and nothing with its old name is made.
mkdir gone tmp
cd gone && rmdir ../gone
TMPDIR=$OUT/tmp run ""
ran "default place in a directory that was removed"
run relative
ran "relative place in a directory that was removed"
cd "$OUT" || exit 1
expect_line err 'cannot be used: its parent directory is gone'
expect "what is left where the directory was" "" "$(ls -d gone* 2>/dev/null)"
expect "sessions in TMPDIR" 1 "$(ls -d tmp/traceshim.* | wc -l)"

mkfifo fifo
ln -s nowhere dangling
for place in fifo /dev/null /dev/full/x dangling loop / /proc/x "$(printf 'x%.0s' $(seq 300))"; do
    [ $place = loop ] && ln -s loop loop
    run "$place"
    ran "$place"
    expect_line err 'cannot be used: .*; the program runs untraced'
    expect "lines about $place" 1 "$(wc -l <err)"
done
[ ! -e nowhere ] || fail "a dangling link was followed"

# A link to a directory is followed: runs are kept beside where it leads, again and again.
mkdir target
ln -s target link
for i in 1 2 3; do
    run link
    ran "a link, run $i"
    [ -s target/tree.txt ] || fail "run $i is not where the link leads: $(cat err)"
done
[ -L link ] && [ ! -L target ] && [ -s target.old/tree.txt ] || fail "the runs: $(ls -ld link* target*)"

# The working directory itself: used when it is empty, never moved away under the program.
mkdir here
cd here || exit 1
run .
ran "the working directory"
run "$OUT/here"
ran "the working directory again"
cd "$OUT" || exit 1
expect_line err 'working directory; the program runs untraced'
[ -s here/tree.txt ] && [ ! -e here.old ] || fail "the working directory was moved"

# An umask that shuts everyone out: who asked for the files can read them.
(umask 777 && run umask && ran "umask 777") || exit 1
for file in umask umask/trace.json umask/tree.txt; do
    [ $(($(stat -c 0%a $file) & 0400)) != 0 ] || fail "the mode of $file is $(stat -c %a $file)"
done

# The limit on descriptors that the program has is not the renderer's.
TRACE_OUTPUT=few prlimit --nofile=4:1024 env LD_PRELOAD="$SHIM" ./calls 2 >got 2>err
status=$?
ran "four descriptors"
expect "four descriptors: calls" 4 "$(calls few inner)"
[ -s few/tree.txt ] || fail "four descriptors: $(cat err)"

# Where the renderer cannot even be loaded, quiet is quiet.
cat >starved.c <<'C'
#include <stdio.h>
#include <sys/resource.h>
int main(void) { struct rlimit none = {0, 0}; puts("sum 16"); return setrlimit(RLIMIT_NOFILE, &none); }
C
gcc -g -finstrument-functions starved.c -o starved || fail "cannot build"
TRACE_QUIET=1 TRACE_OUTPUT=starved.out traced ./starved >got 2>err
status=$?
ran "no descriptor"
expect "lines when quiet" "" "$(cat err)"
expect "no descriptor: calls" 1 "$(calls starved.out main)"

# In a root without the renderer the line says what to do.
mkdir -p jail
cat >jailed.c <<'C'
#include <stdio.h>
#include <unistd.h>
int main(void) { puts("sum 16"); return chroot("jail") || chdir("/") ? 9 : 0; }
C
gcc -g -finstrument-functions jailed.c -o jailed || fail "cannot build"
calls_path=$PWD/jailed
run jailed.out
[ $status = 9 ] && skip "the rest passed; chroot is refused here"
ran "chroot"
expect_one_line err
expect_line err 'the renderer cannot run here; to render: traceshim render .*jailed.out'
expect "calls before chroot" 1 "$(calls jailed.out main)"
