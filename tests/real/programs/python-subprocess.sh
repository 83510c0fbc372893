# Python's own tests of child processes.
# NEEDS: /usr/bin/python3
# SEES: open64 execve
. "$HERE/lib.sh"
python_suite test_subprocess '*.ProcessTestCase.test_[a-i]*' '*.POSIXProcessTestCase.test_[a-e]*' '*RunFuncTestCase*'
