#!/usr/bin/env python3
"""Traces as pieces: a trace is a sparse file of megabytes with some KiB in it, and git keeps no holes.

  pieces.py pack TRACE FILE [OLD=NEW...]   texts of the same length are replaced; what binds the trace to one boot is wiped
  pieces.py unpack FILE TRACE

A piece is its offset in units of 64 bytes and its length (two 32-bit words), then its bytes. A length of 2^31 alone says
how long the file is. tests/fuzz/fuzz.h reads the same.
"""
import struct
import sys

UNIT = 64
STEP = 4096
WHOLE_SIZE = 1 << 31
BOOT_ID = slice(64, 80)  # ts_file_header.boot_id: on the same boot, the clock's rate is measured anew
FILE_MAGIC = b"RACESHIM"
WINDOW_MAGIC = b"TsWindow"


def pack(trace):
    """Windows begin pieces of their own; holes of less than two units are kept."""
    pieces, start, end = [], None, 0
    for at in range(0, len(trace), UNIT):
        is_window = trace[at + 8:at + 16] == WINDOW_MAGIC
        if not any(trace[at:at + UNIT]):
            continue
        if start is not None and (at - end > UNIT or is_window):
            pieces.append((start, trace[start:end]))
            start = None
        start = at if start is None else start
        end = at + UNIT
    if start is not None:
        pieces.append((start, trace[start:end]))
    packed = b"".join(struct.pack("<II", at // UNIT, len(data)) + data for at, data in pieces)
    return packed + struct.pack("<II", len(trace) // UNIT, WHOLE_SIZE)


def unpack(packed, file):
    at = 0
    while at < len(packed):
        offset, length = struct.unpack_from("<II", packed, at)
        at += 8
        if length == WHOLE_SIZE:
            file.truncate(offset * UNIT)
            continue
        file.seek(offset * UNIT)
        file.write(packed[at:at + length])
        at += length


def replace(trace, texts):
    for text in texts:
        old, new = (part.encode() for part in text.split("=", 1))
        if len(old) != len(new):
            sys.exit("not of the same length: " + text)
        trace = trace.replace(old, new)
    return trace


def main():
    command, source, target = sys.argv[1:4]
    with open(source, "rb") as file:
        content = file.read()
    with open(target, "wb") as file:
        if command == "unpack":
            unpack(content, file)
        elif command == "pack" and content.startswith(FILE_MAGIC):
            content = bytearray(replace(content, sys.argv[4:]))
            content[BOOT_ID] = bytes(16)
            file.write(pack(bytes(content)))
        else:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
