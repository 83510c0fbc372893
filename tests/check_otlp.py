#!/usr/bin/env python3
"""tests/check_otlp.py FILE...: checks OTLP JSON lines by the rules of OpenTelemetry's protocol (its
JSON encoding, its file exporter), and that the spans of a file make sense together.

What a receiver would silently take otherwise is an error here: keys that no message has, numbers where decimal strings
belong, ids of another length, zero or in capitals, a span id twice, a parent that is no span, a child outside of the
time of its parent on the same stack. It cannot find what a backend makes of it.
"""
import collections
import json
import re
import sys

Span = collections.namedtuple("Span", "name scope pid stream start end id parent flags error message attributes events dropped")
Event = collections.namedtuple("Event", "name ns attributes")
Trace = collections.namedtuple("Trace", "spans facts lines trace resources")

KEYS = {
    "line": ({"resourceSpans"}, set()),
    "resourceSpans": ({"resource", "scopeSpans"}, {"schemaUrl"}),
    "resource": ({"attributes"}, {"droppedAttributesCount"}),
    "scopeSpans": ({"scope", "spans"}, {"schemaUrl"}),
    "scope": ({"name"}, {"version", "attributes"}),
    "span": ({"traceId", "spanId", "flags", "name", "kind", "startTimeUnixNano", "endTimeUnixNano", "attributes", "status"},
             {"parentSpanId", "events", "droppedEventsCount", "links"}),
    "event": ({"timeUnixNano", "name", "attributes"}, {"droppedAttributesCount"}),
    "status": (set(), {"code", "message"}),
    "attribute": ({"key", "value"}, set()),
}
LINE_BYTES = 64 << 20
LINE_SPANS = 1024
EVENTS_MOST = 128
# A clock is read for each process on its own.
BETWEEN_PROCESSES_NS = 5_000_000


class Fault(Exception):
    pass


def need(condition, *what):
    if not condition:
        raise Fault(": ".join(str(part) for part in what))


def unique(pairs):
    keys = [key for key, _ in pairs]
    need(len(keys) == len(set(keys)), "a key twice", keys)
    return dict(pairs)


def no_constant(text):
    raise Fault("no JSON: " + text)


def check_keys(kind, message):
    needed, allowed = KEYS[kind]
    need(isinstance(message, dict), "no object", kind, message)
    need(needed <= set(message), "missing", kind, needed - set(message))
    need(set(message) <= needed | allowed, "unknown", kind, set(message) - needed - allowed)


def whole(text, low, high):
    need(isinstance(text, str) and re.fullmatch(r"0|-?[1-9][0-9]*", text), "no decimal string", repr(text))
    need(low <= int(text) < high, "out of range", text)
    return int(text)


def text_of(text):
    need(isinstance(text, str) and not re.search("[\ud800-\udfff]", text), "no text", repr(text)[:80])
    return text


def value_of(value, inside=False):
    need(isinstance(value, dict) and len(value) == 1, "no value", value)
    (kind, content), = value.items()
    if kind == "stringValue":
        return text_of(content)
    if kind == "boolValue":
        need(isinstance(content, bool), "no truth", content)
        return content
    if kind == "intValue":
        return whole(content, -1 << 63, 1 << 63)
    if kind == "doubleValue":
        need(isinstance(content, (int, float)) or content in ("NaN", "Infinity", "-Infinity"), "no double", content)
        return float(content)
    need(kind == "arrayValue" and not inside and set(content) == {"values"}, "unknown value", value)
    return [value_of(item, True) for item in content["values"]]


def attributes_of(items):
    attributes = {}
    for item in items:
        check_keys("attribute", item)
        need(text_of(item["key"]) and item["key"] not in attributes, "an attribute twice, or without a name", item["key"])
        attributes[item["key"]] = value_of(item["value"])
    return attributes


def hexadecimal(text, digits):
    need(isinstance(text, str) and re.fullmatch("[0-9a-f]{%d}" % digits, text), "no id", text)
    need(text.strip("0"), "an id of zeros")
    return text


def event_of(event, start, end):
    check_keys("event", event)
    ns = whole(event["timeUnixNano"], 0, 1 << 64)
    need(start <= ns <= end, "an event outside of its span", event["name"])
    attributes = attributes_of(event["attributes"])
    if event["name"] == "exception":
        need("exception.type" in attributes or "exception.message" in attributes or attributes["moment"],
             "an exception of which nothing is said")
    return Event(text_of(event["name"]), ns, attributes)


def span_of(span, scope, resource, trace):
    check_keys("span", span)
    need(hexadecimal(span["traceId"], 32) == trace, "another trace", span["traceId"])
    start, end = (whole(span[key], 0, 1 << 64) for key in ("startTimeUnixNano", "endTimeUnixNano"))
    attributes = attributes_of(span["attributes"])
    need(start < end or (start == end and attributes.get("moment") is True), "ends before it begins", span["name"])
    need(text_of(span["name"]), "no name")
    need(span["kind"] == 1 and isinstance(span["kind"], int), "kind", span["kind"])
    need(span["flags"] in (257, 769) and isinstance(span["flags"], int), "flags", span["flags"])
    status = span["status"]
    check_keys("status", status)
    need(not status or (status.get("code") == 2 and text_of(status["message"])), "status", status)
    events = [event_of(event, start, end) for event in span.get("events", [])]
    dropped = span.get("droppedEventsCount", 0)
    need(isinstance(dropped, int) and len(events) <= EVENTS_MOST, "events", len(events), dropped)
    need(not dropped or len(events) == EVENTS_MOST, "events were dropped that had room")
    need([event.ns for event in events] == sorted(event.ns for event in events), "events out of order")
    need(isinstance(attributes["thread.id"], int) and attributes["thread.name"], "no thread")
    need(bool(status) == ("error" in attributes) or "moment" in attributes, "status and attributes differ", attributes)
    pid = resource["process.pid"]
    return Span(span["name"], scope, pid, (pid, attributes["thread.id"], attributes.get("track", 0)), start, end,
                hexadecimal(span["spanId"], 16), hexadecimal(span["parentSpanId"], 16) if "parentSpanId" in span else None,
                span["flags"], bool(status), status.get("message"), attributes, events, dropped)


def read(path):
    """Every line alone; the last one, without spans, has the facts."""
    spans, facts, lines, trace, resources = [], None, 0, None, []
    with open(path, "rb") as file:
        for raw in file:
            need(raw.endswith(b"\n") and len(raw) <= LINE_BYTES, "a line is cut, or longer than a request")
            need(facts is None, "a line behind the facts")
            line = json.loads(raw.decode("utf-8"), object_pairs_hook=unique, parse_constant=no_constant)
            lines += 1
            check_keys("line", line)
            count = 0
            for group in line["resourceSpans"]:
                check_keys("resourceSpans", group)
                check_keys("resource", group["resource"])
                resource = attributes_of(group["resource"]["attributes"])
                need(text_of(resource["service.name"]) and isinstance(resource["process.pid"], int), "resource", resource)
                resources.append(resource)
                scopes = [part["scope"]["name"] for part in group["scopeSpans"]]
                need(len(scopes) == len(set(scopes)), "a scope twice in a line", scopes)
                for part in group["scopeSpans"]:
                    check_keys("scopeSpans", part)
                    check_keys("scope", part["scope"])
                    if not part["spans"]:
                        need(part["scope"]["name"] == "traceshim" and part["scope"]["version"], "no spans", part["scope"])
                        facts = attributes_of(part["scope"]["attributes"])
                    for span in part["spans"]:
                        trace = trace or span["traceId"]
                        spans.append(span_of(span, text_of(part["scope"]["name"]), resource, trace))
                        count += 1
            need(count <= LINE_SPANS, "too many spans in a line", count)
    return Trace(spans, facts, lines, trace, resources)


def check_parents(spans, remote):
    known = {span.id: span for span in spans}
    need(len(known) == len(spans), "a span id twice")
    for span in spans:
        parent = known.get(span.parent)
        if span.parent is None or span.parent == remote:
            need(span.flags == (769 if span.parent else 257), "flags of a root", span.flags)
            continue
        need(parent, "a parent that is no span", span.name, span.parent)
        need(span.flags == (257 if parent.pid == span.pid else 769) or parent.pid == span.pid, "flags", span)
        if parent.stream == span.stream and span.flags == 257:
            need(parent.start <= span.start and span.end <= parent.end, "a child outside of its parent", span, parent)
        else:
            need(span.start >= parent.start - BETWEEN_PROCESSES_NS, "a child before its parent", span, parent)


def check_cycles(spans):
    parents = {span.id: span.parent for span in spans}
    done = set()
    for span in parents:
        way = []
        while span in parents and span not in done:
            need(span not in way[-1:] and len(way) <= len(parents), "a span is its own ancestor", span)
            way.append(span)
            span = parents[span]
        done.update(way)


def check_file(path, remote=None):
    """`remote`: the span that TRACEPARENT named."""
    trace = read(path)
    check_parents(trace.spans, remote)
    check_cycles(trace.spans)
    if trace.lines:
        need(trace.facts is not None, "no facts at the end")
        calls = [span for span in trace.spans if not span.attributes.get("moment") is True]
        need(trace.facts["calls"] + trace.facts["inherited_calls"] == len(calls), "other counts than are stated",
             trace.facts, len(calls))
        need(trace.facts["inherited_calls"] == sum("inherited" in span.attributes for span in calls), "inherited")
    return trace


def main():
    for path in sys.argv[1:]:
        try:
            trace = check_file(path)
        except (Fault, ValueError, KeyError, TypeError) as fault:
            print("%s: %s: %s" % (path, type(fault).__name__, str(fault)[:600]))
            return 1
        roots = sum(span.parent is None for span in trace.spans)
        print("%s: %d spans, %d of them roots, %d lines" % (path, len(trace.spans), roots, trace.lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
