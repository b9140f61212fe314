# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""length-must-be-known.py OUT TRANSFOLD: the messages for each use of a length, first without a
checkpoint and, if that reports nothing, with one."""

import pathlib
import subprocess
import sys

out, transfold = pathlib.Path(sys.argv[1]), sys.argv[2]
SPEC = """model toy
lengths n, m
weights E[9, d], V[3]
entry encode(tokens[n]) -> y[n, d] {{
  x = E[tokens]
  y = x
  {}
  return y
}}
config hf {{ d = .hidden_size }}
names hf {{ E = "embed", V = "v" }}
"""
subprocess.run([sys.executable, pathlib.Path(__file__).parents[2] / "Inputs" / "make_tiny.py", out / "model",
                '{"hidden_size": 4}', "embed:9x4", "v:3"], check=True)
for use in ["y = x ^ n", "for l < n { y = y + x }", "for l < 2 * n { y = y + x }",
            "if n < 5 { y = 2 * x }", "y = 2 * x if n < 5 else x", "y = x if n else 2 * x",
            "y = x * (n < 5)", "y = x[n - 2:]", "y = x[:√n]", "y = x * x[n div 2]",
            "y = x * x[n]", "y = x * top(x, n)", "y = unit_rms(x, 1 / n)",
            "y = softmax(x | n < 3)", "F[i < 6] = x * V[i div n]",
            "y = x if n in [1, 2] else 2 * x", "y = x * [1, 2, 3][n]", "y = x * either(n, 2)",
            "y = x * m"]:
    spec = out / "use.xf"
    spec.write_text(SPEC.format(use), encoding="utf-8")
    print(use)
    for model in ([], [out / "model"]):
        found = subprocess.run([transfold, "check", spec, *model], capture_output=True, text=True,
                               check=False)
        assert found.returncode in (0, 1), found
        if found.returncode:
            line = found.stderr.splitlines()[0]
            print(line[line.index("error: "):])
            break
    else:
        print("nothing is said")
