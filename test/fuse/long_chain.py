# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""long_chain.py OPT: a chain of functions of any length becomes kernels with a limited number of
operations, whose names are valid file names; and each function is in exactly one of them."""

import re
import subprocess
import sys

MOST, LONGEST = 32, 200


def kernels(functions, anchor):
    """The kernels of a chain of so many functions, after a product or on its own: their names,
    and their counts of operations."""
    lines = [f"xf.entry @chain(%x: !xf.real<n, 8>, %W: !xf.real<8, 8>) -> !xf.real<n, 8> {{",
             "  %v0 = xf.contract %x[n, k], %W[k, c] -> [n, c] : <n, 8>, <8, 8>" if anchor
             else "  %v0 = xf.exp %x : <n, 8>"]
    lines += [f"  %v{k} = xf.{'tanh' if k % 2 else 'exp'} %v{k - 1} : <n, 8>" for k in range(1, functions)]
    lines += [f"  xf.return %v{functions - 1} : !xf.real<n, 8>", "}"]
    printed = subprocess.run([sys.argv[1], "-", "-xf-form-kernels"], input="\n".join(lines), text=True,
                             capture_output=True, check=True).stdout
    found = {}
    for kernel in printed.split("xf.kernel @")[1:]:
        found[re.match(r"\w+", kernel).group()] = kernel.count("= xf.")
    return printed, found


for anchor in (False, True):
    counts = []
    for functions in (8, 16, 32, 64, 128, 256):
        printed, found = kernels(functions, anchor)
        assert max(found.values()) <= MOST, found
        assert max(map(len, found)) <= LONGEST, max(map(len, found))
        launches = re.findall(r"xf\.launch @(\w+)", printed)
        # Equal kernels are merged into one, with several launches.
        assert sum(found[name] for name in launches) == functions, (functions, launches, found)
        counts.append(len(launches))
    print("after a product:" if anchor else "alone:", *counts, "launches")
    assert counts[:2] == [1, 1] and all(after <= 2 * before + 1 for before, after in zip(counts, counts[1:])), counts
