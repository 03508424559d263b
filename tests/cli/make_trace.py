"""A small ChampSim trace for the cases of the command line: python3 make_trace.py RECORDS SEED >FILE.

Loads from a table of 8 MB, stores, arithmetic and a loop branch; the same bytes on every machine.
"""
import struct
import sys

records, state = int(sys.argv[1]), int(sys.argv[2])
out = bytearray()
for i in range(records):
    state = (state * 1103515245 + 12345) % 2147483648
    pc = 0x400000 + 4 * (i % 16)
    branch, taken, dst, src = 0, 0, [0, 0], [0, 0, 0, 0]
    stores, loads = [0, 0], [0, 0, 0, 0]
    if i % 16 == 15:
        branch, taken, dst, src = 1, 1, [26, 0], [26, 25, 0, 0]
    elif i % 4 == 0:
        dst, src, loads = [30 + i % 3, 0], [29, 0, 0, 0], [0x10000000 + state % 8388608 // 8 * 8, 0, 0, 0]
    elif i % 16 == 6:
        src, stores = [30, 29, 0, 0], [0x20000000 + i * 64 % 4194304, 0]
    else:
        dst, src = [33, 0], [30 + i % 3, 33, 0, 0]
    out += struct.pack("<QBB2B4B2Q4Q", pc, branch, taken, *dst, *src, *stores, *loads)
sys.stdout.buffer.write(out)
