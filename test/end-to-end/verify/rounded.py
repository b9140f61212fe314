# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""rounded.py TRANSFOLD MODEL OUT: --products=bf16 rounds the operands of products, and nothing
else.

MODEL's matrices are written as bfloat16. The interpreter computes the equations with them in
double, with exactly these operands and with rounded ones. Each variant of the two programs that
runs here is compared with its own reference: the exact one within the error of float32, the rounded
one within the effect of a few values that float32 rounds to the other side. Steps of one token use
different kernels.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys

import numpy

transfold, model, out = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])


def run(*command, **environment):
    print("+", *command, flush=True)
    ran = subprocess.run([str(part) for part in command], env={**os.environ, **environment},
                         stderr=subprocess.PIPE, text=True)
    if ran.returncode:
        print(ran.stderr)
    return ran


def narrowed(source, target):
    """Writes a safetensors file with its matrices in bfloat16, rounded to the nearest."""
    raw = source.read_bytes()
    size = int.from_bytes(raw[:8], "little")
    header, parts, offset = {}, [], 0
    for name, entry in json.loads(raw[8:8 + size]).items():
        if name == "__metadata__":
            continue
        begin, end = (8 + size + place for place in entry["data_offsets"])
        data, kind = raw[begin:end], entry["dtype"]
        if kind == "F32" and len(entry["shape"]) == 2:
            bits = numpy.frombuffer(data, numpy.uint32)
            bits = bits + 0x7fff + ((bits >> 16) & 1)
            data, kind = (bits >> 16).astype(numpy.uint16).tobytes(), "BF16"
        header[name] = {"dtype": kind, "shape": entry["shape"],
                        "data_offsets": [offset, offset + len(data)]}
        offset += len(data)
        parts.append(data)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    target.write_bytes(len(text).to_bytes(8, "little") + text + b"".join(parts))


def logits(folder):
    return numpy.load(folder / "logits.npy").astype(float)


shutil.rmtree(out, ignore_errors=True)
narrow = out / "model"
narrow.mkdir(parents=True)
shutil.copy(model / "config.json", narrow)
narrowed(model / "model.safetensors", narrow / "model.safetensors")

given = ["--in", f"input_ids={model / 'golden' / 'input_ids.npy'}"]
expected = {}
for how in "exact", "bf16":
    assert not run(transfold, "eval", narrow, "--products", how, "--after", "folded", *given,
                   "--out", out / how).returncode
    expected[how] = logits(out / how)
scale = numpy.abs(expected["exact"]).max()
rounding = numpy.abs(expected["exact"] - expected["bf16"]).max() / scale
print(f"rounding products changes {rounding:.2g} of the largest logit")
assert 2**-14 < rounding < 2**-5, "each product is off by up to 2^-9 of itself"

# The error of float32 itself is about 1e-6 here. Of some ten thousand rounded values, a few are so
# close to the middle between two bfloat16 values that float32 rounds them to the other one: 2^-8 of
# one product among 64.
limits = {"exact": 2e-5, "bf16": min(2**-8, rounding / 2)}
for how in "exact", "bf16":
    program = out / f"{how}.program"
    assert not run(transfold, "compile", narrow, "--products", how, "-o", program).returncode
    variants = json.loads(subprocess.check_output([program, "info", "--json"]))["processors"]
    assert ("avx512_bf16" in variants) == (how == "bf16" and "avx512" in variants), variants
    ran = 0
    for variant in variants:
        for chunk in [], ["--chunk", "1"], ["--chunk", "7"]:
            folder = out / f"{how}.{variant}.{''.join(chunk)}"
            done = run(program, "eval", *given, *chunk, "--out", folder, TRANSFOLD_CPU=variant)
            if done.returncode:
                assert "this processor has no " in done.stderr
                break
            far = numpy.abs(logits(folder) - expected[how]).max() / scale
            print(f"{how}, {variant} {chunk}: {far:.2g}, limit {limits[how]:.2g}")
            assert far <= limits[how]
            ran += 1
    assert ran, "no variant runs here"
