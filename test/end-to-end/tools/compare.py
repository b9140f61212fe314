# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""compare.py golden|exact GOLDEN RESULTS: compares results with float64 values computed elsewhere.

GOLDEN holds meta.json, NAME_f64.npy for each result NAME and, for sequences of tokens,
attention_mask.npy; RESULTS holds NAME.npy. Only positions with a token are compared; at the others,
results must be zero. If results have other rows than the input, `rows` of meta.json counts those of
each sequence. golden: at most four times as far from float64 as the original model in
float32. exact: 1e-12 of the largest value, for results in double.
"""

import json
import pathlib
import sys

import numpy

kind, golden, results = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
meta = json.loads((golden / "meta.json").read_text(encoding="utf-8"))
masked = golden / "attention_mask.npy"
mask = numpy.load(masked).astype(bool) if masked.exists() else None
wrong = False
compared = 0
for path in sorted(golden.glob("*_f64.npy")):
    name = path.name.removesuffix("_f64.npy")
    expected = numpy.load(path)
    found = numpy.load(results / f"{name}.npy")
    if found.shape != expected.shape:
        print(f"{name}: shape {found.shape} instead of {expected.shape}")
        wrong = True
        continue
    if mask is not None and expected.shape[:2] == mask.shape:
        if found[~mask].any():
            print(f"{name}: not zero where there is no token")
            wrong = True
        expected, found = expected[mask], found[mask]
    elif "rows" in meta:
        rows = numpy.arange(expected.shape[1]) < numpy.array(meta["rows"])[:, None]
        if found[~rows].any():
            print(f"{name}: not zero after its rows")
            wrong = True
        expected, found = expected[rows], found[rows]
    difference = numpy.abs(found.astype(float) - expected).max()
    limit = (4 * meta["f32_vs_f64"][name] if kind == "golden"
             else 1e-12 * numpy.abs(expected).max())
    # A NaN exceeds every limit.
    far = not difference <= limit
    print(f"{name}: {difference:.3g} from float64, limit {limit:.3g}"
          + (": too far" if far else ""))
    wrong |= far
    compared += 1
sys.exit(wrong or not compared)
