# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""blocks.py TRANSFOLD KIND OUT: a tiny model with weights in blocks, KIND of kinds.py.

The same model is also written in float32, with the values that NumPy computes from the blocks. In
double both are the same model, bit for bit: the compiler reads blocks correctly. Programs of both
are close to it; that of the blocks, which sums groups of a block before it scales them, gives the
same bits for a prompt of 40 tokens at once and one by one; and its file has no more bytes than the
tensors. With rows rounded to 8 bits it is close to the interpreter with the same rounding.
"""

import pathlib
import subprocess
import sys

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tools"))
from commands import make_empty, run
import gguf_file
import gguf_models
from kinds import MODELS

# The router's scores have four columns, stored in a panel of 32. Values of TQ2_0 are stored as
# float16.
PADDING = {"experts": 28 * gguf_models.WIDTH * 4, "few-bits": 128 * gguf_models.WIDTH * 2}

transfold, kind, out = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
make_empty(out)
tokens = numpy.random.default_rng(5).integers(0, gguf_models.VOCABULARY, (2, 40))
numpy.save(out / "ids.npy", tokens)
inputs = ["--in", f"input_ids={out / 'ids.npy'}"]


def results(program, name, *options):
    run(*program, *inputs, "--out", out / name, *options)
    return numpy.load(out / name / "logits.npy")


metadata, tensors = gguf_models.dense(**MODELS[kind])
logits, exact = {}, {}
for name, content in {"stored": tensors, "wide": gguf_models.widened(tensors)}.items():
    model = out / f"{name}.gguf"
    gguf_file.write(model, metadata, content)
    exact[name] = results([transfold, "eval", model], f"{name}-double")
    run(transfold, "compile", model, "-q", "-o", out / name)
    logits[name] = results([out / name, "eval"], f"{name}-program")
assert (exact["stored"] == exact["wide"]).all(), "blocks are read as other numbers"

for name in logits:
    relative = abs(logits[name] - exact["wide"]).max() / abs(exact["wide"]).max()
    print(f"{name}: {relative:.2g} of the largest logit from double")
    assert relative < 2e-5
for options in ["--chunk", 1], ["--chunk", 7, "--threads", 1]:
    steps = results([out / "stored", "eval"], "steps", *options)
    assert (steps == logits["stored"]).all(), f"other bits with {options}"

# float32 rounds a few of the values to the other integer: 1/127 of one among 32.
if kind != "floats":
    how = ["--products", "int8"]
    rounded = results([transfold, "eval", out / "stored.gguf", *how, "--after", "folded"],
                      "int8-double")
    run(transfold, "compile", out / "stored.gguf", *how, "-q", "-o", out / "int8")
    found = results([out / "int8", "eval"], "int8-program")
    scale = abs(exact["wide"]).max()
    change, far = abs(rounded - exact["wide"]).max() / scale, abs(found - rounded).max() / scale
    print(f"8 bits change {change:.2g} of the largest logit; the program is {far:.2g} from that")
    assert 1e-3 < change < 0.2 and far < change / 2
    for options in ["--chunk", 1], ["--chunk", 7, "--threads", 1]:
        assert (results([out / "int8", "eval"], "steps", *options) == found).all(), options

# A scale that is not finite is reported when weights are written. (Q8_0, Q4_1 and Q4_K.)
if kind != "floats":
    name = "blk.0.attn_q.weight"
    tensor = gguf_file.stored(tensors[name])
    gguf_file.write(out / "damaged.gguf", metadata, {**tensors, name: gguf_file.damaged(tensor)})
    for embedded in [], ["--embed-weights"]:
        made = subprocess.run([transfold, "compile", out / "damaged.gguf", "-q", *embedded, "-o", out / "damaged"],
                              capture_output=True, text=True)
        assert made.returncode == 0 and made.stderr.count("\n") == 1, made.stderr
        assert f"warning: {out}/damaged.gguf: '{name}' has blocks whose scale is infinite" in made.stderr, made.stderr

stored = sum(len(gguf_file.stored(tensor).content) for tensor in tensors.values())
written = (out / "stored.weights").stat().st_size
print(f"{written} bytes of weights, {stored} of tensors")
assert written <= stored + PADDING.get(kind, 0) + 8192, "something is there twice"
