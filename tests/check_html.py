#!/usr/bin/env python3
"""check_html.py PAGE REPORT.json: a page of `export --format=html` holds what `report --format=json` of the same trace
says, fetches nothing, and no text of the traced program is markup. Prints `N functions, N paths, N spans`.

Cannot find what a browser makes of the page: 256-html-browser.sh does.
"""
import json
import re
import sys

PATH_NUMBERS = 8
SPAN_NUMBERS = 5
MOMENT = 16


def fail(message):
    sys.exit("check_html: " + message)


def data_of(page):
    found = re.findall(r'<script type="application/json" id="data">\n(.*?)\n</script>', page, re.S)
    if len(found) != 1:
        fail("%d data elements" % len(found))
    if "<" in found[0]:
        fail("markup in the data: %r" % found[0][found[0].index("<") - 40:][:100])
    return json.loads(found[0])


def check_fetches_nothing(page):
    if "default-src 'none'" not in page:
        fail("no policy that forbids the network")
    markup = re.sub(r"<script.*?</script>", "", page, flags=re.S)
    for pattern in (r"\bsrc\s*=", r"\bhref\s*=", r"@import", r"url\("):
        if re.search(pattern, markup):
            fail("the page may fetch something: " + pattern)


def check_functions(data, report):
    wanted = {(row["name"], row["scope"]): row for row in report}
    shown = {(name, scope): rest for name, scope, *rest in data["functions"]}
    if data["pathsLeftOut"] == 0 and set(wanted) - set(shown):
        fail("functions that are not in the page: %r" % sorted(set(wanted) - set(shown))[:5])
    for key, (calls, total, self_time, _, minimum, maximum, errors) in shown.items():
        row = wanted.get(key)
        if row is None:
            continue  # an event's, which the report does not count
        got = {"calls": calls, "total_ns": total, "self_ns": self_time, "min_ns": minimum, "max_ns": maximum,
               "errors": errors}
        for name, value in got.items():
            if row[name] != value:
                fail("%s of %s: %d in the page, %d in the report" % (name, key[0], value, row[name]))


def check_paths(thread, counts):
    numbers = thread["paths"]
    rows = [numbers[i:i + PATH_NUMBERS] for i in range(0, len(numbers), PATH_NUMBERS)]
    above = []
    for depth, function, calls, total, self_time, minimum, maximum, _ in rows:
        if depth > len(above):
            fail("a path at depth %d below one at %d" % (depth, len(above) - 1))
        del above[depth:]
        if above and total > above[-1]:
            fail("a path of %d ns below one of %d" % (total, above[-1]))
        if self_time > total or (calls and not minimum <= maximum <= total):
            fail("a path's times: self %d, total %d, %d to %d" % (self_time, total, minimum, maximum))
        above.append(total)
        counts[function] = counts.get(function, 0) + calls
    return len(rows)


def check_spans(thread):
    numbers = thread["spans"]
    spans = [numbers[i:i + SPAN_NUMBERS] for i in range(0, len(numbers), SPAN_NUMBERS)]
    above = []
    for depth, _, start, duration, flags in spans:
        if flags & MOMENT:
            continue
        if depth > len(above):
            fail("a span at depth %d below one at %d" % (depth, len(above) - 1))
        del above[depth:]
        if above and not above[-1][0] <= start <= start + duration <= above[-1][1]:
            fail("a span outside of the one around it")
        above.append((start, start + duration))
    for number in thread["arguments"]:
        if int(number) >= len(spans):
            fail("arguments of span %s of %d" % (number, len(spans)))
    return len(spans)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        page = file.read()
    with open(sys.argv[2], encoding="utf-8") as file:
        report = json.load(file)
    data = data_of(page)
    check_fetches_nothing(page)
    check_functions(data, report)
    counts = {}
    paths = sum(check_paths(thread, counts) for thread in data["threads"])
    spans = sum(check_spans(thread) for thread in data["threads"])
    if data["pathsLeftOut"] == 0:
        for function, calls in counts.items():
            if data["functions"][function][2] != calls:
                fail("%s: %d calls on its paths" % (data["functions"][function][0], calls))
    if paths != data["paths"] or spans > 17000:
        fail("%d paths, %d spans" % (paths, spans))
    if data["spansLeftOut"] == 0 and spans < data["calls"]:
        fail("%d spans of %d calls" % (spans, data["calls"]))
    print("%d functions, %d paths, %d spans" % (len(data["functions"]), paths, spans))


if __name__ == "__main__":
    main()
