# Which calls are shown: the same options for tree, report and export. Rows C12, C13.
. "$SOURCES/lib.sh"
instrument 230-filters.c shape
TRACE_HOOKS=usleep TRACE_QUIET=1 TRACE_OUTPUT=trace traced ./shape >got || fail "the program failed"

# shown OPTION...: names and depth of what the tree shows, in one line
shown() {
    "$TRACESHIM" tree --calls "$@" trace 2>tree.err | sed -E 's/│   |    /./g; s/[├└]── //; s/ \(.*//' | tr '\n' ' '
}

expect "all" "shape .shape ..main ...early ....usleep ...work ....leaf ....leaf ....leaf ...work ....leaf ....leaf \
....leaf ...late ....usleep .second ..other ...leaf " "$(shown)"
expect "--depth" "shape .shape ..main ...early ...work ...work ...late .second ..other ...leaf " "$(shown --depth 2)"
expect "--min" "main .early ..usleep " "$(shown --min 40ms)"
expect "--focus" "work .leaf .leaf .leaf work .leaf .leaf .leaf " "$(shown --focus=work)"
expect "--callers" "main .early ..usleep .late ..usleep " "$(shown --callers=usleep --focus main)"
expect "--thread" "other .leaf " "$(shown --thread second)"
expect "--process" "(no spans) " "$(shown --process 1)"
expect "two at once" "other .leaf " "$(shown --callers leaf --thread 'sec*')"
expect "nothing before the start" "(no spans) " "$(shown --time 100s..)"

# The slowest first, the newest last; each alone.
names() {
    "$TRACESHIM" tree "$@" trace 2>tree.err | sed -E 's/[├└]── //; s/ \(.*//' | tr '\n' ' '
}
expect "--slow" "main early usleep " "$(names --slow 40ms)"
expect "--slow --limit" "main early " "$(names --slow 40ms --limit 2)"
expect "--last" "usleep late main " "$(names --last 3)"
expect_line <("$TRACESHIM" tree --slow 40ms --limit 3 trace) "^└── usleep .*in='early', start=.*tid=[0-9]+\\]$"

# A call is cut to the time that is shown.
cut=$("$TRACESHIM" tree --calls --time 0..50ms trace)
duration=$(sed -n 's/.*early (\([0-9]*\)\.[0-9]* ms).*cut_end=True.*/\1/p' <<<"$cut")
[ -n "$duration" ] && [ "$duration" -le 50 ] || fail "early is not cut to 50 ms: $cut"

expect "report" "6 2" "$("$TRACESHIM" report --focus work --columns calls trace |
    awk '/ leaf / { l = $1 } / work / { w = $1 } END { print l, w }')"
"$TRACESHIM" export --format=chrome --focus=work -o x.json trace || fail "export fails"
expect "export" 8 "$(grep -o '"ph":"X"' x.json | wc -l)"
python3 "$SOURCES/../check_chrome_json.py" x.json >chrome.out || fail "$(tail -n 1 chrome.out)"
for format in callgrind:'# calls=8$' dot:'\\n8 calls"'; do
    "$TRACESHIM" export --format="${format%%:*}" --focus=work trace >exported || fail "export fails"
    expect_line exported "${format#*:}"
done
