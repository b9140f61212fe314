# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""recurrent_translator.py TRANSFOLD SPEC OUT: a decoder whose states attend to the source.

Each position of the decoder reads what the encoder made of its own sequence. NumPy computes the
equations in float64, sequence by sequence; the interpreter and the program get sources and targets
of several lengths in one batch, whole and in steps.
"""
import json
import pathlib
import sys

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
import gguf_convert  # noqa: E402
from commands import run  # noqa: E402

transfold, spec, out = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
random = numpy.random.default_rng(5)
V, D = 20, 16
SOURCES, TARGETS = [7, 3, 5], 6
weights = {name: (random.normal(size=shape) / 4).astype("<f4")
           for name, shape in {"E": (V, D), **dict.fromkeys("WVBQU", (D, D))}.items()}


def write():
    out.mkdir(parents=True)
    (out / "config.json").write_text(json.dumps({"vocab_size": V, "hidden_size": D}))
    gguf_convert.write_tensors(out / "model.safetensors", weights)


def numpy_logits(source, target):
    """The equations of the spec for one sequence."""
    w = {name: values.astype("float64") for name, values in weights.items()}
    x, y = w["E"][source], w["E"][target]
    forwards, backwards = numpy.zeros((2, len(x), D))
    state = numpy.zeros(D)
    for i in range(len(x)):
        forwards[i] = state = numpy.tanh(x[i] @ w["W"] + state @ w["V"])
    state = numpy.zeros(D)
    for i in reversed(range(len(x))):
        backwards[i] = state = numpy.tanh(x[i] @ w["W"] + state @ w["B"])
    memory = forwards + backwards
    states, state = numpy.zeros((len(y), D)), numpy.zeros(D)
    for i in range(len(y)):
        scores = numpy.exp(state @ w["Q"] @ memory.T)
        context = scores / scores.sum() @ memory
        states[i] = state = numpy.tanh(y[i] @ w["W"] + state @ w["V"] + context @ w["U"])
    return states @ w["E"].T


def logits(command, folder, *options):
    run(*command, *said, "--out", folder, *options)
    return numpy.load(folder / "logits.npy")


write()
sources = random.integers(0, V, (len(SOURCES), max(SOURCES)))
mask = (numpy.arange(max(SOURCES)) < numpy.array(SOURCES)[:, None]).astype("int64")
targets = random.integers(0, V, (len(SOURCES), TARGETS))
said = []
for name, array in {"input_ids": sources, "attention_mask": mask, "decoder_input_ids": targets}.items():
    numpy.save(out / f"{name}.npy", array)
    said += ["--in", f"{name}={out / name}.npy"]
expected = numpy.stack([numpy_logits(source[:length], target)
                        for source, length, target in zip(sources, SOURCES, targets)])

program = out / "program"
run(transfold, "check", spec, out)
run(transfold, "compile", out, "--spec", spec, "-q", "-o", program)
run(transfold, "verify", out, "--spec", spec, "--program", program, *said)
whole = logits([program, "eval"], out / "whole")
assert abs(whole - expected).max() < 1e-5, abs(whole - expected).max()
for chunk in [], ["--chunk", 1], ["--chunk", 4]:
    found = logits([transfold, "eval", out, "--spec", spec], out / "some", *chunk)
    assert abs(found - expected).max() < 1e-12, f"interpreter {chunk}: {abs(found - expected).max()}"
    found = logits([program, "eval"], out / "some", *chunk, "--threads", 2)
    assert numpy.array_equal(found, whole), f"{chunk}: other bits"
