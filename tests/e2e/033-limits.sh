# Limits of the process: on file size and on address space. Neither kills the program nor starves it.
. "$SOURCES/lib.sh"
instrument programs/calls.c calls -O1
wanted=$(./calls 500000)
for limit in 0 16 1024 4096; do
    (ulimit -f $limit && TRACE_QUIET=1 TRACE_OUTPUT=size-$limit traced ./calls 500000 2>/dev/null; echo "status $?") | cat >got
    expect "status with files of at most $limit KiB" "status 0" "$(tail -n 1 got)"
    expect "standard output with files of at most $limit KiB" "$wanted" "$(head -n 1 got)"
done
[ "$(calls size-4096 inner)" -gt 50000 ] || fail "file size 4 MiB: only $(calls size-4096 inner) calls are kept"

cat >memory.c <<'C'
#include <stdio.h>
#include <stdlib.h>
int main(void) { void *half = malloc((size_t)600 << 20); printf("%s\n", half != NULL ? "has memory" : "starved"); return 0; }
C
gcc -g -O0 -finstrument-functions memory.c -o memory || fail "cannot build"
(ulimit -v 1048576 && TRACE_QUIET=1 TRACE_OUTPUT=space traced ./memory 2>/dev/null) >got
expect "status with 1 GiB of address space" 0 $?
expect "memory for the program" "has memory" "$(cat got)"
expect "calls with 1 GiB of address space" 1 "$(calls space main)"
