# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""steps_of_rows.py TRANSFOLD SPECS OUT: further arrays, besides the tokens, of models that
generate.

Whole sequences and decode steps give the same values in the interpreter and the same bits in the
program; an argument with a default is filled with it, by `generate` as by `eval`. Leaves OUT/rows
and OUT/defaults with their programs.
"""
import json
import pathlib
import sys

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
import gguf_convert  # noqa: E402
from commands import run  # noqa: E402

transfold, specs, out = sys.argv[1], *map(pathlib.Path, sys.argv[2:])
random = numpy.random.default_rng(3)
V, D, BATCH, LENGTH = 20, 16, 2, 9


def write(name, tensors):
    folder = out / name
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps({"vocab_size": V, "hidden_size": D}))
    gguf_convert.write_tensors(folder / "model.safetensors", {
        tensor: (random.normal(size=shape) / shape[-2] ** 0.5).astype("<f4")
        for tensor, shape in tensors.items()})
    return folder


def inputs(folder, arrays):
    said = []
    for name, array in arrays.items():
        numpy.save(folder / f"{name}.npy", array)
        said += ["--in", f"{name}={folder / name}.npy"]
    return said


def logits(command, folder, said, *options):
    run(*command, *said, "--out", folder, *options)
    return numpy.load(folder / "logits.npy")


def compare(name, tensors, arrays):
    """Returns the program, after checking that it agrees with the equations, for whole sequences
    and in steps."""
    folder, spec = write(name, tensors), ["--spec", specs / f"{name}.xf"]
    program = folder / "program"
    run(transfold, "check", specs / f"{name}.xf", folder)
    run(transfold, "compile", folder, *spec, "-q", "-o", program)
    said = inputs(folder, arrays)
    run(transfold, "verify", folder, *spec, "--program", program, *said)
    whole = logits([program, "eval"], folder / "whole", said)
    meant = logits([transfold, "eval", folder, *spec], folder / "meant", said)
    for chunk in "1", "4":
        some = logits([program, "eval"], folder / "some", said, "--chunk", chunk)
        assert numpy.array_equal(some, whole), f"{name}: --chunk {chunk} has other bits"
        some = logits([transfold, "eval", folder, *spec], folder / "some", said, "--chunk", chunk)
        assert abs(some - meant).max() < 1e-12, f"{name}: --chunk {chunk} means something else"
    return program


tokens = random.integers(0, V, (BATCH, LENGTH)).astype("int64")
compare("rows", {"E": [V, D], "S": [3, D], "A": [D, D], "B": [D, D], "V": [2, D, 8], "U": [D, V]},
        {"tokens": tokens, "place": random.normal(size=(BATCH, LENGTH)).astype("float32"),
         "image": random.normal(size=(BATCH, LENGTH, D)).astype("float32")})

program = compare("defaults", {"E": [V, D], "S": [3, D], "A": [D, D], "U": [D, V]},
                  {"tokens": tokens})
folder = out / "defaults"
numpy.save(folder / "prompt.npy", tokens[:, :4])
run(program, "generate", "--ids", folder / "prompt.npy", "--max-new", "3", "--ignore-eos",
    "--out", folder / "generated.npy")
generated = numpy.load(folder / "generated.npy")[:, -3:]
row = tokens[:, :4]
for step in range(3):
    best = logits([program, "eval"], folder / "whole", inputs(folder, {"tokens": row}))
    row = numpy.concatenate([row, best[:, -1].argmax(-1)[:, None]], 1)
assert numpy.array_equal(generated, row[:, 4:]), (generated, row[:, 4:])
