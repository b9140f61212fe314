# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""changed.py MODEL OUT [CHANGE…]: makes a changed copy of a model.

A CHANGE is KEY=JSON for a key of its configuration (without JSON the key is removed), or FROM:TO
for a part of the names of tensors (without TO, tensors with such names are removed).
"""

import json
import pathlib
import struct
import sys

model, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
config = json.loads((model / "config.json").read_text(encoding="utf-8"))
data = (model / "model.safetensors").read_bytes()
size = struct.unpack("<Q", data[:8])[0]
header = json.loads(data[8:8 + size])
header.pop("__metadata__", None)
for change in sys.argv[3:]:
    if "=" in change:
        key, value = change.split("=", 1)
        config.pop(key, None)
        if value:
            config[key] = json.loads(value)
    else:
        old, new = change.split(":", 1)
        header = {name.replace(old, new): tensor for name, tensor in header.items()
                  if new or old not in name}
body = b""
for tensor in header.values():
    begin, end = tensor["data_offsets"]
    tensor["data_offsets"] = [len(body), len(body) + end - begin]
    body += data[8 + size + begin:8 + size + end]
text = json.dumps(header).encode()
text += b" " * (-len(text) % 8)
out.mkdir(parents=True)
(out / "config.json").write_text(json.dumps(config), encoding="utf-8")
(out / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + body)
