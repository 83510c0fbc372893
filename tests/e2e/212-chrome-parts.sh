# Chrome JSON has arrows from a fork or exec to what came of it, can be split by size into files that open alone, and any
# output is compressed when its name ends with .gz.
. "$SOURCES/lib.sh"
check() {
    python3 "$SOURCES/../check_chrome_json.py" "$@" >check.out 2>&1 || fail "$(tail -n 1 check.out)"
}

TRACE_HOOKS=io,proc TRACE_FORMAT=none TRACE_OUTPUT=family traced sh -c '(cat /etc/hostname); exec cat /etc/hostname' >got
"$TRACESHIM" export --format=chrome -o family.json family || fail "export failed"
check family.json
expect "arrows" "$(grep -c '"ph":"s"' family.json)" "$(grep -c '"ph":"f","bp":"e"' family.json)"
grep -q '"ph":"s","cat":"traceshim","name":"fork"' family.json || fail "no arrow from the fork"
grep -q '"ph":"s","cat":"traceshim","name":"exec"' family.json || fail "no arrow from the exec"

instrument programs/calls.c calls -O1
# By the system clock: the rate of the processor's is known better the later a trace is rendered.
TRACE_CLOCK=system TRACE_FORMAT=none TRACE_OUTPUT=some traced ./calls 1000 >got
"$TRACESHIM" export --format=chrome -o whole.json some || fail "export failed"
"$TRACESHIM" export --format=chrome --split=100K -o parts/x.json some || fail "export in parts failed"
expect "parts" "x-2.json x-3.json x.json " "$(cd parts && ls x* | tr '\n' ' ')"
check parts/x.json parts/x-2.json parts/x-3.json
expect "calls in all parts" "$(grep '"ph":"X"' whole.json | sed 's/,$//' | sort | cksum)" \
    "$(cat parts/*.json | grep '"ph":"X"' | sed 's/,$//' | sort | cksum)"
expect "threads named in each part" 3 "$(cat parts/*.json | grep -c '"name":"thread_name"')"
"$TRACESHIM" export --format=chrome --split=1X -o x.json some 2>err && fail "1X is a size"
expect_one_line err

for format in chrome perfetto jsonl; do
    "$TRACESHIM" export --format=$format -o "x.$format" some && "$TRACESHIM" export --format=$format -o "x.$format.gz" some
    gzip -dc "x.$format.gz" | cmp - "x.$format" || fail "$format: what comes out of gzip is something else"
done
[ "$(stat -c %s x.chrome.gz)" -lt $(($(stat -c %s x.chrome) / 4)) ] || fail "it is not much smaller"
ln -s /dev/full full.gz
"$TRACESHIM" export --format=chrome -o full.gz some 2>err && fail "a full disk was not noticed"
expect_one_line err
