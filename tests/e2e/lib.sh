# For the .sh tests: run.py runs each with bash in an empty directory of its own and gives it
#   SHIM, TRACESHIM   the library and the program under test
#   SOURCES           the directory of the tests
#   LONG              1: take the time; else stay within seconds
# A test passes when it ends with status 0; `skip` and `fail` end it with a reason.
set -u
export TRACE_HOOKS="${TRACE_HOOKS-}" # no library call is hooked unless a test says so

fail() {
    echo "$*"
    exit 1
}

skip() {
    echo "$*"
    exit 77
}

# instrument SOURCE OUT [FLAG...]: builds an instrumented program; CC chooses the compiler
instrument() {
    local source=$1 out=$2
    shift 2
    ${CC:-gcc} -g -finstrument-functions -pthread -w "$SOURCES/$source" -o "$out" "$@" || fail "cannot build $source"
}

# need_terminal: skips the test where none can be made (a chroot without /dev/pts)
need_terminal() {
    python3 -c 'import os; os.openpty()' 2>/dev/null || skip "no terminal can be made here (/dev/pts)"
}

# traced CMD...: runs it with the shim; `TRACE_X=y traced CMD` sets options
traced() {
    env LD_PRELOAD="$SHIM" "$@"
}

# expect WHAT WANTED GOT
expect() {
    [ "$2" = "$3" ] || fail "$1: wanted '$2', got '$3'"
}

# expect_line FILE PATTERN: a line of the file matches the extended regular expression
expect_line() {
    grep -qE -- "$2" "$1" || fail "no line of $1 matches '$2': $(head -c 600 "$1")"
}

# expect_one_line FILE: it holds one line, which begins with "traceshim: "
expect_one_line() {
    expect "lines of $1" 1 "$(wc -l <"$1")"
    expect_line "$1" '^traceshim: .'
}

# calls DIR FUNCTION: how often it was called, by `report`
calls() {
    "$TRACESHIM" report "$1" >report.out 2>report.err || fail "report: $(cat report.err)"
    awk -v name="$2" '!/^#/ && $8 == name { n += $1 } END { print n + 0 }' report.out
}

# info DIR KEY: the number in a line of `info`
info() {
    "$TRACESHIM" info "$1" >info.out 2>info.err || fail "info: $(cat info.err)"
    sed -n "s/^$2: \([0-9]*\).*/\1/p" info.out | head -n 1
}

# tree DIR: the tree of all calls, with what changes from run to run made plain
tree() {
    "$TRACESHIM" tree --calls "$1" 2>tree.err | python3 "$SOURCES/run.py" --plain-tree
}

# check_chrome DIR: its Chrome trace obeys the rules
check_chrome() {
    "$TRACESHIM" export --format=chrome -o chrome.json "$1" || fail "export of $1 failed"
    python3 "$SOURCES/../check_chrome_json.py" chrome.json >chrome.out 2>&1 || fail "$(tail -n 1 chrome.out)"
}

# renders DIR: every view of it works
renders() {
    "$TRACESHIM" tree "$1" >tree.out 2>tree.err || fail "tree: $(cat tree.err)"
    "$TRACESHIM" report "$1" >report.out 2>report.err || fail "report: $(cat report.err)"
    "$TRACESHIM" info "$1" >info.out 2>info.err || fail "info: $(cat info.err)"
    check_chrome "$1"
}
