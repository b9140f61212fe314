# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""long.py TRANSFOLD MODEL PROGRAM OUT: a sequence that is longer than two blocks of 64 positions.

MODEL/long holds the sequence and the original's logits in float64. The interpreter agrees with them to 1e-12; the
program to four times float32's error, and with the same bits whole, in steps of 1 to 200 tokens, on 1 to 8 threads, alone
and among sequences of other lengths.
"""

import pathlib
import subprocess
import sys

import numpy

transfold, model, program, out = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3], pathlib.Path(sys.argv[4])
golden = model / "long"
ids = numpy.load(golden / "input_ids.npy")
out.mkdir(parents=True, exist_ok=True)


def compare(kind, folder):
    subprocess.run([sys.executable, pathlib.Path(__file__).parents[1] / "compare.py", kind, golden, folder], check=True)


def logits(command, name, tokens, *options):
    """The logits of a batch of sequences, which differ in length."""
    folder = out / name
    folder.mkdir(exist_ok=True)
    longest = max(len(row) for row in tokens)
    padded = numpy.zeros((len(tokens), longest), numpy.int64)
    mask = numpy.zeros_like(padded)
    for k, row in enumerate(tokens):
        padded[k, :len(row)], mask[k, :len(row)] = row, 1
    numpy.save(folder / "ids.npy", padded)
    numpy.save(folder / "mask.npy", mask)
    words = ["--in", f"input_ids={folder / 'ids.npy'}"]
    if len(tokens) > 1:
        words += ["--in", f"attention_mask={folder / 'mask.npy'}"]
    subprocess.run([*command, *words, "--out", folder, *options], check=True, stdout=subprocess.DEVNULL)
    return numpy.load(folder / "logits.npy")


logits([transfold, "eval", model], "exact", ids)
compare("exact", out / "exact")
run = [program, "eval"]
whole = logits(run, "whole", ids)
compare("golden", out / "whole")
for chunk in 1, 3, 7, 63, 64, 65, 200:
    steps = logits(run, f"steps{chunk}", ids, "--chunk", str(chunk))
    assert (steps == whole).all(), f"steps of {chunk} tokens differ"
for threads in "1", "2", "8":
    assert (logits(run, f"threads{threads}", ids, "--threads", threads) == whole).all(), f"{threads} threads differ"
# The middle one is alone at another place than its beginning.
others = [ids[0, 5:70], ids[0], ids[0, :64], ids[0, 3:4]]
for name, options in ("batch", []), ("batch-steps", ["--chunk", "7"]):
    together = logits(run, name, others, *options)
    for k, row in enumerate(others):
        alone = logits(run, f"{name}-{k}", [row])
        assert (together[k, :len(row)] == alone[0]).all(), f"sequence {k} differs among others ({name})"
print("long sequences: the same bits whole, in steps, on any threads and among others")
