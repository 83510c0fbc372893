# Functions whose names are made to break formats: each format is read back and has all of them, with their calls; none
# holds a control character, markup or a field that begins as a formula. Terminals, paths and arguments: 125.
. "$SOURCES/lib.sh"
long=$(head -c 65536 /dev/zero | tr '\0' L)
names=(
    $'line\nbreak' $'tab\tand\rreturn' 'semi;colon' 'in the middle' ' around ' 'quote"s'\''s' 'back\slash\n' 'end\'
    '</script><script>alert(1)</script>' '<!--' ']]>' '&lt;' $'\e[31m\e]0;t\a' $'\xff\xfe' $'\xed\xa0\x80' $'\xe2\x80\xae'
    '=cmd|calc' '+1' '-1' '@sum' ',comma,' '{record|<port>}' '\l\r\N' '%s%n' '(7)' 'fn=(1) other' 'calls=1 1'
    'total:' '# comment' 'a:b' '12' 'null' '__proto__' 'constructor' "$long"
)
rename=()
{
    for i in "${!names[@]}"; do
        rename+=(--redefine-sym "hostile_$i=${names[$i]}")
        echo "__attribute__((noinline)) void hostile_$i(void) { __asm__ volatile(\"\"); }"
    done
    echo 'int main(void) { for (int i = 0; i < 3; i++) {'
    printf 'hostile_%s();\n' "${!names[@]}"
    echo '} return 0; }'
} >program.c
gcc -O1 -c -finstrument-functions program.c -o plain.o || fail "cannot compile"
# Local: in a global name an @ begins a version.
objcopy --keep-global-symbol=main plain.o local.o && objcopy "${rename[@]}" local.o program.o || fail "cannot rename"
gcc program.o -o program || fail "cannot link"
TRACE_FORMAT=tree,chrome,perfetto,speedscope,folded,callgrind,dot,csv,jsonl,otlp,html TRACE_OUTPUT=out \
    TRACE_RENDER_TIMEOUT=0 traced ./program >got 2>err || fail "the program: $(cat err)"
"$TRACESHIM" report --format=json out >report.json || fail "report failed"
python3 "$SOURCES/../check_chrome_json.py" out/trace.json >check.out 2>&1 || fail "$(tail -n 1 check.out | tail -c 300)"
grep -v LLLL report.json | python3 -c 'import re, sys; print(re.sub(r",\s*]", "]", sys.stdin.read()))' >short.json # the page cuts names
python3 "$SOURCES/../check_html.py" out/trace.html short.json >check.out 2>&1 || fail "$(tail -n 1 check.out | tail -c 300)"
PYTHONPATH="$SOURCES/.." python3 - ${#names[@]} <<'P' || fail "a format is broken"
import collections
import csv
import json
import re
import sys

import read_formats as formats

hostile = int(sys.argv[1])
wanted = [1] + [3] * hostile


def expect(what, calls):
    got = sorted(calls.values() if hasattr(calls, "values") else calls)
    assert got == wanted, "%s: %s" % (what, re.sub("L{99,}", "L", str(calls)))


def count(spans):
    return collections.Counter(span.name for span in spans)


report = {row["name"]: row["calls"] for row in json.load(open("report.json", encoding="utf-8"))}
expect("report", report)
chrome = count(formats.read_chrome("out/trace.json")[0])
expect("chrome", chrome)
for name in ("line\nbreak", "semi;colon", 'quote"s\'s', "back\\slash\\n", "</script><script>alert(1)</script>", "=cmd|calc",
             "__proto__", "\x1b[31m\x1b]0;t\x07"):
    assert name in chrome, name[:50]
longest = max(chrome, key=len)
assert longest.startswith("L" * 1000) and len(longest) <= 65536, len(longest)
expect("perfetto", count(formats.read_perfetto("out/trace.pftrace")[0]))
expect("speedscope", count(formats.read_speedscope("out/trace.speedscope.json")))
expect("jsonl", count(formats.read_jsonl("out/spans.jsonl")))
expect("otlp", count(formats.read_otlp("out/trace.otlp.jsonl")))
expect("csv", [entry.calls for entry in formats.read_csv("out/report.csv").values()])
expect("callgrind", formats.read_callgrind("out/callgrind.out")[0])
expect("dot", formats.read_dot("out/calls.dot"))
assert len(formats.read_folded("out/stacks.folded")) == hostile + 1, formats.read_folded("out/stacks.folded")
tree = open("out/tree.txt", encoding="utf-8", newline="").read()
assert len(re.findall(r"^[ │├└]+── ", tree, re.M)) == 3 * hostile + 1, "tree"

steering = re.compile("[\0-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
for path in "tree.txt trace.json trace.speedscope.json stacks.folded callgrind.out calls.dot report.csv spans.jsonl trace.otlp.jsonl trace.html".split():
    text = open("out/" + path, encoding="utf-8", newline="").read()
    found = steering.search(text)
    assert not found or (path == "trace.html" and found[0] == "\t"), "%s holds %r" % (path, found[0])
page = open("out/trace.html", encoding="utf-8").read()
assert "<script>alert" not in page and page.count("</script>") == page.count("<script"), "markup"
for row in csv.reader(open("out/report.csv", encoding="utf-8", newline="")):
    assert all(field.isdigit() or field[:1] not in "=+-@" for field in row), "a spreadsheet calculates %r" % row
P
if command -v dot >/dev/null; then
    dot -Tplain out/calls.dot >plain.txt 2>dot.err && [ ! -s dot.err ] || fail "dot: $(head -c 300 dot.err)"
fi
if command -v callgrind_annotate >/dev/null; then
    callgrind_annotate --threshold=100 out/callgrind.out >annotated 2>&1 || fail "callgrind_annotate: $(tail -n 1 annotated)"
fi
