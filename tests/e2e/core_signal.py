#!/usr/bin/env python3
"""core_signal.py CORE...: what each core file says of the signal: number, si_code, and si_addr of a fault as its offset
in the page; and the offset of the instruction pointer of the thread that ended. One line each."""
import struct
import sys


def describe(core):
    offset, = struct.unpack_from("<Q", core, 32)
    count, = struct.unpack_from("<H", core, 56)
    signal = pointer = None
    for i in range(count):
        kind, _, at, _, _, size = struct.unpack_from("<IIQQQQ", core, offset + 56 * i)
        end = at + size
        while kind == 4 and at < end:  # PT_NOTE
            name_size, data_size, note = struct.unpack_from("<III", core, at)
            data = at + 12 + (name_size + 3) // 4 * 4
            if note == 1 and pointer is None:  # NT_PRSTATUS of x86-64
                pointer = struct.unpack_from("<27Q", core, data + 112)[16] % 4096
            if note == 0x53494749:  # NT_SIGINFO
                number, _, code, _, address = struct.unpack_from("<iiiiQ", core, data)
                signal = number, code, hex(address % 4096) if code > 0 and number in (4, 7, 8, 11) else "-"
            at = data + (data_size + 3) // 4 * 4
    return "%d %d %s pc %x" % (*signal, pointer)


for path in sys.argv[1:]:
    with open(path, "rb") as file:
        print(describe(file.read()))
