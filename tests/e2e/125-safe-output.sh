# Whatever a symbol, a path, a thread, an argument or an operand of the command line is called: nothing but text reaches
# the terminal, a line stays a line, and JSON stays JSON. Cannot find what a single terminal does with plain text.
. "$SOURCES/lib.sh"
hostile=$'\e]0;title\a\e[31m\xe2\x80\xae\xd8\x9c\xc2\x9b2J\xff\r"}],\\\xef\xbb\xbf\x7f'
gcc -g -c -finstrument-functions "$SOURCES/125-safe-output.c" -o program.o || fail "cannot compile"
objcopy --redefine-sym "plain=$hostile" program.o || fail "cannot rename"
mkdir "dir $hostile"
gcc -pthread program.o -o "dir $hostile/program $hostile" || fail "cannot link"
cd "dir $hostile" || fail "no directory"
TRACE_HOOKS='io,proc' TRACE_FORMAT=tree,chrome TRACE_OUTPUT="out $hostile" \
    traced "./program $hostile" "argument $hostile" >got 2>err || fail "the program failed: $(cat err)"

cat >safe.py <<'P'
import json, re, sys
for path in sys.argv[1:]:
    with open(path, "rb") as file:
        text = file.read().decode("utf-8")
    steering = re.search("[\0-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]", text)
    if steering:
        sys.exit("%s holds %r: %r" % (path, steering.group(), text[max(0, steering.start() - 40):steering.end() + 40]))
    if path.endswith(".json"):
        json.loads(text)
P
# shown NAME COMMAND...: its two streams
shown() {
    local name=$1
    shift
    "$TRACESHIM" "$@" >"$name" 2>"$name.err"
    python3 safe.py "$name" "$name.err" || fail "traceshim $1: not safe to show"
}
out="out $hostile"
shown tree.txt tree --calls "$out"
shown merged.txt tree --merged "$out"
shown report.txt report "$out"
shown report.csv report --format=csv "$out"
shown report.json report --format=json "$out"
shown chrome.json export --format=chrome "$out"
shown info.txt info "$out"
shown dump.txt dump "$out"
python3 safe.py "$out/tree.txt" "$out/trace.json" || fail "what is rendered at exit is not safe to show"
expect_line tree.txt 'x1b\[31m' # the hostile names are there, made safe
expect_line tree.txt 'argument'
expect_line chrome.json 'u001b\[31m'

shown missing.txt tree "missing $hostile"
shown unknown.txt "$hostile"
shown option.txt tree "--$hostile" "$out"
shown value.txt report "--sort=$hostile" "$out"
shown hooks.txt hooks "--hooks=$hostile(x:y),a*" "./program $hostile"
shown run.txt run -- "./missing $hostile"
"$TRACESHIM" run --output="run $hostile" -- "./program $hostile" "$hostile" >run.out 2>run.err
python3 safe.py run.err err || fail "messages of a traced program: not safe to show"
expect_line missing.txt.err '^traceshim: cannot open missing '
TRACE_LEVEL="$hostile" TRACE_HOOKS="frob($hostile" TRACE_OUTPUT="/dev/null/$hostile" traced "./program $hostile" x >got 2>messages.err
python3 safe.py messages.err || fail "messages about options: not safe to show"
[ -s messages.err ] || fail "no message about the options"
