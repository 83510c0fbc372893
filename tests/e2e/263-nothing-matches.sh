# Where options choose no call, a line says which options, and how many calls there are: one line, on stderr, for
# every command that takes them; options stand before the directory or behind it. Row A28.
. "$SOURCES/lib.sh"
TRACE_HOOKS=close TRACE_OUTPUT=out TRACE_FORMAT=none traced sh -c 'exec 5</dev/null; exec 5<&-' || fail "status"
calls=$("$TRACESHIM" report out 2>/dev/null | sed -n 's/^# \([0-9]*\) calls of .*/\1/p')

# says WORDS COMMAND...: the only line on stderr
says() {
    local words=$1
    shift
    "$TRACESHIM" "$@" >"got" 2>"err" || fail "$*: status $?"
    expect "$*" "traceshim: no call of out matches $words; without that there are $calls" "$(cat err)"
}
says '--min=100s' tree --min=100s out
expect "the tree" '(no spans)' "$(cat got)"
says '--min=100s' tree out --min 100s
says '--slow=100s' tree --slow=100s out
says '--errors --thread=nobody' tree --thread nobody --errors --depth=3 out
says '--process=nobody' report --process=nobody out
expect_line got '^# \(no spans\)$'
says '--focus=nothing' export --format=jsonl --focus=nothing out
says '--time=1000..' tree --time=1000.. out
"$TRACESHIM" diff out out --callers=none >got 2>err || fail "diff: $(cat err)"
expect "of both" 2 "$(grep -c 'matches --callers=none' err)"
# What matches says nothing; nor does what has no calls by itself.
"$TRACESHIM" tree --min=1 out >got 2>err || fail "status"
expect "of a match" "" "$(cat err)"

# A directory that is made for a file is named.
"$TRACESHIM" export --format=csv -o new/deep/report.csv out 2>err || fail "$(cat err)"
expect_line err '^traceshim: made the directory .*new for it$'
"$TRACESHIM" export --format=csv -o new/deep/again.csv out 2>err || fail "$(cat err)"
expect "no directory was made" "" "$(cat err)"

# Pages and bytes do not go to a terminal.
need_terminal
for format in html perfetto; do
    python3 - "$TRACESHIM" "$format" <<'P' >said || fail "$format: $(cat said)"
import os, pty, subprocess, sys
ours, theirs = pty.openpty()
done = subprocess.run([sys.argv[1], "export", "--format=" + sys.argv[2], "out"], stdout=theirs, stderr=subprocess.PIPE)
print(done.stderr.decode(), end="")
sys.exit(done.returncode != 2)
P
    expect_line said "^traceshim: export: $format is not for a terminal; give -o trace\."
    expect "$format in a pipe" 9 "$("$TRACESHIM" export --format=$format out | head -c 9 | wc -c)"
done
