# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""damaged_weights.py MODEL TENSOR OUT: writes MODEL's weights, with the tensor whose name ends
with TENSOR multiplied by 1.1."""

import json
import pathlib
import sys

import numpy

model, tensor, out = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
content = bytearray((model / "model.safetensors").read_bytes())
start = 8 + int.from_bytes(content[:8], "little")
header = json.loads(content[8:start])
(name,) = [name for name in header if name.endswith(tensor)]
begin, end = (start + at for at in header[name]["data_offsets"])
numbers = numpy.frombuffer(bytes(content[begin:end]), numpy.float32)
content[begin:end] = (numbers * numpy.float32(1.1)).tobytes()
(out / "model.safetensors").write_bytes(content)
