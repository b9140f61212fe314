# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""gguf_agrees.py TRANSFOLD MODEL OUT: a tiny model as a GGUF file, compared with its golden.

MODEL holds config.json, model.safetensors and golden/. It is written as GGUF files with float32
weights: version 3 as one file and version 2 in two. The first is compiled to a program that is as
close to float64 as the original in float32; the interpreter's results of the second show that it is
the same model. The program has kernels for this processor only.
"""

import json
import pathlib
import sys

import gguf_convert
import gguf_file
import gguf_recurrent
from commands import make_empty, run

transfold, model, out = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
golden = model / "golden"
inputs = [part for name in ["input_ids", "attention_mask"] if (golden / f"{name}.npy").exists()
          for part in ["--in", f"{name}={golden / name}.npy"]]


def agrees(name):
    run(sys.executable, pathlib.Path(__file__).with_name("compare.py"), "golden", golden,
        out / name)


make_empty(out)
kind = json.loads((model / "config.json").read_text(encoding="utf-8"))["model_type"]
converter = gguf_recurrent if kind in gguf_recurrent.ARCHITECTURES else gguf_convert
metadata, tensors = converter.convert(model)
whole = out / f"{model.name}.gguf"
gguf_file.write(whole, metadata, tensors)
run(transfold, "compile", whole, "--target=host", "-o", out / "program")
run(out / "program", "eval", *inputs, "--out", out / "compiled")
agrees("compiled")
first = gguf_file.write_split(out / "split.gguf", metadata, tensors, 2, version=2, alignment=64)
run(transfold, "eval", first, *inputs, "--out", out / "split")
agrees("split")
