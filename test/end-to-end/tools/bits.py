# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""bits.py PROGRAM GOLDEN OUT: the same bits alone and in a batch.

Runs the golden's sequences, unchanged and cut to other lengths: together and each alone, and if the
program has decode steps, in chunks of 1, 3, 7 and 64 tokens (on a device 1 and 7); on 1, 2, 3 and 8
threads; with each variant of kernels that this machine can run. Prints a line for each of these
ways, and fails if a bit differs.
"""

import json
import os
import pathlib
import subprocess
import sys

import numpy

program, golden, out = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
inputs = {path.stem: numpy.load(path) for path in sorted(golden.glob("*.npy"))
          if not path.stem.endswith("_f64") and not path.stem.startswith(("generated", "beam"))}
info = json.loads(subprocess.check_output([program, "info", "--json"]))
heard = {"input_values", "input_features"} & set(inputs) and len(inputs) - ("attention_mask" in inputs) == 1
goes_on = any(".step(" in entry for entry in info["entries"])
threads, chunks = [1, 2, 3, 8], [1, 3, 7, 64]
if {"opencl", "cuda", "cuda_80"} & set(info["processors"]):
    chunks = [1, 7]  # a device begins slowly, and has threads of its own


def sequences():
    """Inputs of single sequences: those of the golden, also cut to other lengths."""
    count = len(next(iter(inputs.values())))
    mask = inputs.get("attention_mask")
    for k in range(count):
        arrays = {name: array[k:k + 1] for name, array in inputs.items()
                  if name != "attention_mask"}
        if mask is not None:
            length = int(mask[k].sum())
            arrays = {name: array[:, :length] if array.shape[1] == mask.shape[1] and
                      not name.startswith("decoder") else array
                      for name, array in arrays.items()}
        yield arrays
        for shorter in (1, 3, 4, 5) if not heard else ():
            yield {name: array[:, :shorter] if array.dtype.kind == "i" else array
                   for name, array in arrays.items()}
        # A recording, or its features.
        for share in (0.4, 0.75) if heard else ():
            yield {name: array[:, :int(share * array.shape[1])] for name, array in arrays.items()}


def padded(several):
    """Arrays of several sequences, with masks if their lengths differ."""
    together = {}
    for name in several[0]:
        parts = [arrays[name][0] for arrays in several]
        lengths = numpy.array([len(part) for part in parts])
        whole = numpy.zeros((len(parts), lengths.max(), *parts[0].shape[1:]), parts[0].dtype)
        for row, part in zip(whole, parts):
            row[:len(part)] = part
        together[name] = whole
        if len(set(lengths)) > 1:
            mask = "decoder_attention_mask" if name.startswith("decoder") else "attention_mask"
            together[mask] = (numpy.arange(lengths.max()) < lengths[:, None]).astype(numpy.int64)
    return together


def run(variant, arrays, *options):
    """The results of one call, or None if this machine has no such processor."""
    out.mkdir(parents=True, exist_ok=True)
    for old in out.glob("*.npy"):
        old.unlink()
    words = []
    for name, array in arrays.items():
        numpy.save(out / f"{name}.in.npy", array)
        words += ["--in", f"{name}={out / name}.in.npy"]
    ran = subprocess.run([program, "eval", "--out", out, *map(str, options), *words],
                         env={**os.environ, "TRANSFOLD_CPU": variant},
                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if ran.returncode:
        assert f"TRANSFOLD_CPU={variant}: this processor has no " in ran.stderr, ran.stderr
        return None
    return {path.stem: numpy.load(path) for path in out.glob("*.npy")
            if not path.stem.endswith(".in")}


def differing(result, expected):
    """The names of results that differ from `expected`, which may be longer; both of one
    sequence."""
    assert result
    return [name for name, value in result.items()
            if expected[name][tuple(slice(n) for n in value.shape)].tobytes() != value.tobytes()]


alone = list(sequences())
together = padded(alone)
ways = {"": []}
if goes_on:
    ways.update({f" in chunks of {chunk}": ["--chunk", chunk] for chunk in chunks})
wrong = tried = 0
for variant in info["processors"]:
    expected = run(variant, together, "--threads", 1)
    if expected is None:
        print(f"{variant}: not here")
        continue
    tried += 1
    own = [{name: value[k:k + 1] for name, value in expected.items()}
           for k in range(len(alone))]
    for way, options in ways.items():
        for count in threads if variant not in ("opencl", "cuda", "cuda_80") else threads[:1]:
            several = ["--threads", count, *options]
            among = differing(run(variant, together, *several), expected)
            others = [k for k, arrays in enumerate(alone)
                      if differing(run(variant, arrays, *several), own[k])]
            wrong += bool(among or others)
            print(f"{variant}{way} on {count} threads: among others " +
                  (f"other bits ({', '.join(among)})" if among else "equal") + ", alone " +
                  (f"other bits (sequences {others})" if others else "equal"))
assert tried, "no variant runs here"
sys.exit(wrong != 0)
