# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""hostile.py MODEL SPEC FOLDER: a model and its spec with texts that a page must not interpret as HTML.

The tensor `final_logits_bias` gets another name, in FOLDER/model and in FOLDER/hostile.xf.
"""

import json
import pathlib
import shutil
import struct
import sys

model, spec, folder = map(pathlib.Path, sys.argv[1:4])
ATTACK = "</script><img src=x onerror=alert(1)>"
WAS = "final_logits_bias"

text = spec.read_text(encoding="utf-8")
assert f'"{WAS}"' in text
text = text.replace(f'"{WAS}"', f'"{ATTACK}"') + f"\n// {ATTACK} <!-- ]]> &lt; </title>\n"
(folder / "hostile.xf").write_text(text, encoding="utf-8")

shutil.copytree(model, folder / "model")
weights = folder / "model" / "model.safetensors"
data = weights.read_bytes()
length = struct.unpack("<Q", data[:8])[0]
tensors = json.loads(data[8:8 + length])
tensors[ATTACK] = tensors.pop(WAS)
header = json.dumps(tensors).encode()
header += b" " * (-len(header) % 8)
weights.write_bytes(struct.pack("<Q", len(header)) + header + data[8 + length:])
