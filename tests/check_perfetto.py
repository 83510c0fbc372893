#!/usr/bin/env python3
"""Checks Perfetto traces (protobuf) by field numbers, more strictly than Perfetto, which drops or mispairs without a word.

    check_perfetto.py [--calls | --packets | --cut] FILE...
    check_perfetto.py --inflate OUT FILE

Prints `perfetto ok` and ends with 0, or prints the first fault of the first faulty file with the number of its packet
(from 1, those inside compressed ones counted) and ends with 1. With --calls it prints a line `calls name {category}`
for each function instead, with --packets how many there are. With --cut the file may end anywhere. --inflate writes the
same packets without compressed ones, for protoc --decode_raw. Finds what makes events vanish or pair wrongly: clocks without a way to the trace's own,
names that are not defined where they are used, tracks without a description, begins and ends that do not match. Cannot
find events that are missing, nor times that are wrong but consistent.
"""

import collections
import sys
import zlib

DEPTH_MAX = 512
PART_MAX = 512 * 1024
INT32_END = 1 << 31  # pids and tids are of that type
CLEARED, NEEDS_STATE = 1, 2
BEGIN, END, INSTANT = 1, 2, 3
REALTIME, MONOTONIC, BOOTTIME = 1, 3, 6

# InternedData field -> what uses it in a TrackEvent: (path of fields to the number)
INTERNED = {1: "category", 2: "event name", 3: "annotation name", 4: "source location", 29: "annotation string"}


class Fault(Exception):
    pass


def require(condition, text):
    if not condition:
        raise Fault(text)


def varint(data, at):
    """The number at `at` and where it ends."""
    value = shift = 0
    for at in range(at, min(at + 10, len(data))):
        byte = data[at]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            require(value < 1 << 64, "a number of more than 64 bits")
            return value, at + 1
        shift += 7
    raise Fault("a number of more than ten bytes, or one that ends in the middle")


def fields(data):
    """(field, wire type, value) of a message; values of type 2 are bytes."""
    at, end = 0, len(data)
    while at < end:
        tag, at = varint(data, at)
        wire = tag & 7
        if wire == 0:
            value, at = varint(data, at)
        elif wire == 1:
            value, at = int.from_bytes(data[at : at + 8], "little"), at + 8
        elif wire == 2:
            length, at = varint(data, at)
            value, at = data[at : at + length], at + length
        else:
            raise Fault(f"wire type {wire}")
        if at > end or tag < 8:
            raise Fault(f"field {tag >> 3} ends behind its message, or has no number")
        yield tag >> 3, wire, value


def message(data, repeated=()):
    """Fields by number; those named as repeated are lists, the others must come once."""
    result = {field: [] for field in repeated}
    for field, _, value in fields(data):
        if field in repeated:
            result[field].append(value)
        elif field in result:
            raise Fault(f"field {field} comes twice")
        else:
            result[field] = value
    return result


def text(data, what):
    require(isinstance(data, bytes), f"{what} is no text")
    try:
        value = data.decode("utf-8")
    except UnicodeDecodeError:
        raise Fault(f"{what} is not UTF-8") from None
    return value


def packets_of(data, is_cut=False):
    at = 0
    while at < len(data):
        try:
            tag, at = varint(data, at)
            require(tag == 1 << 3 | 2, f"field {tag >> 3} of the trace: not a packet")
            length, at = varint(data, at)
            require(at + length <= len(data), "a packet ends behind the file")
        except Fault:
            if is_cut:
                return
            raise
        yield data[at : at + length]
        at += length


class Track:
    def __init__(self, parent, name):
        self.parent = parent
        self.name = name
        self.open = []
        self.last = -1  # begin or end of a call
        self.newest = -1


class Sequence:
    def __init__(self):
        self.started = False
        self.interned = {}
        self.default_track = None
        self.default_clock = None
        self.time = None  # of the clock of differences


Call = collections.namedtuple("Call", "name category track start end arguments")


class Checker:
    def __init__(self, keep=False):
        self.sequences = collections.defaultdict(Sequence)
        self.tracks = {}
        self.clocks = set()
        self.flow_starts = {}
        self.flow_ends = {}
        self.packets = 0
        self.calls = collections.Counter()
        self.states = collections.Counter()  # by sequence: how often it began one
        self.instants = []
        self.keep = keep
        self.kept = []

    def check(self, data, is_cut=False):
        for value in packets_of(data, is_cut):
            self.check_packet(value, False)
        if is_cut:
            return
        for uuid, track in self.tracks.items():
            require(not track.open, f"track {uuid}: {len(track.open)} calls have no end")
        for flow in self.flow_ends:
            require(flow in self.flow_starts, f"flow {flow} ends and has no begin")
            require(self.flow_starts[flow] < self.flow_ends[flow], f"flow {flow} ends before it begins")

    def check_packet(self, data, inside):
        packet = message(data)
        self.packets += 50 not in packet
        if 50 in packet:
            require(not inside, "compressed packets inside compressed packets")
            require(len(packet) == 1, "compressed packets beside something else")
            require(len(packet[50]) < PART_MAX, "compressed packets of 512 KiB or more")
            unpacked = zlib.decompress(packet[50])
            require(len(unpacked) < PART_MAX, "compressed packets of 512 KiB or more when inflated")
            for field, wire, value in fields(unpacked):
                require(field == 1 and wire == 2, "compressed packets hold something else")
                self.check_packet(value, True)
            return
        require(packet.get(10), "no trusted_packet_sequence_id")
        sequence = self.sequences[packet[10]]
        flags = packet.get(13, 0)
        if flags & CLEARED:
            self.states[packet[10]] += 1
            sequence.__init__()
            sequence.started = True
        if flags & NEEDS_STATE:
            require(sequence.started, "a sequence that needs its state has none")
        if 6 in packet:
            self.check_clocks(packet[6], sequence)
        if 59 in packet:
            defaults = message(packet[59])
            sequence.default_clock = defaults.get(58)
            sequence.default_track = message(defaults.get(11, b"")).get(11)
        if 12 in packet:
            require(sequence.started, "interned data outside of a state")
            self.check_interned(packet[12], sequence)
        if 60 in packet:
            self.check_track(packet[60])
        if 11 in packet:
            self.check_event(packet, flags, sequence)

    def check_clocks(self, data, sequence):
        snapshot = message(data, repeated=(1,))
        clocks = {}
        for part in snapshot[1]:
            clock = message(part)
            clocks[clock[1]] = clock
        if not self.clocks:
            require({REALTIME, MONOTONIC, BOOTTIME} <= set(clocks), "the first snapshot lacks a clock: all is dropped")
            require(snapshot.get(2) == MONOTONIC, "the trace's clock is not CLOCK_MONOTONIC")
        self.clocks |= {clock for clock in clocks if clock < 64}
        for number, clock in clocks.items():
            if number >= 64:
                require(clock.get(3), f"clock {number} is not one of differences")
                require(MONOTONIC in clocks, f"clock {number} without another beside it")
                require(clock[2] == clocks[MONOTONIC][2], f"clock {number} does not begin at CLOCK_MONOTONIC")
                sequence.time = clock[2]

    def check_interned(self, data, sequence):
        for field, _, value in fields(data):
            require(field in INTERNED, f"interned data {field}")
            entry = message(value)
            number = entry.get(1)
            require(number, f"{INTERNED[field]} with the number 0")
            require((field, number) not in sequence.interned, f"{INTERNED[field]} {number} is defined twice")
            if field == 4:
                sequence.interned[field, number] = (text(entry[2], "a file"), text(entry[3], "a function"), entry[4])
            else:
                name = text(entry.get(2, b""), INTERNED[field])
                require(name or field == 29, f"{INTERNED[field]} {number} is empty")
                sequence.interned[field, number] = name

    def check_track(self, data):
        track = message(data)
        uuid = track[1]
        if uuid == 0:
            return
        require(uuid not in self.tracks, f"track {uuid} is described twice")
        name = text(track.get(2, b""), "a track's name")
        if 3 in track:
            process = message(track[3], repeated=(2,))
            require(0 < process.get(1, 0) < INT32_END, "a process whose pid is none")
            require(text(process.get(6, b""), "a process's name"), "a process without a name")
        elif 4 in track:
            thread = message(track[4])
            require(all(0 < thread.get(field, 0) < INT32_END for field in (1, 2)), "a thread whose pid or tid is none")
            name = text(thread.get(5, b""), "a thread's name")
            require(name, "a thread without a name")
            require(track.get(5) in self.tracks, "a thread without a process")
        else:
            require(name, "a track without a name")
            require(5 not in track or track[5] in self.tracks, "a track below one that is not there")
        self.tracks[uuid] = Track(track.get(5), name)

    def use(self, sequence, flags, field, number):
        require(flags & (NEEDS_STATE | CLEARED), "names by number in a packet that does not say that it needs the state")
        if (field, number) not in sequence.interned:
            raise Fault(f"{INTERNED[field]} {number} is not defined")
        return sequence.interned[field, number]

    def time_of(self, packet, sequence):
        clock = packet.get(58, sequence.default_clock)
        require(8 in packet, "an event without a time")
        require(clock is not None, "an event without a clock")
        if clock == 64:
            require(sequence.time is not None, "a difference of time without a begin")
            sequence.time += packet[8]
            return sequence.time
        if clock not in self.clocks:
            raise Fault(f"clock {clock} leads nowhere: the event is dropped")
        return packet[8]

    def check_event(self, packet, flags, sequence):
        event = message(packet[11], repeated=(3, 4, 47, 48))
        time = self.time_of(packet, sequence)
        uuid = event.get(11, sequence.default_track)
        if uuid not in self.tracks:
            raise Fault(f"an event on the track {uuid}, which has no description")
        track = self.tracks[uuid]
        kind = event.get(9)
        if kind not in (BEGIN, END, INSTANT):
            raise Fault(f"an event of type {kind}")
        if time < track.newest:
            raise Fault(f"track {uuid}: time goes back")
        track.newest = time
        if kind != INSTANT:
            if time <= track.last:
                raise Fault(f"track {uuid}: two calls begin or end at one time")
            track.last = time
        name = self.use(sequence, flags, 2, event[10]) if 10 in event else text(event.get(23, b""), "a name")
        categories = [self.use(sequence, flags, 1, number) for number in event[3]]
        if 34 in event:
            self.use(sequence, flags, 4, event[34])
        arguments = {}
        for data in event[4]:
            annotation = message(data, repeated=(12,))
            key = self.use(sequence, flags, 3, annotation[1])
            require(key not in arguments, f"{key} comes twice")
            arguments[key] = self.value_of(annotation, sequence, flags)
        for flow in event[47]:
            require(flow not in self.flow_starts, f"flow {flow} begins twice")
            self.flow_starts[flow] = time
        for flow in event[48]:
            require(flow not in self.flow_ends, f"flow {flow} ends twice")
            self.flow_ends[flow] = time
        if kind == BEGIN:
            require(name, "a call without a name")
            if len(track.open) >= DEPTH_MAX:
                raise Fault(f"deeper than {DEPTH_MAX} calls")
            track.open.append((name, categories[0] if categories else "", time, arguments))
        elif kind == END:
            require(track.open, "an end without a begin")
            begun = track.open.pop()
            call = Call(begun[0], begun[1], uuid, begun[2], time, {**begun[3], **arguments})
            if "inherited" not in call.arguments:  # a call of the process that forked
                self.calls[call.name, call.category] += 1
            if self.keep:
                self.kept.append(call)
        else:
            require(name, "a mark without a name")
            self.instants.append((name, arguments))

    def value_of(self, annotation, sequence, flags):
        if annotation[12]:
            return [self.value_of(message(item, repeated=(12,)), sequence, flags) for item in annotation[12]]
        if 17 in annotation:
            return self.use(sequence, flags, 29, annotation[17])
        if 6 in annotation:
            return text(annotation[6], "an annotation")
        if 4 in annotation:
            return annotation[4] - (1 << 64) if annotation[4] >> 63 else annotation[4]
        for field in (2, 3, 5):
            if field in annotation:
                return bool(annotation[field]) if field == 2 else annotation[field]
        return []


def read(path):
    with open(path, "rb") as file:
        return file.read()


def check_file(path, keep=False, is_cut=False):
    checker = Checker(keep)
    try:
        checker.check(read(path), is_cut)
    except (Fault, zlib.error, KeyError) as fault:
        reason = f"lacks field {fault}" if isinstance(fault, KeyError) else str(fault)
        raise Fault(f"{path}: packet {checker.packets}: {reason}") from None
    return checker


def inflate(path, out):
    with open(out, "wb") as file:
        for packet in packets_of(read(path)):
            parts = message(packet)
            if 50 in parts:
                file.write(zlib.decompress(parts[50]))
            else:
                length = len(packet)
                head = b"\x0a"
                while length >= 0x80:
                    head, length = head + bytes([length & 0x7F | 0x80]), length >> 7
                file.write(head + bytes([length]) + packet)


def main(arguments):
    option = arguments.pop(0) if arguments and arguments[0].startswith("--") else ""
    try:
        if option == "--inflate":
            inflate(arguments[1], arguments[0])
            return 0
        for path in arguments:
            checker = check_file(path, is_cut=option == "--cut")
            if option == "--packets":
                print(checker.packets)
            for (name, category), count in sorted(checker.calls.items()) if option == "--calls" else ():
                print(f"{count} {name} {{{category}}}")
    except Fault as fault:
        print(fault)
        return 1
    if option in ("", "--cut"):
        print("perfetto ok")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
