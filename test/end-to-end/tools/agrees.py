# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""agrees.py TRANSFOLD MODEL OUT [all]: compares a model with its golden, in several ways.

MODEL holds config.json, model.safetensors and golden/. The interpreter runs the equations as
imported and after kernels were formed, in double; the compiled program runs in float32, all
sequences together and each alone (golden.py). It has kernels for this processor only, which halves
the time to compile it, or with `all`, for one model of each kind, those for AVX2 and AVX-512.
compare.py has the tolerances. Models that generate also run in decode steps, in both (steps.py). If
there is a config.legacy.json, as transformers 4 wrote it, the equations give the same with it.
long.py compares a long sequence, if there is one.
"""

import pathlib
import shutil
import sys

from commands import make_empty, run

transfold, model, out = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
compare = pathlib.Path(__file__).with_name("compare.py")
golden = model / "golden"
inputs = [part
          for name in ["input_ids", "attention_mask", "decoder_input_ids", "input_features", "input_values"]
          if (golden / f"{name}.npy").exists()
          for part in ["--in", f"{name}={golden / name}.npy"]]


def agrees(kind, name):
    run(sys.executable, compare, kind, golden, out / name)


make_empty(out)
run(transfold, "eval", model, *inputs, "--out", out / "xf")
agrees("exact", "xf")
run(transfold, "eval", model, *inputs, "--after", "kernels", "--out", out / "kernels")
agrees("exact", "kernels")
is_whole = "all" in sys.argv[4:]
processor = [] if is_whole else ["--target=host"]
run(transfold, "compile", model, *processor, "-o", out / model.name)
run(sys.executable, pathlib.Path(__file__).with_name("golden.py"), out / model.name, golden,
    out / "program", "alike", *(["bits"] if is_whole else []))

if (golden / "generated_ids.npy").exists():
    run(transfold, "eval", model, *inputs, "--chunk", "3", "--out", out / "steps")
    agrees("exact", "steps")
    run(sys.executable, pathlib.Path(__file__).with_name("steps.py"), out / model.name, golden,
        out / "generated")

legacy = model / "config.legacy.json"
if legacy.exists():
    copy = out / "model"
    copy.mkdir()
    shutil.copy(legacy, copy / "config.json")
    shutil.copy(model / "model.safetensors", copy)
    run(transfold, "eval", copy, *inputs, "--out", out / "legacy")
    agrees("exact", "legacy")

if (model / "long").exists():
    run(sys.executable, pathlib.Path(__file__).parent / "lengths/long.py", transfold, model, out / model.name,
        out / "long")
