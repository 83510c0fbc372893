# Python's own tests of threads and locks.
# NEEDS: /usr/bin/python3
# SEES: open64 sem_clockwait
. "$HERE/lib.sh"
python_suite test_threading '*.ThreadTests.*' '*LockTests*' '*BarrierTests*' '*SemaphoreTests*' '*.ConditionTests.*' '*EventTests*'
