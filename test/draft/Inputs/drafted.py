# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""drafted.py TRANSFOLD MODEL OUT: checks that the draft of a model is correct, once its keys are
ignored.

The draft of a model with the usual equations is correct as it is: its results in double are the
golden. Keys of its to-do list that do not matter here are ignored first, as a reader of the draft
would do.
"""

import pathlib
import re
import shutil
import subprocess
import sys

transfold, model, out = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
compare = pathlib.Path(__file__).parents[2] / "end-to-end" / "tools" / "compare.py"
shutil.rmtree(out, ignore_errors=True)
out.mkdir(parents=True)
draft = out / "draft.xf"
subprocess.run([transfold, "new", model, "-o", draft], check=True)
text = draft.read_text(encoding="utf-8")
keys = ", ".join(f'"{key}"' for key in re.findall(r"^//   ([\w.]+) = ", text, re.MULTILINE))
if keys:
    text = text.replace("config hf {", f"config hf {{\n  ignore {keys}")
draft.write_text(text, encoding="utf-8")
subprocess.run([transfold, "check", draft, model], check=True)
subprocess.run([transfold, "eval", model, "--spec", draft, "--in",
                f"input_ids={model / 'golden' / 'input_ids.npy'}", "--out", out], check=True)
subprocess.run([sys.executable, compare, "exact", model / "golden", out], check=True)
