# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""hidden.py TRANSFOLD MODELS OUT: the last hidden states of decoders, the input of their head.

The specs of decoders return the last hidden state along with the logits, and programs compute it if
`--results` asks for it. The golden of MODEL/hidden is that of the original: the interpreter agrees
within the error of double, the program within that of float32.
"""

import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
from commands import run

transfold, models, out = (pathlib.Path(part) for part in sys.argv[1:])
compare = pathlib.Path(__file__).parents[1] / "tools" / "compare.py"


for hidden in sorted(models.rglob("hidden")):
    model = hidden.parent
    folder = out / model.relative_to(models)
    shutil.copytree(model / "golden", folder / "golden")
    for name in ("logits_f64.npy", "encoder_last_hidden_state_f64.npy"):
        (folder / "golden" / name).unlink(missing_ok=True)
    shutil.copy(hidden / "last_hidden_state_f64.npy", folder / "golden")
    inputs = [part for path in sorted((model / "golden").glob("*.npy"))
              if not path.stem.endswith("_f64") and not path.stem.startswith(("generated", "beam"))
              for part in ("--in", f"{path.stem}={path}")]
    run(transfold, "eval", model, *inputs, "--out", folder / "xf")
    run(sys.executable, compare, "exact", folder / "golden", folder / "xf")
    run(transfold, "compile", model, "--results=hidden,logits", "--target=host", "-q", "-o",
        folder / "program")
    run(folder / "program", "eval", *inputs, "--out", folder / "run")
    run(sys.executable, compare, "golden", folder / "golden", folder / "run")
