#!/usr/bin/env python3
"""core_signal.py CORE: what a core file says of the signal: number, si_code, and the first 8 bytes of the rest (si_addr
of a fault), where they are no process id; and the instruction and stack pointers' offsets in their pages."""
import struct
import sys

with open(sys.argv[1], "rb") as file:
    core = file.read()
offset, = struct.unpack_from("<Q", core, 32)
count, = struct.unpack_from("<H", core, 56)
registers = None
for i in range(count):
    kind, _, at, _, _, size = struct.unpack_from("<IIQQQQ", core, offset + 56 * i)
    end = at + size
    while kind == 4 and at < end:  # PT_NOTE
        name_size, data_size, note = struct.unpack_from("<III", core, at)
        data = at + 12 + (name_size + 3) // 4 * 4
        if note == 1 and registers is None:  # NT_PRSTATUS of the thread that ended
            registers = struct.unpack_from("<27Q", core, data + 112)
        if note == 0x53494749:  # NT_SIGINFO
            number, _, code, _, address = struct.unpack_from("<iiiiQ", core, data)
            fault = code > 0 and number in (4, 7, 8, 11)
            print(number, code, hex(address % 4096) if fault else "-")
        at = data + (data_size + 3) // 4 * 4
print("pc", hex(registers[16] % 4096))
