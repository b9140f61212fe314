# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""refused-lengths.py OUT TRANSFOLD: the messages about lengths that follow from others."""

import pathlib
import subprocess
import sys

out, transfold = pathlib.Path(sys.argv[1]), sys.argv[2]
SPEC = """model toy
lengths n, m
weights K[3, d, d]
entry encode({}) -> y[m, d] {{ {} }}
config hf {{ d = .hidden_size }}
names hf {{ K = "k" as [d', d, 3] }}
"""
subprocess.run([sys.executable, pathlib.Path(__file__).parents[2] / "Inputs" / "make_tiny.py", out / "model",
                '{"hidden_size": 4}', "k:4x4x3"], check=True)
for argument, body in [("x[n div 2, d]", "return x"), ("x[n, d]", "return conv(x, K, stride = 2, pad = 1)[:n]"),
                       ("x[n, d]", "return x[1 +: n]"), ("x[n, d]", "return x[:n / 2]"), ("x[n, d]", "return x[2:]")]:
    spec = out / "use.xf"
    text = SPEC.format(argument, body)
    if "conv" not in body:
        text = text.replace("weights K[3, d, d]\n", "").replace("""K = "k" as [d', d, 3]""", 'ignore "k"')
    spec.write_text(text, encoding="utf-8")
    print(f"{argument}: {body}")
    found = subprocess.run([transfold, "check", spec, out / "model"], capture_output=True, text=True, check=False)
    assert found.returncode in (0, 1), found
    print(next((line[line.index("error: "):] for line in found.stderr.splitlines() if "error: " in line),
               "nothing is said"))
