# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a model directory for tests: make_tiny.py DIR CONFIG NAME:2x3 ...

CONFIG is the text of config.json; each tensor holds 0, 1, 2, … in float32, or in the
type after its shape (NAME:2x3:I8)."""
import json
import os
import struct
import sys

LETTERS = {"F32": "f", "I8": "b", "BOOL": "?", "I64": "q"}

folder, config, tensors = sys.argv[1], sys.argv[2], sys.argv[3:]
os.makedirs(folder, exist_ok=True)
with open(os.path.join(folder, "config.json"), "w") as f:
    f.write(config)
header, data = {}, b""
for tensor in tensors:
    name, sizes, *kind = tensor.split(":")
    kind = kind[0] if kind else "F32"
    shape = [int(size) for size in sizes.split("x")]
    count = 1
    for size in shape:
        count *= size
    body = struct.pack(f"<{count}{LETTERS[kind]}", *range(count))
    header[name] = {"dtype": kind, "shape": shape, "data_offsets": [len(data), len(data) + len(body)]}
    data += body
text = json.dumps(header).encode()
text += b" " * (-len(text) % 8)
with open(os.path.join(folder, "model.safetensors"), "wb") as f:
    f.write(struct.pack("<Q", len(text)) + text + data)
