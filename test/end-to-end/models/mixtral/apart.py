# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""apart.py TRANSFOLD MIXTRAL OUT: the experts of a tiny Mixtral as an axis of tensors, as
converters write them now, and as separate tensors, as in 2023."""

import pathlib
import shutil
import subprocess
import sys

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tools"))
import gguf_convert
import gguf_file

transfold, model, out = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
shutil.rmtree(out, ignore_errors=True)
out.mkdir(parents=True)
metadata, together = gguf_convert.convert(model)
apart = {}
for name, tensor in together.items():
    if "_exps." in name:
        apart |= {name.replace("_exps.", f".{k}."): each for k, each in enumerate(tensor)}
    else:
        apart[name] = tensor
assert len(apart) > len(together)
logits = {}
for name, tensors in {"together": together, "apart": apart}.items():
    file = out / f"{name}.gguf"
    gguf_file.write(file, metadata, tensors)
    subprocess.run([transfold, "compile", file, "-q", "-o", out / name], check=True)
    subprocess.run([out / name, "eval", "--in", f"input_ids={model / 'golden' / 'input_ids.npy'}",
                    "--out", out / f"{name}-results"], check=True)
    logits[name] = numpy.load(out / f"{name}-results" / "logits.npy")
assert (logits["together"] == logits["apart"]).all()
