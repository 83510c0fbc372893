# Twenty of Python's own suites that make processes and threads, send signals, wait for descriptors and end in odd ways;
# some of them when there is no time.
# NEEDS: /usr/bin/python3
# SEES: fork|vfork poll|epoll_wait write
. "$HERE/lib.sh"
suites="test_fork1 test_poll test_threadsignals"
[ "$LONG" = 0 ] || suites="$suites test_wait3 test_wait4 test_signal test_faulthandler test_eintr test_select test_selectors
    test_epoll test_socketserver test_mmap test_fcntl test_posix test_queue test_atexit test_dynamic test_popen
    test_thread test_threading_local test_resource test_ctypes"
for suite in $suites; do
    echo "$suite"
    python_suite "$suite" '*'
    echo "status $?"
done
