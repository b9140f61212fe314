# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""alike.py PROGRAM GOLDEN REFERENCE.npz OUT: a program computes what another one computed.

    alike.py --write PROGRAM GOLDEN REFERENCE.npz OUT

The results of PROGRAM for the inputs of GOLDEN differ from those in REFERENCE.npz, which --write
makes, by at most 1 % of their largest value: for two programs that round the same products to
bfloat16 and add them in different orders, so that few values are rounded to other neighbors. If
the program has decode steps, it gives the same bits token by token.
"""

import json
import pathlib
import shutil
import subprocess
import sys

import numpy

LIMIT = 0.01
write = sys.argv[1] == "--write"
program, golden, reference, out = map(pathlib.Path, sys.argv[1 + write:])
inputs = [word for path in sorted(golden.glob("*.npy"))
          if not path.stem.endswith("_f64") and not path.stem.startswith(("generated", "beam"))
          for word in ("--in", f"{path.stem}={path}")]


def results(*options):
    shutil.rmtree(out, ignore_errors=True)
    subprocess.run([program.resolve(), "eval", *inputs, *options, "--out", out], check=True,
                   stdout=subprocess.DEVNULL)
    return {path.stem: numpy.load(path) for path in sorted(out.glob("*.npy"))}


whole = results()
assert whole, "no results"
if write:
    numpy.savez(reference, **whole)
    sys.exit()
wrong = False
for name, expected in numpy.load(reference).items():
    far = numpy.abs(whole[name] - expected).max() / numpy.abs(expected).max()
    # A NaN exceeds every limit.
    is_far = not far <= LIMIT
    print(f"{name}: {far:.3g} from the reference, limit {LIMIT:g}" + (": too far" if is_far else ""))
    wrong |= is_far
info = json.loads(subprocess.check_output([program.resolve(), "info", "--json"]))
if any(".step(" in entry for entry in info["entries"]):
    steps = results("--chunk", "1")
    for name, values in whole.items():
        if not numpy.array_equal(values, steps[name]):
            print(f"{name}: token by token it has other bits")
            wrong = True
sys.exit(wrong)
