# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""run.py < REPORT: the measurements of a report agree with each other."""

import json
import math
import sys

report = json.load(sys.stdin)
kernels = [kernel["measured"] for kernel in report["kernels"] if "measured" in kernel]
equations = [equation for equation in report["equations"] if "measured" in equation]
assert kernels and all(kernel["launches"] > 0 for kernel in kernels)
for name, total in (("milliseconds", sum(kernel["milliseconds"] for kernel in kernels)), ("share", 1)):
    assert math.isclose(sum(equation["measured"].get(name, 0) for equation in equations), total, rel_tol=1e-6), name
assert math.isclose(sum(kernel["share"] for kernel in kernels), 1, rel_tol=1e-6)
errors = [equation["measured"]["error"] for equation in equations if "error" in equation["measured"]]
assert len(errors) > 5 and all(0 <= error < 1e-3 for error in errors) and max(errors) > 1e-9, errors
timed = max((equation for equation in equations), key=lambda equation: equation["measured"].get("milliseconds", 0))
assert timed["links"], timed["text"]
assert 0 <= report["run"]["tokens"] <= 256 and report["run"]["milliseconds"] > 0
