"""Reads every output format back into spans or sums, for tests that compare them. Strict: what a reader would guess at is
an error here.

A span is (stream, name, scope, start_ns, end_ns, error, inherited); sums are by function.
"""

import collections
import csv
import json
import re

import check_otlp
import check_perfetto

Span = collections.namedtuple("Span", "stream name scope start end error inherited")


class Sums:
    """What `report` says of a function."""

    def __init__(self):
        self.calls = self.total = self.self = self.errors = 0


def nanoseconds(number):
    whole, _, fraction = number.partition(".")
    return int(whole) * 1000 + int(fraction)


def read_chrome(path):
    with open(path, encoding="utf-8") as file:
        document = json.load(file, parse_float=nanoseconds)
    spans = [
        Span((event["pid"], event["tid"]), event["name"], event["cat"], event["ts"], event["ts"] + event["dur"],
             "error" in event.get("args", {}), "inherited" in event.get("args", {}))
        for event in document["traceEvents"] if event["ph"] == "X"
    ]
    return spans, document["otherData"]


def read_perfetto(path):
    trace = check_perfetto.check_file(path, keep=True)
    spans = [Span(call.track, call.name, call.category, call.start, call.end, "error" in call.arguments,
                  "inherited" in call.arguments) for call in trace.kept]
    return spans, dict(trace.instants)["traceshim"]


def read_jsonl(path):
    spans, ids, keys = [], {}, None
    with open(path, encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            assert keys in (None, list(row)), "the keys change"
            keys = list(row)
            assert row["span_id"] not in ids, "a span id comes twice"
            ids[row["span_id"]] = row["parent_id"]
            assert all(isinstance(value, str) for value in row["attributes"].values()), row
            if row["kind"] != "moment":
                spans.append(Span((row["pid"], row["tid"], row["track"]), row["name"], row["scope"], row["start_ns"],
                                  row["start_ns"] + row["dur_ns"], row["status"] == "ERROR", row["kind"] == "inherited"))
    missing = [parent for parent in ids.values() if parent and parent not in ids]
    assert not missing, "a parent that is no span: %s" % missing[:3]
    return spans


def read_otlp(path):
    """On CLOCK_REALTIME."""
    return [Span(span.stream, span.name, span.scope, span.start, span.end, span.error, "inherited" in span.attributes)
            for span in check_otlp.check_file(path).spans if span.attributes.get("moment") is not True]


def check_speedscope(document):
    """The file format's schema, and what its importer throws at."""
    assert document["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    frames = document["shared"]["frames"]
    for frame in frames:
        assert frame["name"] and isinstance(frame["name"], str) and set(frame) <= {"name", "file", "line", "col"}
    for profile in document["profiles"]:
        assert profile["name"] and profile["unit"] == "nanoseconds"
        if profile["type"] == "sampled":
            assert len(profile["samples"]) == len(profile["weights"])
            assert all(0 <= frame < len(frames) for sample in profile["samples"] for frame in sample)
            continue
        assert profile["type"] == "evented" and set(profile) == {"type", "name", "unit", "startValue", "endValue", "events"}
        last, stack = profile["startValue"], []
        for event in profile["events"]:
            assert set(event) == {"type", "frame", "at"} and event["at"] >= last and 0 <= event["frame"] < len(frames)
            last = event["at"]
            if event["type"] == "O":
                stack.append(event["frame"])
            else:
                assert event["type"] == "C" and stack.pop() == event["frame"], "a frame is closed that is not innermost"
        assert not stack and last <= profile["endValue"], profile["name"]


def read_speedscope(path):
    """Without scopes, errors and what is inherited: the format has no place for them."""
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    check_speedscope(document)
    spans = []
    for number, profile in enumerate(document["profiles"]):
        stack = []
        for event in profile["events"]:
            if event["type"] == "O":
                stack.append(event["at"])
            else:
                name = document["shared"]["frames"][event["frame"]]["name"]
                spans.append(Span(number, name, "", stack.pop(), event["at"], False, False))
    return spans


def sums_of_spans(spans):
    """As `report` counts: of nested calls of one function only the outermost has a total."""
    sums = collections.defaultdict(Sums)
    streams = collections.defaultdict(list)
    for span in spans:
        streams[span.stream].append(span)
    for calls in streams.values():
        stack = []
        for span in sorted(calls, key=lambda span: (span.start, -span.end)):
            while stack and stack[-1].end <= span.start:
                stack.pop()
            key = span.name, span.scope
            entry = sums[key]
            entry.calls += not span.inherited
            entry.errors += span.error
            entry.self += span.end - span.start
            if stack:
                sums[stack[-1].name, stack[-1].scope].self -= span.end - span.start
            if not any((outer.name, outer.scope) == key for outer in stack):
                entry.total += span.end - span.start
            stack.append(span)
    return sums


def read_csv(path):
    sums = {}
    with open(path, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            entry = sums[row["name"], row["scope"]] = Sums()
            entry.calls, entry.total = int(row["calls"]), int(row["total_ns"])
            entry.self, entry.errors = int(row["self_ns"]), int(row["errors"])
    return sums


def read_folded(path):
    """Self times by name."""
    sums = collections.Counter()
    with open(path, encoding="utf-8") as file:
        for line in file:
            found = re.fullmatch(r"([^;]+(?:;[^;]+)+) ([1-9][0-9]*)\n", line)
            assert found, line
            sums[found[1].split(";")[-1]] += int(found[2])
    return sums


def read_callgrind(path):
    """Calls, self times by name, and the sum that the file states."""
    calls, times, names, current, summary = collections.Counter(), collections.Counter(), {}, None, None
    with open(path, encoding="utf-8") as file:
        lines = iter(file.read().split("\n"))

    def name(text):
        number, _, rest = text.partition(" ")
        assert rest or number in names, "a number without a name: " + text
        if rest:
            names[number] = rest
        return names[number]

    for line in lines:
        if line.startswith("fn="):
            current = name(line[3:])
        elif line.startswith("cfn="):
            callee = name(line[4:])
            count = next(lines)
            assert count.startswith("calls="), count
            calls[callee] += int(count[6:].split()[0])
            assert re.fullmatch(r"\d+ \d+", next(lines))
        elif line.startswith("summary: "):
            summary = int(line[9:])
        elif re.fullmatch(r"\d+ \d+", line):
            times[current] += int(line.split()[1])
    return calls, times, summary


def read_dot(path):
    """Calls by name."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    return {found[1]: int(found[2])
            for found in re.finditer(r'label="([^"]*?)\\n\{[^"]*?\\n(\d+) calls', text) if "digraph" not in found[1]}
