# The HTML page has the source with counts where lines were counted: those of `traceshim lines`, the most executed file
# first, text of the source is never markup, what is not there is left empty; without counts there is no such view. What
# a browser makes of it, where there is one.
. "$SOURCES/lib.sh"
cat >app.c <<'P'
#include "part.h"
int main(void) {
    int sum = 0;
    for (int i = 0; i < 100; i++)
        sum += part(i);
    if (sum < 0)
        return 2; /* </script><script>document.title="harmed"</script> <b>	tab */
    return sum != 2550;
}
P
cat >part.h <<'P'
static int part(int n) {
    return n % 2 ? n : 1;
}
P
gcc -g -O0 -fsanitize-coverage=trace-pc app.c -o app -L"$(dirname "$SHIM")" -ltraceshim || fail "cannot build"
export LD_LIBRARY_PATH=${SHIM%/*}
TRACE_LEVEL=2 TRACE_OUTPUT=out TRACE_FORMAT=none ./app || fail "status"
"$TRACESHIM" lines --format=json -o lines.json out || fail "lines"
"$TRACESHIM" report --format=json out >report.json || fail "report"
"$TRACESHIM" export --format=html -o page.html out || fail "html"
python3 "$SOURCES/../check_html.py" page.html report.json >html.out || fail "$(cat html.out)"
cat >compare.py <<'P'
import json, re, sys
page = json.loads(re.search(r'id="data">\n(.*?)\n</script>', open(sys.argv[1]).read(), re.S)[1])
wanted = {f["file"]: [(l["line"], l["count"], l["calls"], l["calls_ns"]) for l in f["lines"]]
          for f in json.load(open("lines.json"))["files"]}
got = {f["path"]: [tuple(f["rows"][i:i + 4]) for i in range(0, len(f["rows"]), 4)] for f in page["lines"]}
assert got == wanted and page["lineFilesLeftOut"] == 0, (got, wanted)
sources = [f["source"] for f in page["lines"]]
if len(sys.argv) > 2:
    assert sources == [[], []], sources
else:
    assert [f["path"].rpartition("/")[2] for f in page["lines"]] == ["app.c", "part.h"]
    assert sources == [[line.rstrip("\n") for line in open(f["path"])] for f in page["lines"]], sources
P
python3 compare.py page.html || fail "the page has other lines"
mkdir away && mv app.c part.h away
"$TRACESHIM" export --format=html -o gone.html out || fail "html without the source"
python3 compare.py gone.html gone || fail "the page without the source"
mv away/* .

TRACE_LEVEL=1 TRACE_OUTPUT=one TRACE_FORMAT=none ./app || fail "status"
"$TRACESHIM" export --format=html -o one.html one || fail "html of level 1"
grep -q '^"lines":\[\],"lineFilesLeftOut":0' one.html || fail "lines at level 1"

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || exit 0
timeout 60 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$PWD/profile" \
    --virtual-time-budget=5000 --dump-dom "file://$PWD/page.html#view=lines" >dom 2>browser.err ||
    exit 0 # it does not run here
expect_line dom '<title>app · traceshim</title>'
expect_line dom '<tr class="executed"><td>100</td><td title=""></td><td class="dim">5</td><td class="source">        sum \+= part\(i\);'
expect_line dom '<tr class="never"><td>0</td><td title=""></td><td class="dim">7</td><td class="source">        return 2; /\* &lt;/script&gt;'
