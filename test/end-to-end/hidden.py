# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""hidden.py TRANSFOLD EXAMPLES MODELS OUT: what decoders multiply with their head.

The specs of decoders give logits only. Here each gets its last hidden state as a
second result, which is the golden of MODEL/hidden: the interpreter agrees as double
does, the program as float32 does. What is observed keeps its value, so folding has
less freedom than without.
"""

import pathlib
import re
import shutil
import subprocess
import sys

transfold, examples, models, out = (pathlib.Path(part) for part in sys.argv[1:])
compare = pathlib.Path(__file__).with_name("compare.py")


def observed(text):
    """The spec with `hidden` as a second result of `decode`."""
    entry = re.compile(r"(entry decode\([^\n]*-> logits\[(\w), vocab\])(.*?\n  return ([^\n]*))(?=\n})",
                       re.DOTALL)
    value = entry.search(text).group(4)
    state = re.search(r"((?:\w+\()?[xy]\)?) @ (?:U|E')", value).group(1)
    return entry.sub(lambda m: f"{m[1]}, hidden[{m[2]}, d]{m[3]}, {state}", text)


def run(*command):
    print("+", *command, flush=True)
    subprocess.run([str(part) for part in command], check=True)


for hidden in sorted(models.glob("*/hidden")):
    model = hidden.parent
    folder = out / model.name
    shutil.copytree(model / "golden", folder / "golden")
    for name in ("logits_f64.npy", "encoder_last_hidden_state_f64.npy"):
        (folder / "golden" / name).unlink(missing_ok=True)
    shutil.copy(hidden / "last_hidden_state_f64.npy", folder / "golden")
    tree = subprocess.run([transfold, "compile", model, "--emit=ast"], check=True,
                          capture_output=True, text=True).stdout
    name = re.match(r"model \"?([\w.-]+)", tree).group(1)
    spec = next(path for path in examples.glob("*.xf")
                if re.search(rf"^model \"?{name}\"?$", path.read_text(encoding="utf-8"), re.MULTILINE))
    variant = folder / spec.name
    variant.write_text(observed(spec.read_text(encoding="utf-8")), encoding="utf-8")
    inputs = [part for path in sorted((model / "golden").glob("*.npy"))
              if not path.stem.endswith("_f64") and not path.stem.startswith(("generated", "beam"))
              for part in ("--in", f"{path.stem}={path}")]
    run(transfold, "eval", model, "--spec", variant, *inputs, "--out", folder / "xf")
    run(sys.executable, compare, "exact", folder / "golden", folder / "xf")
    run(transfold, "compile", model, "--spec", variant, "--target=host", "-q", "-o",
        folder / "program")
    run(folder / "program", "eval", *inputs, "--out", folder / "run")
    run(sys.executable, compare, "golden", folder / "golden", folder / "run")
