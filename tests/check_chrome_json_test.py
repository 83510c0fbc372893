#!/usr/bin/env python3
"""Tests of check_chrome_json.py: a sound document passes, and each rule has a document that breaks only it."""

import os
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from check_chrome_json import check_bytes  # noqa: E402

NAMES = (
    '{"ph":"M","name":"process_name","pid":1,"tid":1,"args":{"name":"app"}},'
    '{"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"main"}}'
)


def call(start, duration, more="", name="f", pid=1, tid=1):
    return f'{{"name":"{name}","ph":"X","pid":{pid},"tid":{tid},"ts":{start},"dur":{duration}{more}}}'


def document(*events):
    return '{"traceEvents":[' + ",\n".join((NAMES,) + events) + "]}"


def microseconds(ns):
    return f"{ns // 1000}.{ns % 1000:03}"


def nest(depth):
    """`depth` calls, one in another."""
    width = 2 * depth + 2
    return [call(microseconds(i), microseconds(width - 2 * i)) for i in range(depth)]


SOUND = {
    "empty": '{"traceEvents":[]}\n',
    "spaces": ' {\n"traceEvents" : [ ] , "metadata" : {} }',
    "calls": document(call("0.002", "0.001"), call("0.001", "0.003"), call("1.000", "2.000")),
    "escaped backslash before u": document(call("0.001", "1.000", name="a\\\\ud83d")),
    "raw character beyond U+FFFF": document(call("0.001", "1.000", name="\U0001f600")),
    "deepest": document(*nest(512)),
    "unfinished": document(call("0.001", "1.000", ',"args":{"unfinished":true}')),
    "flow by binding": document(
        call("0.001", "1.000", ',"bind_id":"0x1","flow_out":true'),
        call("2.000", "1.000", ',"bind_id":"0x1","flow_in":true'),
    ),
    "flow by events": document(
        call("0.001", "1.000"),
        '{"ph":"s","name":"wake","id":7,"pid":1,"tid":1,"ts":0.500}',
        '{"ph":"f","bp":"e","name":"wake","id":7,"pid":1,"tid":1,"ts":0.600}',
    ),
    "async": document(
        '{"ph":"b","name":"file","cat":"h","id":"0x1","pid":1,"tid":1,"ts":0.500}',
        '{"ph":"e","name":"file","cat":"h","id":"0x1","pid":1,"tid":1,"ts":0.600}',
    ),
    "counter": document('{"ph":"C","name":"rss","pid":1,"ts":0.500,"args":{"bytes":5}}'),
    "instant": document('{"ph":"i","name":"log","pid":1,"tid":1,"ts":0.500,"s":"t"}'),
}

FAULTY = {
    "byte order mark": ("\ufeff" + document(), "byte order mark"),
    "array form": ("[]", "does not begin"),
    "cut": (document()[:-2], "the end"),
    "two documents": (document() * 2, "follows"),
    "no traceEvents": ('{"metadata":{}}', "no traceEvents"),
    "samples": ('{"traceEvents":[],"samples":{}}', "top-level samples"),
    "comma at the end": ('{"traceEvents":[' + NAMES + ",]}", "event 3: not JSON"),
    "no comma": ('{"traceEvents":[' + NAMES + call("0.001", "0.001") + "]}", "after event 2"),
    "empty event": (document("{}"), "event 3"),
    "key twice": (document(call("0.001", "0.001", ',"ts":0.002')), "same key twice"),
    "null": (document(call("0.001", "0.001", ',"args":{"a":null}')), "null"),
    "not a number": (document(call("0.001", "0.001", ',"args":{"a":NaN}')), "NaN"),
    "infinity": (document(call("0.001", "0.001", ',"args":{"a":-Infinity}')), "Infinity"),
    "large integer": (document(call("0.001", "0.001", ',"args":{"a":9223372036854775808}')), "64 bits"),
    "leading zero": (document(call("00.001", "0.001")), "event 3"),
    "control byte": (document(call("0.001", "0.001", name="a\x01")), "event 3: not JSON"),
    "bad escape": (document(call("0.001", "0.001", name="a\\q")), "event 3: not JSON"),
    "surrogate escape": (document(call("0.001", "0.001", name="\\ud83d\\ude00")), "event 3: a \\ud800"),
    "surrogate escape after a backslash": (document(call("0.001", "0.001", name="\\\\\\ud83d")), "event 3: a \\ud800"),
    "surrogate escape in metadata": ('{"traceEvents":[],"metadata":{"a":"\\ud83d"}}', "in metadata"),
    "begin": (document('{"ph":"B","name":"f","pid":1,"tid":1,"ts":0.001}'), "ph 'B'"),
    "no phase": (document('{"name":"f","pid":1,"tid":1,"ts":0.001}'), "ph None"),
    "no name": (document(call("0.001", "0.001", name="")), "no name"),
    "nul in a name": (document(call("0.001", "0.001", name="a\\u0000b")), "NUL"),
    "no pid": (document('{"ph":"X","name":"f","tid":1,"ts":0.001,"dur":0.001}'), "no pid"),
    "no time": (document('{"ph":"X","name":"f","pid":1,"tid":1,"dur":0.001}'), "no ts"),
    "no duration": (document('{"ph":"X","name":"f","pid":1,"tid":1,"ts":0.001}'), "no dur"),
    "wide tid": (document(call("0.001", "0.001", tid=2**32)), "tid is"),
    "negative pid": (document(call("0.001", "0.001", pid=-1)), "pid is"),
    "tid 0": (document(call("0.001", "0.001", tid=0)), "tid is 0"),
    "text pid": (document(call("0.001", "0.001", pid='"1"')), "pid is"),
    "integer time": (document(call("1", "0.001")), "ts is not a number with a point"),
    "two decimals": (document(call("1.00", "0.001")), "three decimals"),
    "exponent": (document(call("1.000e3", "0.001")), "three decimals"),
    "negative time": (document(call("-1.000", "0.001")), "three decimals"),
    "no length": (document(call("1.000", "0.000")), "dur is 0"),
    "escape by a nanosecond": (document(call("0.001", "0.002"), call("0.002", "0.002")), "event 4: ends 1 ns after"),
    "one start for two": (document(call("0.001", "0.005"), call("0.001", "0.002")), "event 4: starts"),
    "start at the end before": (document(call("0.001", "0.005"), call("0.006", "0.002")), "event 4: starts"),
    "too deep": (document(*nest(513)), "event 515: deeper"),
    "pid without a name": (document(call("0.001", "0.001", pid=2)), "event 3: pid 2 has no process_name"),
    "thread without a name": (document(call("0.001", "0.001", tid=2)), "event 3: tid 2 of pid 1"),
    "empty thread name": (document('{"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":""}}'), "args.name"),
    "unknown metadata": (document('{"ph":"M","name":"process_labels","pid":1,"args":{"labels":"a"}}'), "ignore"),
    "wide sort index": (
        document('{"ph":"M","name":"process_sort_index","pid":1,"args":{"sort_index":2147483648}}'),
        "sort_index",
    ),
    "args as a list": (document(call("0.001", "0.001", ',"args":[]')), "args is not"),
    "flow from nowhere": (document(call("0.001", "0.001", ',"bind_id":"0x1","flow_in":true')), "nowhere"),
    "flow id used twice": (
        document(*(call(f"{i}.000", "0.001", ',"bind_id":"0x1","flow_out":true') for i in (1, 2))),
        "second time",
    ),
    "flow id of text": (document(call("0.001", "0.001", ',"bind_id":"call-3","flow_out":true')), "neither"),
    "flow outside": (document('{"ph":"s","name":"w","id":7,"pid":1,"tid":1,"ts":0.500}'), "outside"),
    "flow that leads nowhere": (
        document(call("0.001", "1.000"), '{"ph":"s","name":"w","id":7,"pid":1,"tid":1,"ts":0.500}'), "leads nowhere"),
    "flow back in time": (
        document(call("0.001", "1.000"), '{"ph":"s","name":"w","id":7,"pid":1,"tid":1,"ts":0.500}',
                 '{"ph":"f","bp":"e","name":"w","id":7,"pid":1,"tid":1,"ts":0.400}'), "back in time"),
    "flow to the next call": (document('{"ph":"f","name":"w","id":7,"pid":1,"tid":1,"ts":0.500}'), "bp"),
    "async without end": (document('{"ph":"b","name":"a","id":1,"pid":1,"ts":0.500}'), "event 3: async b"),
    "async without begin": (document('{"ph":"e","name":"a","id":1,"pid":1,"ts":0.500}'), "without its b"),
    "counter of text": (document('{"ph":"C","name":"a","pid":1,"ts":0.500,"args":{"a":"x"}}'), "no number"),
    "scope of an instant": (document('{"ph":"i","name":"a","pid":1,"tid":1,"ts":0.500,"s":"x"}'), "not t, p or g"),
    "stack": (document(call("0.001", "0.001", ',"stack":[]')), "stack"),
    "profile": (
        '{"traceEvents":[{"cat":"a",' + NAMES[1:] + "," + call("0.001", "0.001", name="Profile") + "]}",
        "CPU profile",
    ),
    "phase as a list": (document('{"ph":[],"name":"f"}'), "ph []"),
    "cat as a list": (document(call("0.001", "0.001", ',"cat":[]')), "cat is"),
    "very long integer": (document(call("0.001", "0.001", ',"args":{"a":' + "9" * 9999 + "}")), "64 bits"),
    "very long time": (document(call("9" * 9999 + ".000", "0.001")), "three decimals"),
    "deep brackets": (document('{"a":' + "[" * 200000), "event 3: not JSON"),
}


class CheckChromeJson(unittest.TestCase):
    def test_sound_documents_pass(self):
        for name, text in SOUND.items():
            with self.subTest(name):
                self.assertIsNone(check_bytes(text.encode()))

    def test_every_fault_is_found(self):
        for name, (text, expected) in FAULTY.items():
            with self.subTest(name):
                self.assertIn(expected, check_bytes(text.encode()) or "json ok")

    def test_invalid_utf8_is_found(self):
        self.assertIn("not UTF-8", check_bytes(b'{"traceEvents":[],"metadata":{"a":"\xff"}}'))


if __name__ == "__main__":
    unittest.main()
