# A disk that is full: the program ends as always, what was written renders, the loss is stated.
. "$SOURCES/lib.sh"
instrument programs/calls.c calls -O1
mkdir small
mount -t tmpfs -o size=3m none small 2>/dev/null || skip "mounting a tmpfs is refused here"
trap 'umount -l small' EXIT

for mode in stop ring; do
    TRACE_MAX_SIZE=1G TRACE_FULL=$mode TRACE_OUTPUT=small/$mode traced ./calls 1000000 >got 2>err
    expect "status on a full disk ($mode)" 0 $?
    expect "standard output on a full disk ($mode)" "$(./calls 1000000)" "$(cat got)"
    [ "$(calls small/$mode inner)" -gt 50000 ] || fail "$mode: only $(calls small/$mode inner) calls are kept"
    "$TRACESHIM" info small/$mode >info.out || fail "info fails"
    grep -qE '^(lost|dropped)[^:]*: *[1-9]' info.out || fail "$mode: info does not state the loss: $(cat info.out)"
    rm -rf small/$mode
done

# No room at all: no trace, one line.
dd if=/dev/zero of=small/fill bs=64k 2>/dev/null
TRACE_OUTPUT=small/none traced ./calls 1000 >got 2>err
expect "status without any room" 0 $?
expect "standard output without any room" "$(./calls 1000)" "$(cat got)"
expect_line err '^traceshim: '

# Filled by somebody else while we record.
rm -rf small/*
TRACE_OUTPUT=small/race traced ./calls 3000000 >got 2>err &
sleep 0.02
dd if=/dev/zero of=small/fill bs=64k 2>/dev/null
wait $!
expect "status when others fill the disk" 0 $?
