#!/usr/bin/env python3
"""The checker of Perfetto traces finds each fault that it knows, and only those."""
import struct
import unittest
import zlib

import check_perfetto

MONOTONIC, BOOTTIME, REALTIME, DIFFERENCES = 3, 6, 1, 64


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out) + bytes([value])


def make(*fields):
    """A message of (field, number, bytes or text)."""
    out = b""
    for field, value in fields:
        if isinstance(value, int):
            out += varint(field << 3) + varint(value)
        else:
            value = value.encode() if isinstance(value, str) else value
            out += varint(field << 3 | 2) + varint(len(value)) + value
    return out


def clock(number, time, incremental=False):
    return (1, make((1, number), (2, time), *([(3, 1)] if incremental else [])))


def flow(field, number):
    return varint(field << 3 | 1) + struct.pack("<Q", number)


CLOCKS = make((10, 1), (13, 1), (6, make(clock(MONOTONIC, 5), clock(BOOTTIME, 9), clock(REALTIME, 7), (2, MONOTONIC))))
PROCESS = make((10, 1), (60, make((1, 1), (3, make((1, 100), (6, "app"))))))
THREAD = make((10, 2), (60, make((1, 2), (5, 1), (4, make((1, 100), (2, 101), (5, "worker"))))))
STATE = make((10, 2), (13, 1), (6, make(clock(MONOTONIC, 1000), clock(DIFFERENCES, 1000, True))),
             (59, make((11, make((11, 2))), (58, DIFFERENCES))))
NAMES = make((10, 2), (13, 2), (12, make((2, make((1, 1), (2, "main"))), (1, make((1, 1), (2, "app"))))))


def event(time, *fields, flags=2, extra=b""):
    return make((10, 2), (13, flags), (8, time), (11, make(*fields) + extra))


def begin(time=10, name=1, **more):
    return event(time, (9, 1), (10, name), (3, 1), **more)


def end(time=10, **more):
    return event(time, (9, 2), **more)


HEAD = [CLOCKS, PROCESS, STATE, THREAD, NAMES]


def trace(*packets):
    return make(*((1, packet) for packet in packets))


class CheckPerfetto(unittest.TestCase):
    def accepts(self, *packets):
        checker = check_perfetto.Checker(keep=True)
        checker.check(trace(*packets))
        return checker

    def refuses(self, words, *packets):
        with self.assertRaisesRegex(check_perfetto.Fault, words):
            self.accepts(*packets)

    def test_a_trace(self):
        checker = self.accepts(*HEAD, begin(), end(20), begin(1), end(1))
        self.assertEqual(dict(checker.calls), {("main", "app"): 2})
        self.assertEqual((checker.kept[0].start, checker.kept[0].end), (1010, 1030))

    def test_the_same_compressed(self):
        part = zlib.compress(trace(*HEAD, begin(), end()))
        self.assertEqual(self.accepts(make((50, part))).packets, 7)
        self.refuses("512 KiB", make((50, zlib.compress(trace(*HEAD) + make((1, make((10, 1), (99, bytes(1 << 19)))))))))

    def test_calls(self):
        self.refuses("have no end", *HEAD, begin())
        self.refuses("without a begin", *HEAD, end())
        self.refuses("one time", *HEAD, begin(), end(0))
        self.refuses("deeper", *HEAD, *[begin(1)] * 513)

    def test_states(self):
        self.refuses("event name 2 is not defined", *HEAD, begin(name=2), end())
        self.refuses("not defined", *HEAD, STATE, begin(), end())
        self.refuses("does not say", *HEAD, begin(flags=0), end())
        self.refuses("defined twice", *HEAD, NAMES)
        self.refuses("no trusted", make((11, make((9, 2)))))
        self.refuses("has none", CLOCKS, PROCESS, THREAD, NAMES)

    def test_clocks(self):
        self.refuses("lacks a clock", make((10, 1), (13, 1), (6, make(clock(MONOTONIC, 5), (2, MONOTONIC)))))
        self.refuses("not CLOCK_MONOTONIC", make((10, 1), (6, make(*[clock(c, 5) for c in (1, 3, 6)], (2, 6)))))
        self.refuses("not one of differences", *HEAD,
                     make((10, 2), (13, 1), (6, make(clock(MONOTONIC, 1), clock(DIFFERENCES, 1)))))
        self.refuses("without a clock", CLOCKS, PROCESS, make((10, 2), (13, 1)), THREAD, NAMES, begin(), end())
        self.refuses("goes back", *HEAD, begin(), make((10, 2), (13, 2), (8, 900), (58, MONOTONIC), (11, make((9, 2)))))

    def test_tracks(self):
        self.refuses("no description", CLOCKS, PROCESS, STATE, NAMES, begin(), end())
        self.refuses("without a process", CLOCKS, STATE, THREAD)
        self.refuses("twice", *HEAD, THREAD)
        huge = make((10, 1), (60, make((1, 7), (3, make((1, 1 << 31), (6, b"app"))))))
        self.refuses("pid is none", *HEAD, huge)

    def test_flows(self):
        out, into = flow(47, 7), flow(48, 7)
        self.accepts(*HEAD, begin(extra=out), end(), begin(extra=into), end())
        self.refuses("no begin", *HEAD, begin(extra=into), end())
        self.refuses("before it begins", *HEAD, begin(extra=into), end(), begin(extra=out), end())
        self.refuses("begins twice", *HEAD, begin(extra=out), end(), begin(extra=out), end())

    def test_bytes(self):
        whole = trace(*HEAD, begin(), end())
        with self.assertRaises(check_perfetto.Fault):
            check_perfetto.Checker().check(whole[:-1])
        for count in range(len(whole)):
            check_perfetto.Checker().check(whole[:count], is_cut=True)
        self.refuses("not UTF-8", *HEAD, make((10, 2), (13, 2), (12, make((2, make((1, 2), (2, b"\xff")))))))
        self.refuses("comes twice", make((10, 1), (10, 1)))


if __name__ == "__main__":
    unittest.main()
