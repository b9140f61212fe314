# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results of a sequence do not depend on the other sequences in the batch.

    neighbours.py PROGRAM GOLDEN_DIR OUT

Runs the golden's sequences, cut to many lengths, all together and each alone, and compares bit for
bit.
"""
import os
import subprocess
import sys

import numpy as np

program, golden, out = sys.argv[1:4]
ids = np.load(f"{golden}/input_ids.npy")
width = ids.shape[1]
lengths = [1, width, 2, 3, width - 1, 5, 1, 8]
batch = np.stack([np.resize(ids[k % len(ids)], width) for k in range(len(lengths))])
mask = np.stack([(np.arange(width) < n).astype(np.int64) for n in lengths])


def run(name, tokens, keep):
    folder = f"{out}/{name}"
    os.makedirs(folder, exist_ok=True)
    np.save(f"{folder}/ids.npy", tokens)
    np.save(f"{folder}/mask.npy", keep)
    subprocess.run([program, "eval", "--in", f"input_ids={folder}/ids.npy", "--in",
                    f"attention_mask={folder}/mask.npy", "--out", folder],
                   check=True, stdout=subprocess.DEVNULL)
    return {f: np.load(f"{folder}/{f}") for f in sorted(os.listdir(folder))
            if f not in ("ids.npy", "mask.npy")}


together = run("together", batch, mask)
worst = 0
for k, n in enumerate(lengths):
    alone = run(f"alone{k}", batch[k:k + 1, :n], mask[k:k + 1, :n])
    for name, value in alone.items():
        other = together[name][k]
        other = other[:n] if other.shape != value[0].shape else other
        if not np.array_equal(other, value[0]):
            worst = max(worst, np.abs(other - value[0]).max())
            print(f"{name}, sequence {k} of {n} tokens: differs by {np.abs(other - value[0]).max()}")
print("equal" if worst == 0 else f"differs by up to {worst}")
sys.exit(worst != 0)
