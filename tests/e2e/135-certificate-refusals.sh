# What the recorder could not reach is no complete trace: a program that brings its own instrument functions, and one
# whose slots the kernel does not let it write.
. "$SOURCES/lib.sh"
instrument 025-own-hooks.c own -O1
TRACE_OUTPUT=own.out TRACE_FORMAT=none traced ./own >/dev/null 2>&1 || fail "own"
expect "verdict" "NOT complete: not recorded: instrumented calls: the program brings its own __cyg_profile_func_enter" \
    "$(info own.out calls >/dev/null; head -n 1 info.out)"
expect_line info.out '^not seen: instrumented calls: the program brings its own __cyg_profile_func_enter$'
"$TRACESHIM" info --format=json own.out | python3 -c 'import json, sys; assert not json.load(sys.stdin)["complete"]' ||
    fail "JSON says that it is complete"

[ "$(uname -m)" = x86_64 ] || exit 0
gcc -O1 -o fault "$SOURCES/fault/fault.c" || fail "cannot build fault"
instrument 130-certificate-counts.c counts -O1 -Wl,-z,relro,-z,now
TRACE_OUTPUT=refused.out TRACE_FORMAT=none FAULT_PRELOAD="$SHIM" ./fault mprotect 1 on tried ./counts count 1 10 2>err
status=$?
[ $status = 77 ] && skip "this machine does not let it trace"
expect "status" 0 $status
expect "calls" 0 "$(info refused.out calls)"
expect_line info.out '^NOT complete: not recorded: .*/counts: its calls cannot be redirected, '
expect_line info.out '^not seen: .*/counts: its calls cannot be redirected, for its pages cannot be made writable'
expect_line info.out '^modules: [0-9]+ loaded, 0 patched in 0 slots, 1 refused$'
expect_line info.out '^patched: .*/counts, instrumented, 0 slots, refused '
