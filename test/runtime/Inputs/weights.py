# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# weights.py FILE: writes the weights of fake-weights; with --append-to EXE, at
# the end of the program instead; with --damage BYTE, with one bit of that byte
# flipped. The format is in runtime/weights/WeightsFormat.h.

import struct
import sys

payload = struct.pack("<16f", *[0.5] * 16)
checksum = struct.pack("<Q", 0x5666770AAA8030A5)  # XXH3 of the payload
header = struct.pack("<8sIIQ16s", b"xfweight", 2, 0, len(payload), b"0123456789abcdef")
weights = bytearray(header.ljust(4096, b"\0") + payload + checksum)
if "--damage" in sys.argv:
    weights[int(sys.argv[-1])] ^= 1

if "--append-to" in sys.argv:
    with open(sys.argv[-1], "rb") as file:
        program = file.read()
    program = program.ljust(-(-len(program) // 4096) * 4096, b"\0")
    trailer = struct.pack("<QQ8s", len(program), len(weights), b"xfembed1")
    with open(sys.argv[-1], "r+b") as file:
        file.write(program + weights + trailer)
else:
    with open(sys.argv[1], "wb") as file:
        file.write(weights)
