# What the lines at exit say where there is little to merge, or more to come: a program that only throws shows its
# exceptions, the calls are counted as they are, and a process that still runs is told of with what to do later.
. "$SOURCES/lib.sh"
cat >throws.cc <<'P'
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>
int main(int count, char **) {
    for (int i = 0; i < 100; i++)
        try {
            throw std::runtime_error("again");
        } catch (const std::exception &) {
        }
    if (count > 1 && fork() == 0) {
        char byte;
        setsid();
        access("child", F_OK);
        return (int)read(0, &byte, 1);
    }
    return 0;
}
P
g++ -g -O1 -w throws.cc -o throws || fail "cannot build"
TRACE_LEVEL=3 TRACE_HOOKS='' TRACE_OUTPUT=out traced ./throws 2>err || fail "status $?"
expect_line err "throw \(0 ns\) \{throws\} \[exception\.type='std::runtime_error'"
expect_line err '^… [0-9]+ more lines$'
expect_line err '^traceshim: 0 calls; open '

mkfifo held
exec 3<>held
TRACE_HOOKS=access,fork TRACE_OUTPUT=out2 traced ./throws daemon <held 2>err || fail "status $?"
expect_line err '^traceshim: 1 process still runs: for what it does later: traceshim render '
echo >held
i=0
while "$TRACESHIM" info out2 | grep -q 'killed or still runs' && [ $i -lt 100 ]; do
    sleep 0.05
    i=$((i + 1))
done
"$TRACESHIM" render out2 2>err || fail "render: $?"
! grep -q 'still run' err || fail "$(cat err)"
expect_line err "access.*path='child'"
