#!/usr/bin/env python3
"""Checks Chrome JSON traces more strictly than any viewer: what passes loads in Perfetto, speedscope and catapult
without an error, and shows what the file says.

    check_chrome_json.py FILE...

Prints `json ok` and ends with 0, or prints the first fault of the first faulty file with the number of its event
(from 1) and ends with 1. Finds what makes a viewer refuse, drop, move or mis-nest an event; cannot find events that are
missing, nor times that are wrong but consistent.
"""

import json
import re
import sys
from array import array
from bisect import bisect_right

INT64_MAX = 2**63 - 1
ID_MAX = 2**32 - 1  # larger ids become 0 in Perfetto, and their threads one
DEPTH_MAX = 512  # calls open at once; Perfetto drops deeper ones
MICROSECONDS = re.compile(r"(0|[1-9][0-9]{0,17})\.[0-9]{3}")
FLOW_ID = re.compile(r"0x[0-9a-fA-F]{1,16}")
SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
SPACE = re.compile(r"[ \t\r\n]*")
METADATA = {"process_name", "thread_name", "process_sort_index", "thread_sort_index"}
TOP_LEVEL = {"traceEvents", "metadata", "otherData"}
DEVTOOLS_NAMES = {"CpuProfile", "Profile", "ProfileChunk"}  # speedscope takes the file for another format


class Fault(Exception):
    pass


def require(condition, text):
    """Not for what runs once per event: the text is made whether it is needed or not."""
    if not condition:
        raise Fault(text)


class Real(str):
    """A number with a point or an exponent, as it stands in the file: times are compared in exact nanoseconds."""


def parse_integer(text):
    if len(text) > 20 or not -INT64_MAX - 1 <= int(text) <= INT64_MAX:
        raise Fault(f"{text[:40]} does not fit into 64 bits: Perfetto makes it a wrong real")
    return int(text)


def refuse_constant(text):
    raise Fault(f"{text} is not JSON")


def parse_object(pairs):
    result = dict(pairs)
    if len(result) != len(pairs):
        raise Fault("an object has the same key twice")
    if None in result.values():
        raise Fault("null: Perfetto drops it")
    return result


DECODER = json.JSONDecoder(
    parse_int=parse_integer, parse_float=Real, parse_constant=refuse_constant, object_pairs_hook=parse_object
)


class Thread:
    """The calls of one (pid, tid), as they come."""

    def __init__(self):
        self.starts = array("q")
        self.ends = array("q")
        self.numbers = array("q")
        self.outer_starts = []  # of the calls that no other encloses
        self.outer_ends = []

    def add(self, start, end, number):
        self.starts.append(start)
        self.ends.append(end)
        self.numbers.append(number)

    def sort(self):
        """Puts the calls in order of start; where starts are equal, the order is a fault that check_nesting finds."""
        order = sorted(range(len(self.starts)), key=self.starts.__getitem__)
        for name in ("starts", "ends", "numbers"):
            values = getattr(self, name)
            setattr(self, name, array("q", (values[i] for i in order)))

    def check_nesting(self):
        """Calls lie one in another or apart, and start after everything that ended or started before them."""
        open_ends = []
        last = -1  # the newest time of a call that began or ended before
        for start, end, number in zip(self.starts, self.ends, self.numbers):
            while open_ends and open_ends[-1] <= start:
                last = max(last, open_ends.pop())
            if start <= last:
                raise Fault(f"event {number}: starts at {start} ns, not after the event before it ({last} ns)")
            if not open_ends:
                self.outer_starts.append(start)
                self.outer_ends.append(end)
            elif end > open_ends[-1]:
                raise Fault(f"event {number}: ends {end - open_ends[-1]} ns after the call around it")
            open_ends.append(end)
            if len(open_ends) > DEPTH_MAX:
                raise Fault(f"event {number}: deeper than {DEPTH_MAX} calls")
            last = start

    def encloses(self, time):
        before = bisect_right(self.outer_starts, time)
        return before > 0 and time <= self.outer_ends[before - 1]


def nanoseconds(event, key):
    value = event.get(key)
    if value is None:
        raise Fault(f"no {key}")
    if type(value) is not Real:
        raise Fault(f"{key} is not a number with a point")
    if not MICROSECONDS.fullmatch(value):
        raise Fault(f"{key} is {value}: not microseconds with three decimals")
    result = int(value.replace(".", ""))
    if result > INT64_MAX:
        raise Fault(f"{key} is {value}: does not fit into 64 bits of nanoseconds")
    return result


def identifier(event, key):
    value = event.get(key)
    if value is None:
        raise Fault(f"no {key}")
    if type(value) is not int or not 0 <= value <= ID_MAX:
        raise Fault(f"{key} is {value!r}: not an integer below 2^32")
    if value == 0:
        raise Fault(f"{key} is 0: Perfetto takes it for the process's first thread, or for none")
    return value


def flow_id(value):
    if type(value) is int:
        require(value >= 0, f"id {value} is negative")
        return value
    require(isinstance(value, str) and FLOW_ID.fullmatch(value), f"id {value!r} is neither an integer nor 0x...")
    number = int(value, 16)
    require(number <= INT64_MAX, f"id {value} does not fit into 63 bits")
    return number


class Checker:
    def __init__(self):
        self.threads = {}
        self.named_processes = set()
        self.named_threads = set()
        self.flow_outs = {}  # bind_id -> number of the event that starts it
        self.flow_ins = {}
        self.flow_starts = {}  # (id, cat, name) of s, t, f -> (time, number)
        self.flow_others = []  # the same of t and f, with their time and number
        self.flow_points = []  # (thread, time, number): must lie in a call
        self.asyncs = {}
        self.devtools_possible = False
        self.methods = {
            "X": self.check_call,
            "M": self.check_metadata,
            "C": self.check_counter,
            "i": self.check_instant,
            **dict.fromkeys("stf", self.check_flow),
            **dict.fromkeys("bne", self.check_async),
        }

    def check_event(self, event, number):
        if type(event) is not dict or not event:
            raise Fault("not an object with something in it")
        phase = event.get("ph")
        method = self.methods.get(phase) if isinstance(phase, str) else None
        if method is None:
            raise Fault(f"ph {phase!r}: not one that all viewers show (calls are X, never B and E)")
        name = event.get("name")
        if type(name) is not str or not name:
            raise Fault("no name: catapult rejects the file")
        if "\0" in name:
            raise Fault("a NUL in a name: Perfetto cuts it there")
        if number == 1:
            self.devtools_possible = all(key in event for key in ("pid", "tid", "ph", "cat"))
        if self.devtools_possible and name in DEVTOOLS_NAMES:
            raise Fault(f"{name} in a file whose first event has a cat: speedscope takes it for a CPU profile")
        if type(event.get("cat", "")) is not str:
            raise Fault("cat is no text")
        args = event.get("args", {})
        if type(args) is not dict:
            raise Fault("args is not an object")
        if "stack" in event:
            raise Fault("a stack without stackFrames: catapult fails")
        method(event, args, number)

    def check_call(self, event, args, number):
        thread = (identifier(event, "pid"), identifier(event, "tid"))
        start = nanoseconds(event, "ts")
        duration = nanoseconds(event, "dur")
        if duration == 0:
            raise Fault("dur is 0: viewers draw a mark, and speedscope breaks the call around it")
        calls = self.threads.get(thread)
        if calls is None:
            calls = self.threads[thread] = Thread()
        calls.add(start, start + duration, number)
        if "bind_id" in event:
            self.check_binding(event, number)

    def check_binding(self, event, number):
        key = flow_id(event["bind_id"])
        ends = [end for end in ("flow_in", "flow_out") if end in event]
        require(ends, "bind_id without flow_in or flow_out")
        for end in ends:
            require(event[end] is True, f"{end} is not true")
        if "flow_out" in event and "flow_in" not in event:
            require(key not in self.flow_outs, f"bind_id {key:#x} starts a second time: arrows start at the first")
            self.flow_outs[key] = number
        if "flow_in" in event:
            self.flow_ins.setdefault(key, number)

    def check_metadata(self, event, args, number):
        name = event["name"]
        pid = identifier(event, "pid")
        require(name in METADATA, f"{name}: viewers ignore it")
        if name in ("process_name", "thread_name"):
            value = args.get("name")
            require(type(value) is str and value, "args.name is no text")
        else:
            value = args.get("sort_index")
            require(type(value) is int and -(2**31) <= value < 2**31, "args.sort_index is no 32-bit integer")
        if name == "process_name":
            self.named_processes.add(pid)
        elif name.startswith("thread"):
            tid = identifier(event, "tid")
            if name == "thread_name":
                self.named_threads.add((pid, tid))

    def check_counter(self, event, args, number):
        identifier(event, "pid")
        nanoseconds(event, "ts")
        require(args, "a counter without a value")
        for key, value in args.items():
            require(type(value) in (int, Real), f"counter {key} is no number")

    def check_instant(self, event, args, number):
        identifier(event, "pid")
        identifier(event, "tid")
        nanoseconds(event, "ts")
        require(event.get("s", "t") in ("t", "p", "g"), f"s is {event.get('s')!r}: not t, p or g")

    def check_flow(self, event, args, number):
        thread = (identifier(event, "pid"), identifier(event, "tid"))
        key = (flow_id(event.get("id")), event.get("cat"), event["name"])
        time = nanoseconds(event, "ts")
        if event["ph"] == "s":
            require(key not in self.flow_starts, f"flow {key[0]:#x} starts a second time")
            self.flow_starts[key] = time, number
        else:
            self.flow_others.append((key, time, number))
        if event["ph"] == "f":
            require(event.get("bp") == "e", 'f without "bp":"e" binds to the next call')
        self.flow_points.append((thread, time, number))

    def check_async(self, event, args, number):
        identifier(event, "pid")
        time = nanoseconds(event, "ts")
        key = (event.get("cat"), flow_id(event.get("id")), event["name"])
        open_since = self.asyncs.setdefault(key, [])
        if event["ph"] == "b":
            open_since.append((time, number))
            return
        require(open_since, f"async {event['ph']} without its b")
        began = open_since[-1][0] if event["ph"] == "n" else open_since.pop()[0]
        require(time >= began, "async ends before it begins")

    def check_whole(self):
        for (pid, tid), thread in sorted(self.threads.items()):
            first = thread.numbers[0]
            require(pid in self.named_processes, f"event {first}: pid {pid} has no process_name")
            require((pid, tid) in self.named_threads, f"event {first}: tid {tid} of pid {pid} has no thread_name")
            thread.sort()
            thread.check_nesting()
        for key, number in self.flow_ins.items():
            require(key in self.flow_outs, f"event {number}: bind_id {key:#x} comes from nowhere")
        for key, time, number in self.flow_others:
            require(key in self.flow_starts, f"event {number}: flow {key[0]:#x} comes from nowhere")
            require(self.flow_starts[key][0] <= time, f"event {number}: flow {key[0]:#x} goes back in time")
        for thread, time, number in self.flow_points:
            inside = thread in self.threads and self.threads[thread].encloses(time)
            require(inside, f"event {number}: a flow outside of any call")
        arrived = {key for key, _, _ in self.flow_others}
        for key, (_, number) in self.flow_starts.items():
            require(key in arrived, f"event {number}: flow {key[0]:#x} leads nowhere")
        for open_since in self.asyncs.values():
            require(not open_since, f"event {open_since[-1][1] if open_since else 0}: async b without its e")


def skip_space(text, at):
    return SPACE.match(text, at).end()


def expect(text, at, character):
    at = skip_space(text, at)
    found = text[at : at + 1]
    require(found == character, f"{character!r} expected at character {at}, found {found or 'the end'!r}")
    return skip_space(text, at + 1)


def decode(text, at):
    try:
        return DECODER.raw_decode(text, at)
    except (json.JSONDecodeError, RecursionError) as error:
        raise Fault(f"not JSON: {error}") from None


def surrogate_escapes(text):
    """Where the text has a \\ud800 to \\udfff; a backslash that is itself escaped starts no escape."""
    for match in SURROGATE_ESCAPE.finditer(text):
        before = match.start()
        while before > 0 and text[before - 1] == "\\":
            before -= 1
        if (match.start() - before) % 2 == 0:
            yield match.start()


def check_events(text, at, checker, see):
    """Checks the array that begins at `at`, event by event, and shows each to `see`. Returns where it ends."""
    surrogates = surrogate_escapes(text)
    next_surrogate = next(surrogates, len(text))
    at = expect(text, at, "[")
    if text[at : at + 1] == "]":
        return at + 1
    number = 0
    while True:
        number += 1
        try:
            event, at = decode(text, at)
            require(at <= next_surrogate, "a \\ud800 escape: Perfetto rejects the whole file")
            checker.check_event(event, number)
            see(event)
        except Fault as fault:
            raise Fault(f"event {number}: {fault}") from None
        if text.startswith(",\n{", at):  # as we write it
            at += 2
            continue
        at = skip_space(text, at)
        if text[at : at + 1] == "]":
            return at + 1
        try:
            at = expect(text, at, ",")
        except Fault as fault:
            raise Fault(f"after event {number}: {fault}") from None


def check_text(text, see):
    require(not text.startswith("\ufeff"), "a byte order mark: Perfetto does not know the file")
    start = re.sub(r"[ \t\r\n]", "", text[:128])
    require(start.startswith('{"'), 'does not begin with {": Perfetto does not know the file')
    checker = Checker()
    keys = set()
    at = expect(text, 0, "{")
    while True:
        key, at = decode(text, at)
        require(type(key) is str, f"a key expected at character {at}")
        require(key not in keys, f"{key} comes twice")
        keys.add(key)
        require(key in TOP_LEVEL, f"top-level {key}: some viewer reads it as something else")
        at = expect(text, at, ":")
        if key == "traceEvents":
            at = check_events(text, at, checker, see)
        else:
            value, end = decode(text, at)
            require(type(value) is dict, f"{key} is not an object")
            require(not any(at <= place < end for place in surrogate_escapes(text)), f"a \\ud800 escape in {key}")
            at = end
        at = skip_space(text, at)
        if text[at : at + 1] == "}":
            break
        at = expect(text, at, ",")
    require(skip_space(text, at + 1) == len(text), "something follows the document")
    require("traceEvents" in keys, "no traceEvents")
    checker.check_whole()


def check_bytes(data, see=lambda event: None):
    """None, or the first fault. `see` is given each event that is right by itself; its numbers are text."""
    try:
        check_text(data.decode("utf-8"), see)
    except UnicodeDecodeError as error:
        return f"byte {error.start}: not UTF-8"
    except Fault as fault:
        return str(fault)
    return None


def main(paths):
    if not paths:
        sys.exit(__doc__)
    for path in paths:
        try:
            with open(path, "rb") as file:
                fault = check_bytes(file.read())
        except OSError as error:
            fault = error.strerror
        if fault:
            print(f"{path}: {fault}")
            return 1
    print("json ok")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
