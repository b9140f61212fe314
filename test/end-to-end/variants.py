# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""variants.py PROGRAM GOLDEN OUT: each of a program's variants agrees with float64.

Those that this machine cannot run say so. At least one runs, and where there are two,
they differ in how they round: the variable did choose.
"""

import json
import os
import pathlib
import subprocess
import sys

import numpy

program, golden, out = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
names = json.loads(subprocess.check_output([program, "info", "--json"]))["processors"]
results = {}
for name in names:
    folder = out / name
    ran = subprocess.run(
        [program, "eval", "--threads", "2", "--out", folder,
         *[word for key in ("input_ids", "attention_mask", "token_type_ids")
           for word in ("--in", f"{key}={golden / key}.npy")]],
        env={**os.environ, "TRANSFOLD_CPU": name}, stderr=subprocess.PIPE, text=True)
    if ran.returncode:
        assert f"TRANSFOLD_CPU={name}: this processor has no " in ran.stderr, ran.stderr
        print(f"{name}: {ran.stderr}")
        continue
    subprocess.run([sys.executable, pathlib.Path(__file__).parent / "compare.py", "golden",
                    golden, folder], check=True)
    results[name] = numpy.load(folder / "last_hidden_state.npy")
assert results, "no variant runs here"
assert len(results) == 1 or len({array.tobytes() for array in results.values()}) > 1
