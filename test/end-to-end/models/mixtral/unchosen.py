# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""unchosen.py MODEL OUT: writes the model with a router that scores all experts equally, so that
each token has the first two; and the same with NaN weights in the other experts."""

import json
import pathlib
import shutil
import struct
import sys

import numpy

model, out = map(pathlib.Path, sys.argv[1:])
content = (model / "model.safetensors").read_bytes()
size = struct.unpack("<Q", content[:8])[0]
header = json.loads(content[8:8 + size])
chosen = json.loads((model / "config.json").read_text())["num_experts_per_tok"]
for name in ["numbers", "nan"]:
    changed = bytearray(content)
    for tensor, entry in header.items():
        if tensor == "__metadata__":
            continue
        begin, end = (8 + size + at for at in entry["data_offsets"])
        part = numpy.frombuffer(changed, numpy.float32, (end - begin) // 4, begin)
        if tensor.endswith("gate.weight"):
            part[:] = 0
        elif name == "nan" and ".experts." in tensor and int(tensor.split(".")[5]) >= chosen:
            part[:] = numpy.nan
    (out / name).mkdir()
    shutil.copy(model / "config.json", out / name)
    (out / name / "model.safetensors").write_bytes(changed)
