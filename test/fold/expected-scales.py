# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""expected-scales.py TRANSFOLD EXPECTED INPUTS: folding leaves as many multiplications in each
model as the reviewed file lists."""

import pathlib
import subprocess
import sys

transfold, expected, inputs = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
wrong, checked = False, set()
for line in expected.read_text(encoding="utf-8").splitlines():
    if line.startswith("#") or not line.strip():
        continue
    spec, model, count = line.split()
    if not (inputs / model).is_dir():
        continue
    module = subprocess.run([transfold, "compile", inputs / model, "--quiet", "--emit=folded"],
                            check=True, capture_output=True, text=True).stdout
    found = module.count("xf.scale ")
    print(f"{model}: {found} xf.scale left, {count} expected")
    wrong |= found != int(count)
    checked.add(model)
for config in sorted(inputs.rglob("config.json")):
    if "model_type" not in config.read_text(encoding="utf-8"):
        continue  # a layer of sentence-transformers
    model = str(config.parent.relative_to(inputs))
    if model not in checked:
        print(f"{model}: not in {expected.name}")
        wrong = True
sys.exit(wrong or not checked)
