# That time is up is a result, 0; operations, events, advice and what is shut down have names.
. "$SOURCES/lib.sh"

gcc -w -O1 "$SOURCES/100-hook-polling.c" -o app || fail "cannot build"
./app 3>&- 4>&- 5>&- || fail "bare: $?"
TRACE_HOOKS=poll,select,epoll_create1,epoll_ctl,epoll_wait,shutdown,madvise,posix_fadvise \
    TRACE_OUTPUT=out TRACE_FORMAT=none traced ./app 3>&- 4>&- 5>&- || fail "status $?"
tree out >got
cat >wanted <<'END'
├── epoll_create1 (dur) {libc.so.6} [flags=EPOLL_CLOEXEC, result=5]
├── epoll_ctl (dur) {libc.so.6} [epoll=5, epoll.type='eventpoll', operation=EPOLL_CTL_ADD, fd=3, fd.type='socket', events=EPOLLIN|EPOLLET]
├── epoll_wait (dur) {libc.so.6} [epoll=5, epoll.type='eventpoll', most=1, timeout=0 ns, result=0]
├── epoll_ctl (dur) {libc.so.6} [epoll=5, epoll.type='eventpoll', operation=EPOLL_CTL_DEL, fd=3, fd.type='socket']
├── poll (dur) {libc.so.6} [count=1, timeout=1.00 ms, result=0]
├── select (dur) {libc.so.6} [count=0, timeout=0 ns, result=0]
├── shutdown (dur) {libc.so.6} [fd=4, fd.type='socket', how=SHUT_WR]
├── poll (dur) {libc.so.6} [count=1, timeout=None, result=1]
├── madvise (dur) {libc.so.6} [address=0x10000000, size=4096, advice=MADV_DONTNEED]
└── posix_fadvise (dur) {libc.so.6} [fd=3, fd.type='socket', offset=0, size=0, advice=POSIX_FADV_SEQUENTIAL]
END
cmp -s wanted got || fail "$(diff wanted got)"
