# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""races.py PROGRAM GOLDEN OUT [CHUNK]: no data races between the threads of a GPU's blocks.

Runs a program for OpenCL on Oclgrind, a device that reports accesses of two threads without a
barrier between them, and out-of-bounds accesses. It is a thousand times slower than the CPU, so
only a few tokens of the golden's first sequence are computed, at once or in steps of CHUNK.
"""

import pathlib
import re
import subprocess
import sys

import numpy

TOKENS = 6

program, golden, out = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
chunk = ["--chunk", sys.argv[4]] if sys.argv[4:] else []
out.mkdir(parents=True, exist_ok=True)
inputs = []
for name in ["input_ids", "attention_mask", "decoder_input_ids", "token_type_ids"]:
    if (golden / f"{name}.npy").exists():
        numpy.save(out / f"{name}.in.npy", numpy.load(golden / f"{name}.npy")[:1, :TOKENS])
        inputs += ["--in", f"{name}={out / name}.in.npy"]
# Oclgrind may fail when the program ends, so its results decide, not its exit status.
ran = subprocess.run(["oclgrind", "--data-races", program, "eval", *inputs, *chunk, "--out", out],
                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
results = [path for path in out.glob("*.npy") if not path.name.endswith(".in.npy")]
assert results, ran.stdout
for path in results:
    assert numpy.isfinite(numpy.load(path)).all(), path
reports = re.findall(r"^(?:.*data race.*|Invalid.*|.*divergence.*)$", ran.stdout, re.MULTILINE)
assert not reports, ran.stdout[:4000]
print(f"{pathlib.Path(program).name}: no races")
