# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""size.py [FILE MIB]…: fails if a file is larger than its budget, and says by how much."""

import pathlib
import sys

exceeded = False
for path, budget in zip(sys.argv[1::2], sys.argv[2::2]):
    size = pathlib.Path(path).stat().st_size / 2**20
    over = size > float(budget)
    print(f"{pathlib.Path(path).name} has {size:.2f} MiB, {'more than' if over else 'at most'} {budget}")
    exceeded |= over
sys.exit(exceeded)
