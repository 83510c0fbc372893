# A disk that is full: the program ends as always, what was written renders, the loss is stated.
. "$SOURCES/lib.sh"
instrument programs/calls.c calls -O1
mkdir small
mount -t tmpfs -o size=4m none small 2>/dev/null || skip "mounting a tmpfs is refused here"
trap 'umount -l small' EXIT

# states_loss DIR
states_loss() {
    "$TRACESHIM" info "$1" >info.out || fail "info fails"
    grep -qE '^(lost|dropped): [1-9]' info.out || fail "$1: the loss is not stated: $(cat info.out)"
}

# A place that is smaller than what is asked for.
for mode in stop ring; do
    TRACE_MAX_SIZE=1G TRACE_FULL=$mode TRACE_OUTPUT=small/$mode traced ./calls 1000000 >got 2>err
    expect "status on a full disk ($mode)" 0 $?
    expect "standard output on a full disk ($mode)" "$(./calls 1000000)" "$(cat got)"
    [ "$(calls small/$mode inner)" -gt 20000 ] || fail "$mode: only $(calls small/$mode inner) calls are kept"
    states_loss small/$mode
    rm -rf small/$mode
done

# No room at all: no trace, one line.
dd if=/dev/zero of=small/fill bs=64k 2>/dev/null
TRACE_OUTPUT=small/none traced ./calls 1000 >got 2>err
expect "status without any room" 0 $?
expect "standard output without any room" "$(./calls 1000)" "$(cat got)"
expect_line err '^traceshim: '
rm -rf small/*

# Filled by somebody else after the trace was begun: the pages that were to come are not there.
mount -o remount,size=64m small || skip "the rest passed; remounting is refused here"
for mode in stop ring; do
    TRACE_FORMAT=none TRACE_MAX_SIZE=16M TRACE_FULL=$mode TRACE_OUTPUT=small/race traced sh -c \
        'dd if=/dev/zero of=small/fill bs=64k 2>/dev/null; exec ./calls 1000000' >got 2>err
    expect "status when others fill the disk ($mode)" 0 $?
    expect "standard output when others fill the disk ($mode)" "$(./calls 1000000)" "$(cat got)"
    rm -rf small/*
done
mkfifo go
cat >late.c <<'C'
#include <stdio.h>
__attribute__((noinline)) static int step(int n) { return n + 1; }
int main(void) {
    int sum = 0;
    for (int i = 0; i < 2000000; i++) {
        sum = step(sum);
        if (i == 1000) { puts("begun"); fflush(stdout); getchar(); }
    }
    printf("%d\n", sum);
    return 0;
}
C
gcc -g -O1 -finstrument-functions late.c -o late || fail "cannot build"
for mode in stop ring; do
    TRACE_FORMAT=none TRACE_MAX_SIZE=16M TRACE_FULL=$mode TRACE_OUTPUT=small/late traced ./late <go >got 2>err &
    exec 3>go
    while ! grep -q begun got; do sleep 0.01; done
    dd if=/dev/zero of=small/fill bs=64k 2>/dev/null
    exec 3>&-
    wait $!
    expect "status when the disk fills while we record ($mode)" 0 $?
    expect "standard output when the disk fills while we record ($mode)" "begun 2000000" "$(tr '\n' ' ' <got | sed 's/ $//')"
    [ "$(calls small/late step)" -ge 1001 ] || fail "$mode: only $(calls small/late step) calls are kept"
    states_loss small/late
    expect_line info.out '^(lost|dropped) because the output place had no room: '
    rm -rf small/*
done
