# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""scales.py TRANSFOLD OUT: weights of any magnitude, rounded to fewer bits.

The scales of blocks are float16. If these are out of its range, a weight keeps its format and is
reported; otherwise there is no message. In both cases results are as accurate as the bits allow. A
weight with NaN is refused, and so is one that is out of the range of bfloat16.
"""

import json
import pathlib
import shutil
import struct
import subprocess
import sys

import numpy

transfold, out = sys.argv[1], pathlib.Path(sys.argv[2])
shutil.rmtree(out, ignore_errors=True)
out.mkdir(parents=True)
SPEC = """model m
lengths n
weights W[k, c]
entry en(x[n, k]) -> y[n, c] { return x @ W }
config hf { k = .k, c = .c }
names hf { W = "W" as [c, k] }
"""
# The allowed errors of results, relative to the largest.
ERRORS = {"int8": 0.01, "int5": 0.05, "int4": 0.1, "bf16": 0.01}
random = numpy.random.default_rng(3)
weights = random.standard_normal((32, 64)).astype("f4")
rows = random.standard_normal((1, 5, 64)).astype("f4")
numpy.save(out / "x.npy", rows)
(out / "m.xf").write_text(SPEC, encoding="utf-8")


def write(matrix):
    header = json.dumps({"W": {"dtype": "F32", "shape": matrix.shape,
                               "data_offsets": [0, matrix.nbytes]}}).encode()
    (out / "model").mkdir(exist_ok=True)
    (out / "model" / "config.json").write_text('{"k": 64, "c": 32}', encoding="utf-8")
    (out / "model" / "model.safetensors").write_bytes(
        struct.pack("<Q", len(header)) + header + matrix.astype("<f4").tobytes())


def compiled(how, *options):
    for old in out.glob("program*"):
        old.unlink()
    command = [transfold, "compile", out / "model", "--spec", out / "m.xf", "-q",
               f"--quantize={how}", *options, "-o", out / "program"]
    print("+", *command, flush=True)
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    print(done.stderr, flush=True)
    return done


def error_of(expected):
    subprocess.run([out / "program", "eval", "--in", f"x={out / 'x.npy'}", "--out", out / "found"],
                   check=True)
    found = numpy.load(out / "found" / "y.npy")
    assert numpy.isfinite(found).all()
    return abs(found - expected).max() / abs(expected).max()


CALIBRATED = ["--calibrate", f"x={out / 'x.npy'}"]
for how, scale, is_named, options in [
        ("int8:weights", 1, False, []), ("int8:weights", 1e-2, False, []),
        ("int8:weights", 1e-8, True, []), ("int8:weights", 1e10, True, []),
        ("int8", 1e-8, True, []), ("int8", 1e3, False, []),
        ("int5", 1, False, []), ("int5", 1e-8, True, []), ("int5", 1e10, True, []),
        ("int4", 1e-8, True, []), ("int4", 1e10, True, []), ("int4", 1, False, CALIBRATED),
        ("int4", 1e-8, True, CALIBRATED), ("bf16", 1e-30, False, []), ("bf16", 1e30, False, [])]:
    own = (weights * scale).astype("f4")
    write(own)
    done = compiled(how, *options)
    assert done.returncode == 0
    assert ("warning: 'W' stays as it is: its elements are" in done.stderr) == is_named
    error = error_of(rows.astype("f8") @ own.T.astype("f8"))
    print(f"{how}, {scale}: {error:.2g} of the largest", flush=True)
    assert error < ERRORS[how.split(":")[0]]

for how in ERRORS:
    broken = weights.copy()
    broken[3, 5] = numpy.nan
    write(broken)
    options = CALIBRATED if how == "int4" else []
    done = compiled(how, *options)
    assert done.returncode == 1 and done.stderr.count("error: ") == 1
    assert "'W' has an element that is" in done.stderr and "NaN" in done.stderr
    assert not list(out.glob("program*"))
broken = weights.copy()
broken[3, 5] = numpy.finfo("f4").max
write(broken)
done = compiled("bf16")
assert done.returncode == 1 and "'W' has an element that is too large" in done.stderr
