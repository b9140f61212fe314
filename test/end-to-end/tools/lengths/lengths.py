# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""lengths.py PROGRAM OTHER GOLDEN LONGEST OUT: two programs of one model agree at every
length from 1 to LONGEST, in one batch.

Each may be four times as far from float64 as the original model is in float32.
"""

import json
import pathlib
import subprocess
import sys

import numpy

*programs, golden, longest, out = sys.argv[1:]
limits = json.loads((pathlib.Path(golden) / "meta.json").read_text(encoding="utf-8"))
longest, out = int(longest), pathlib.Path(out)
out.mkdir(parents=True, exist_ok=True)
numpy.save(out / "ids.npy", numpy.random.default_rng(0).integers(5, 150, (longest, longest)))
numpy.save(out / "mask.npy",
           (numpy.arange(longest) <= numpy.arange(longest)[:, None]).astype(numpy.int64))
for k, program in enumerate(programs):
    subprocess.run([program, "eval", "--in", f"input_ids={out}/ids.npy", "--in",
                    f"attention_mask={out}/mask.npy", "--out", out / str(k)],
                   check=True, stdout=subprocess.DEVNULL)
compared = 0
for path in (out / "0").glob("*.npy"):
    first, second = numpy.load(path), numpy.load(out / "1" / path.name)
    assert first.any(), path
    difference = numpy.abs(first - second).max(axis=tuple(range(1, first.ndim)))
    limit = 8 * limits["f32_vs_f64"][path.stem]
    print(f"{path.stem}: at most {difference.max():.3g} apart, at length "
          f"{difference.argmax() + 1}; limit {limit:.3g}")
    assert (difference <= limit).all(), difference
    compared += 1
assert compared
