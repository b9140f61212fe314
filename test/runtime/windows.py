# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""windows.py TRANSFOLD MODEL PROGRAM OUT: a model with sliding windows, in decode steps and at
once.

300 positions in steps of 7 tokens, by the interpreter in double and by the program; then 300 tokens
that the program generates after 600, each of which must be the likeliest according to the logits of
the whole sequence.
"""

import pathlib
import subprocess
import sys

import numpy

transfold, model, program, out = sys.argv[1:]
out = pathlib.Path(out)
out.mkdir()


def run(*command):
    print("+", *command, flush=True)
    subprocess.run([str(part) for part in command], check=True, stdout=subprocess.DEVNULL)


def logits(ids, folder, *command):
    numpy.save(out / "ids.npy", ids)
    run(*command, "--in", f"input_ids={out / 'ids.npy'}", "--out", out / folder)
    return numpy.load(out / folder / "logits.npy")


random = numpy.random.default_rng(1)
ids = random.integers(3, 160, (2, 300))
whole = logits(ids, "whole", transfold, "eval", model)
largest = abs(whole).max()
steps = logits(ids, "steps", transfold, "eval", model, "--chunk", 7)
single = logits(ids, "single", program, "eval", "--chunk", 7)
print(f"in steps: {abs(steps - whole).max():.3g} off in double, "
      f"{abs(single - whole).max():.3g} in float32")
assert abs(steps - whole).max() < 1e-12 * largest
assert abs(single - whole).max() < 1e-4

prompt, new = 600, 300
numpy.save(out / "prompt.npy", random.integers(3, 160, (2, prompt)))
for chunk in [], ["--chunk", 50]:
    run(program, "generate", "--ids", out / "prompt.npy", "--max-new", new, "--ignore-eos",
        "--out", out / "made.npy", *chunk)
    made = numpy.load(out / "made.npy")
    assert made.shape == (2, prompt + new)
    before = logits(made, "made", program, "eval")[:, prompt - 1:-1]
    chosen = numpy.take_along_axis(before, made[:, prompt:, None], 2)[..., 0]
    print(f"generated: at most {(before.max(2) - chosen).max():.3g} below the likeliest")
    assert (before.max(2) - chosen).max() < 1e-4
