# Standard streams that are closed stay closed, and no file of ours takes their numbers.
. "$SOURCES/lib.sh"
cat >fds.c <<'C'
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
__attribute__((noinline)) static int is_open(int fd) { return fcntl(fd, F_GETFD) != -1; }
int main(void) {
    int report = open("report", O_WRONLY | O_CREAT | O_TRUNC, 0600); /* takes the lowest number that is free */
    dprintf(report, "%d:", report);
    for (int fd = 0; fd < 64; fd++)
        if (is_open(fd))
            dprintf(report, " %d", fd);
    return 0;
}
C
gcc -g -O0 -finstrument-functions fds.c -o fds || fail "cannot build"

# closed NAME REDIRECTIONS
closed() {
    eval "./fds $2"
    bare=$(cat report)
    eval "TRACE_OUTPUT=out-$1 LD_PRELOAD=$SHIM ./fds $2"
    expect "open descriptors with $2" "$bare" "$(cat report)"
    expect "calls with $2" 64 "$(calls out-$1 is_open)"
}
closed none '2>/dev/null'
closed in '<&- 2>/dev/null'
closed out '>&- 2>/dev/null'
closed err '2>&-'
closed all '<&- >&- 2>&-'
