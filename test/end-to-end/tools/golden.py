# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""golden.py PROGRAM GOLDEN OUT [alike] [bits]: each of a program's variants agrees with float64.

The golden's sequences run as one batch and each alone. That batches, steps and threads change no
bit is what the program's own command `prove-bits` checks, with generated requests; with `bits`, and
on a device, bits.py checks it from outside with the golden's, which takes ten times as long.
Variants that this machine cannot run are reported. At least one runs, and if there
are several, they differ in rounding, which shows that the choice of a variant took effect. With
`alike` they need not differ: both may compute the sums of a small model in the same order.
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
mask = inputs.get("attention_mask")


def run(variant, arrays, folder):
    """The results of one call, or None if this machine has no such processor."""
    folder.mkdir(parents=True, exist_ok=True)
    words = []
    for name, array in arrays.items():
        numpy.save(folder / f"{name}.in.npy", array)
        words += ["--in", f"{name}={folder / name}.in.npy"]
    ran = subprocess.run([program, "eval", "--threads", "2", "--out", folder, *words],
                         env={**os.environ, "TRANSFOLD_CPU": variant},
                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if ran.returncode:
        assert f"TRANSFOLD_CPU={variant}: this processor has no " in ran.stderr, ran.stderr
        print(f"{variant}: {ran.stderr}")
        return None
    return {path.stem: numpy.load(path) for path in folder.glob("*.npy")
            if not path.stem.endswith(".in")}


def alone(variant, folder, shapes):
    """Results in the shape of the batch's, from one call for each sequence."""
    together = {name: numpy.zeros(shape, numpy.float32) for name, shape in shapes.items()}
    for k in range(len(next(iter(inputs.values())))):
        length = int(mask[k].sum()) if mask is not None else None
        arrays = {name: array[k:k + 1, :length] if mask is not None and
                  array.shape[:2] == mask.shape else array[k:k + 1]
                  for name, array in inputs.items()}
        for name, result in run(variant, arrays, folder / str(k)).items():
            together[name][k][tuple(slice(n) for n in result[0].shape)] = result[0]
    for name, result in together.items():
        numpy.save(folder / f"{name}.npy", result)


def compare(folder):
    subprocess.run([sys.executable, pathlib.Path(__file__).parent / "compare.py", "golden",
                    golden, folder], check=True)


info = json.loads(subprocess.check_output([program, "info", "--json"]))
ran = {}
for variant in info["processors"]:
    results = run(variant, inputs, out / variant / "batch")
    if results is None:
        continue
    print(f"{variant}, as a batch and alone:")
    compare(out / variant / "batch")
    alone(variant, out / variant / "alone",
          {name: result.shape for name, result in results.items()})
    compare(out / variant / "alone")
    ran[variant] = results
assert ran, "no variant runs here"
assert len(ran) == 1 or "alike" in sys.argv[4:] or len({b"".join(results[name].tobytes() for name in sorted(results))
                             for results in ran.values()}) > 1, "the variants are one"
if "bits" in sys.argv[4:] or info["device"] != "cpu":
    subprocess.run([sys.executable, pathlib.Path(__file__).with_name("bits.py"), program, golden,
                    out / "bits"], check=True)
else:
    for variant in ran:
        subprocess.run([program, "prove-bits"], env={**os.environ, "TRANSFOLD_CPU": variant}, check=True)
