# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""same_bits.py PROGRAM GOLDEN OUT: the same bits with any schedules.

PROGRAM was compiled with --trials. Compares all results of the golden's sequences, with the default
schedules and with each of the others; if the program has decode steps, also in chunks.
"""

import json
import pathlib
import subprocess
import sys

import numpy

program, golden, out = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
inputs = [word for path in sorted(golden.glob("*.npy"))
          if not path.stem.endswith("_f64") and not path.stem.startswith(("generated", "beam"))
          for word in ("--in", f"{path.stem}={path}")]
info = json.loads(subprocess.check_output([program, "info", "--json"]))
variants = info["processors"]
trials = [name for name in variants if name.startswith("trial")]
assert len(trials) >= 4, variants
ways = [[]]
if any(".step(" in entry for entry in info["entries"]):
    ways += [["--chunk", "1"], ["--chunk", "7"]]


def results(variant, way):
    folder = out / "-".join([variant, *way])
    subprocess.run([program, "eval", *inputs, "--out", folder, *way], check=True,
                   stdout=subprocess.DEVNULL, env={"TRANSFOLD_CPU": variant})
    return {path.name: numpy.load(path).tobytes() for path in sorted(folder.glob("*.npy"))}


first = None
for variant in variants:
    for way in ways:
        own = results(variant, way)
        assert own
        first = first or own
        different = [name for name in own if own[name] != first[name]]
        assert not different, (variant, way, different)
print(f"{len(trials)} trials, {len(ways)} ways: the same bits")
