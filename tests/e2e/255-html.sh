# `export --format=html`: one file with the same functions, counts and times as the report, that fetches nothing, in
# which no name is markup; bounded however many calls there were; said so where something was left out. Cannot find what
# a browser makes of it.
. "$SOURCES/lib.sh"
gcc -g -c -finstrument-functions "$SOURCES/255-html.c" -o program.o || fail "cannot compile"
objcopy --redefine-sym 'plain=</script><script>document.title="harmed"</script><img src=x>&amp;"' program.o
gcc program.o -o program || fail "cannot link"

# page NAME ARGUMENT: traced and checked; prints the checker's line. By the system clock, whose times each command reads
# alike: the rate of the processor's is known better the later a trace is rendered.
page() {
    TRACE_CLOCK=system TRACE_OUTPUT=$1 TRACE_FORMAT=none TRACE_HOOKS=io traced ./program "$2" || fail "the program failed"
    "$TRACESHIM" export --format=html -o "$1.html" "$1" || fail "no page of $1"
    "$TRACESHIM" report --format=json "$1" >"$1.json" || fail "no report of $1"
    python3 "$SOURCES/../check_html.py" "$1.html" "$1.json" || fail "the page of $1"
}

expect "a small trace is there as a whole" "4 functions, 6 paths, 7 spans" "$(page small 2)"
grep -q 'u003c/script>\\u003cscript>document' small.html || fail "the hostile name is not in the page"
expect_line small.html '"path":"/nowhere \\u003cb>"' # arguments of a call

# Some 180 000 calls along 60 000 paths.
expect_line <(page large 30000) '^4 functions, 30000 paths, 15000 spans$'
[ "$(stat -c %s large.html)" -lt 5000000 ] || fail "the page is too large: $(stat -c %s large.html) bytes"

mkdir empty
"$TRACESHIM" export --format=html -o empty.html empty 2>empty.err || fail "an empty directory has no page"
expect_line empty.html '^"threads":\[\]'

TRACE_FORMAT=html TRACE_OUTPUT=asked traced ./program 1 2>asked.err || fail "the program failed"
[ -s asked/trace.html ] || fail "TRACE_FORMAT=html wrote no page: $(cat asked.err)"
"$TRACESHIM" export --format=html asked >/dev/full 2>full.err && fail "a full disk is no error"
expect_one_line full.err
