# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""quantized.py TRANSFOLD MODEL OUT: programs of MODEL with weights of fewer bits.

The interpreter computes the equations with these weights in double. Programs are close to that, and
give the same bits for a prompt at once or in chunks. A tensor with an infinite value is refused, by
its name.
"""

import json
import pathlib
import shutil
import subprocess
import sys

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
from commands import make_empty, run

transfold, model, out = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
make_empty(out)
given = ["--in", f"input_ids={model / 'golden' / 'input_ids.npy'}"]


def results(program, name, *options):
    run(*program, *given, "--out", out / name, *options)
    return numpy.load(out / name / "logits.npy").astype(float)


exact = results([transfold, "eval", model], "exact")
scale = abs(exact).max()
run(transfold, "compile", model, "-q", "-o", out / "plain")
sizes = {"none": (out / "plain.weights").stat().st_size}
# The least and the largest change by rounding, relative to the largest logit.
RANGES = {"bf16:weights": (1e-4, 0.02), "bf16": (1e-4, 0.03), "int8:weights": (1e-4, 0.2),
          "int8": (1e-4, 0.2), "int5": (4e-3, 0.5), "int4:weights": (1e-2, 0.9), "int4": (1e-2, 0.9)}
for how, (least, most) in RANGES.items():
    name = how.replace(":", "-")
    expected = results([transfold, "eval", model, "--quantize", how, "--after", "folded"],
                       f"{name}-double")
    change = abs(expected - exact).max() / scale
    run(transfold, "compile", model, "--quantize", how, "-q", "-o", out / name)
    found = results([out / name, "eval"], f"{name}-program")
    far = abs(found - expected).max() / scale
    sizes[how] = (out / f"{name}.weights").stat().st_size
    print(f"{how}: {change:.2g} of the largest logit, the program {far:.2g} from that, "
          f"{sizes[how]} bytes")
    assert least < change < most, change
    # If rows are also rounded, some values may be rounded to the other side.
    assert far < (2e-5 if "weights" in how else max(change / 2, 2**-8)), far
    steps = results([out / name, "eval"], f"{name}-steps", "--chunk", 3)
    assert (steps == found).all(), "other bits in chunks"
assert sizes["int4"] < sizes["int5"] < sizes["int8"] < sizes["bf16"] < sizes["none"]

broken = out / "broken"
shutil.copytree(model, broken, ignore=shutil.ignore_patterns("*.test", "golden"))
raw = bytearray((broken / "model.safetensors").read_bytes())
size = int.from_bytes(raw[:8], "little")
name, entry = next((name, entry) for name, entry in json.loads(raw[8:8 + size]).items()
                   if name.endswith("o_proj.weight"))
at = 8 + size + entry["data_offsets"][0]
raw[at:at + 4] = numpy.float32("inf").tobytes()
(broken / "model.safetensors").write_bytes(raw)
refused = subprocess.run([transfold, "compile", broken, "--quantize", "int8", "-q", "-o",
                          out / "none"], capture_output=True, text=True)
print(refused.stderr)
assert refused.returncode == 1 and refused.stderr.count("error: ") == 1
assert "has an element that is infinite or NaN" in refused.stderr and "o_proj" in refused.stderr
assert not (out / "none").exists()
