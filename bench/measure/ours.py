# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs compiled by transfold: here, or earlier."""

import json
import pathlib
import subprocess

from measure.machine import pinned
from measure.problem import Problem, Unavailable

# Compiler options for each precision. Weights of a GGUF file keep their format; the
# activations are float32, or rounded to 8 bits as in llama.cpp.
OPTIONS = {"f32": [], "bf16": ["--quantize=bf16"], "int8": ["--quantize=int8"]}
OPTIONS_GGUF = {"f32": [], "int8": ["--products=int8"]}


def is_gguf(model):
    return model.suffix == ".gguf"


def compile_model(build, model, precision, folder):
    """The path of the program of a model in a precision."""
    options = OPTIONS_GGUF if is_gguf(model) else OPTIONS
    if precision not in options:
        raise Unavailable(f"activations for the quantized weights of {model.name} are f32 or int8")
    compiler = pathlib.Path(build) / "bin" / "transfold"
    if not compiler.exists():
        raise Problem(f"there is no compiler at {compiler}; build it (ninja -C build), give its "
                      "folder with --build, or give a ready program with --program")
    path = folder / f"{model.stem if is_gguf(model) else model.name}.{precision}"
    found = subprocess.run([compiler, "compile", model, "-o", path, "-q", *options[precision]],
                           capture_output=True, text=True, check=False)
    if found.returncode:
        raise Problem(f"transfold does not compile {model} for {precision}: {found.stderr.strip()}")
    return path


class Program:
    def __init__(self, path, precision, cpus):
        self.path, self.precision, self.cpus = pathlib.Path(path).resolve(), precision, cpus

    def bench(self, *options):
        """The output of `PROGRAM bench --json`."""
        return json.loads(pinned([self.path, "bench", *options, "--threads", len(self.cpus),
                                  "--json"], self.cpus))

    def embeddings(self, sequences, folder):
        """Embeddings of sequences of ids, one row each, in one call; the program computes
        without padding."""
        import numpy
        from peers.padding import padded
        ids, mask = padded(sequences)
        numpy.save(folder / "ids.npy", ids)
        numpy.save(folder / "mask.npy", mask)
        pinned([self.path, "eval", "--entry", "sentence", "--in", f"input_ids={folder}/ids.npy",
                "--in", f"attention_mask={folder}/mask.npy", "--out", folder], self.cpus)
        return numpy.load(folder / "embedding.npy")
