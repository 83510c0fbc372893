# A server with eight clients in threads, child processes, a child that is forked, and a timer.
# NEEDS: /usr/bin/python3
# SEES: connect accept4 pthread_cond_timedwait|sem_clockwait
. "$HERE/lib.sh"
traced /usr/bin/python3 "$HERE/threads.py" 2>&1
