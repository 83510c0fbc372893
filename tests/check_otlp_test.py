#!/usr/bin/env python3
"""Tests of check_otlp.py: a sound file passes, and each rule has a file that breaks only it."""

import copy
import json
import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import check_otlp  # noqa: E402

TRACE = "0af7651916cd43dd8448eb211c80319c"


def text(key, value):
    return {"key": key, "value": {"stringValue": value}}


def number(key, value):
    return {"key": key, "value": {"intValue": str(value)}}


def span(identity, parent, start, end, **more):
    made = {"traceId": TRACE, "spanId": identity, "flags": 257, "name": "f", "kind": 1, "startTimeUnixNano": str(start),
            "endTimeUnixNano": str(end), "attributes": [number("thread.id", 7), text("thread.name", "t")], "status": {}}
    if parent:
        made["parentSpanId"] = parent
    made.update(more)
    return made


def line(scope, spans):
    resource = {"attributes": [text("service.name", "app"), number("process.pid", 7)]}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [{"scope": scope, "spans": spans}]}]}


def sound():
    event = {"timeUnixNano": "150", "name": "exception", "attributes": [text("exception.type", "E")]}
    failed = span("00000000000000b2", "00000000000000a1", 120, 180, events=[event], status={"code": 2, "message": "E"})
    failed["attributes"].append(text("error", "E"))
    facts = {"name": "traceshim", "version": "1", "attributes": [number("calls", 2), number("inherited_calls", 0)]}
    return [line({"name": "app"}, [failed, span("00000000000000a1", None, 100, 200)]), line(facts, [])]


def child(lines):
    return lines[0]["resourceSpans"][0]["scopeSpans"][0]["spans"][0]


def parent(lines):
    return lines[0]["resourceSpans"][0]["scopeSpans"][0]["spans"][1]


def put(part, **members):
    return lambda lines: part(lines).update(members)


def add(part, attribute):
    return lambda lines: part(lines)["attributes"].append(attribute)


FAULTY = {
    "id in capitals": (put(child, spanId="00000000000000B2"), "no id"),
    "id of another length": (put(child, spanId="0000b2"), "no id"),
    "id of zeros": (put(child, spanId="0" * 16), "zeros"),
    "id twice": (put(child, spanId="00000000000000a1"), "twice"),
    "another trace": (put(child, traceId="f" * 32), "another trace"),
    "parent that is no span": (put(child, parentSpanId="00000000000000c3"), "no span"),
    "own ancestor": (put(parent, parentSpanId="00000000000000b2", startTimeUnixNano="120", endTimeUnixNano="180"), "ancestor"),
    "child that ends later": (put(child, endTimeUnixNano="201"), "outside of its parent"),
    "child that begins before": (put(child, startTimeUnixNano="99"), "outside of its parent"),
    "time as a number": (put(child, endTimeUnixNano=180), "decimal string"),
    "time with a zero before": (put(child, endTimeUnixNano="0180"), "decimal string"),
    "ends before it begins": (put(child, endTimeUnixNano="120"), "ends before"),
    "no status": (lambda lines: child(lines).pop("status"), "missing"),
    "status OK": (put(parent, status={"code": 1, "message": ""}), "status"),
    "status without a reason": (put(parent, status={"code": 2}), "message"),
    "error without status": (put(child, status={}), "differ"),
    "kind by name": (put(child, kind="SPAN_KIND_INTERNAL"), "kind"),
    "no flags": (put(parent, flags=0), "flags"),
    "root with a remote parent": (put(parent, flags=769), "flags of a root"),
    "unknown key": (put(child, trace_id=TRACE), "unknown"),
    "no name": (put(child, name=""), "no name"),
    "attribute twice": (add(child, number("thread.id", 7)), "an attribute twice"),
    "integer as a number": (add(child, {"key": "n", "value": {"intValue": 7}}), "decimal string"),
    "integer of 65 bits": (add(child, number("n", 1 << 63)), "out of range"),
    "two values": (add(child, {"key": "n", "value": {"intValue": "7", "boolValue": True}}), "no value"),
    "null": (add(child, {"key": "n", "value": None}), "no value"),
    "half a character": (add(child, text("n", "\ud83d")), "no text"),
    "event before its span": (lambda lines: child(lines)["events"][0].update(timeUnixNano="119"), "outside of its span"),
    "event of nothing": (lambda lines: child(lines)["events"][0].update(attributes=[]), "moment"),
    "events dropped too early": (put(child, droppedEventsCount=1), "had room"),
    "no facts": (lambda lines: lines.pop(), "no facts"),
    "other counts": (lambda lines: lines[0]["resourceSpans"][0]["scopeSpans"][0]["spans"].pop(0), "other counts"),
    "line behind the facts": (lambda lines: lines.append(lines[0]), "behind the facts"),
    "no process": (lambda lines: lines[0]["resourceSpans"][0]["resource"]["attributes"].pop(), "process.pid"),
}


def fault_of(data):
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        try:
            check_otlp.check_file(file.name)
        except (check_otlp.Fault, ValueError, KeyError) as fault:
            return str(fault)
    return "sound"


def written(lines):
    return "".join(json.dumps(part) + "\n" for part in lines).encode()


class CheckOtlp(unittest.TestCase):
    def test_a_sound_file_passes(self):
        self.assertEqual("sound", fault_of(written(sound())))
        self.assertEqual("sound", fault_of(b""))

    def test_every_fault_is_found(self):
        for name, (break_it, expected) in FAULTY.items():
            with self.subTest(name):
                lines = copy.deepcopy(sound())
                break_it(lines)
                self.assertIn(expected, fault_of(written(lines)))

    def test_what_is_no_json_is_found(self):
        data = written(sound())
        for bad, expected in ((data[:-1], "cut"), (data.replace(b'"f"', b'"\xff"'), "utf-8"),
                              (data.replace(b'"code": 2', b'"code": 2, "code": 2'), "twice"),
                              (data.replace(b'"kind": 1', b'"kind": NaN'), "NaN")):
            self.assertIn(expected, fault_of(bad))


if __name__ == "__main__":
    unittest.main()
