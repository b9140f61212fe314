# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""device.py TRANSFOLD KIND OUT: a model of blocks.py on an OpenCL device.

Weights keep the format of the file and are widened where kernels read them. The program is as close
to double as the program for the CPU, which reads the same blocks, and its file of weights is not
larger.
"""

import pathlib
import subprocess
import sys

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tools"))
from commands import make_empty
import gguf_file
import gguf_models
from kinds import MODELS

transfold, kind, out = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
make_empty(out)
tokens = numpy.random.default_rng(6).integers(0, gguf_models.VOCABULARY, (3, 19))
numpy.save(out / "ids.npy", tokens)
inputs = ["--in", f"input_ids={out / 'ids.npy'}"]


def results(name, *program):
    subprocess.run([str(part) for part in [*program, *inputs, "--out", out / name]], check=True)
    return numpy.load(out / name / "logits.npy")


model = out / "model.gguf"
gguf_file.write(model, *gguf_models.dense(**MODELS[kind]))
exact = results("double", transfold, "eval", model)
for target in ["x86-64", "opencl"]:
    subprocess.run([transfold, "compile", model, "-q", "--target", target, "-o", out / target],
                   check=True)
    found = results(f"{target}-out", out / target, "eval")
    far = abs(found - exact).max() / abs(exact).max()
    size = (out / f"{target}.weights").stat().st_size
    print(f"{target}: {far:.2g} of the largest logit from double, {size} bytes of weights")
    assert found.shape == exact.shape and far < 2e-5
    # One row at a time, a few, and tiles of many: different forms of the same kernels.
    for chunk in [1, 3] if target == "opencl" else []:
        steps = results(f"{chunk}-steps", out / target, "eval", "--chunk", chunk)
        assert (steps == found).all(), f"other bits in steps of {chunk}"
    assert size <= (out / "x86-64.weights").stat().st_size + 4096, "weights were widened"
