# The HTML page in a browser: its script runs, shows the functions of the report, and a hostile name runs nothing.
# Cannot find what looks wrong.
. "$SOURCES/lib.sh"
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || skip "no chromium"
gcc -g -c -finstrument-functions "$SOURCES/255-html.c" -o program.o || fail "cannot compile"
objcopy --redefine-sym 'plain=</script><script>document.title="harmed"</script><img src=x onerror="document.title=1">' \
    program.o
gcc program.o -o program || fail "cannot link"
TRACE_OUTPUT=out TRACE_FORMAT=none TRACE_HOOKS=io traced ./program 3 || fail "the program failed"
"$TRACESHIM" export --format=html -o page.html out || fail "no page"

# seen VIEW: the document after its script has run
seen() {
    timeout 60 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$PWD/profile" \
        --virtual-time-budget=5000 --dump-dom "file://$PWD/page.html#view=$1" 2>browser.err
}

seen functions >functions.html || skip "chromium does not run here: $(tail -n 1 browser.err)"
expect_line functions.html '<title>program · traceshim</title>'
expect "rows of the table" 4 "$(grep -o '<tr>' functions.html | tail -n +2 | wc -l)"
expect_line functions.html '<td class="">4</td>.*<td class="name"><button title="Show in the flame graph">&lt;/script&gt;'
expect_line functions.html '<td class="error">1</td><td class="name"><button title="Show in the flame graph">access<'
seen facts >facts.html || fail "the browser failed: $(tail -n 1 browser.err)"
expect_line facts.html '<dt>complete</dt><dd>true</dd>'
seen time >time.html || fail "the browser failed: $(tail -n 1 browser.err)"
expect_line time.html '<canvas[^>]* width="[1-9]' # drawn
expect_line time.html '<title>program · traceshim</title>'
