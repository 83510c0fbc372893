# Python's own tests of json: a C extension and its fallback.
# NEEDS: /usr/bin/python3
# SEES: open64
. "$HERE/lib.sh"
python_suite test_json '*'
