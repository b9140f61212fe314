# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""gguf_biases.py TRANSFOLD MODEL OUT: a model with biases in its attention, from both kinds of files.

The tiny model in MODEL gets biases of queries, keys, values and the output. Its logits from Hugging
Face's files, which the goldens of other models check, must be those from a GGUF file: converters
reorder the biases of queries and keys as their weights.
"""
import json
import pathlib
import subprocess
import sys

import numpy

import gguf_convert
import gguf_file

transfold, model, out = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
random = numpy.random.default_rng(3)
folder = out / model.name
folder.mkdir(parents=True)
config = json.loads((model / "config.json").read_text(encoding="utf-8"))
(folder / "config.json").write_text(json.dumps(config | {"attention_bias": True}), encoding="utf-8")
tensors = gguf_convert.read_tensors(model / "model.safetensors")
for name in [name for name in tensors if name.endswith(tuple(f"{x}_proj.weight" for x in "qkvo"))]:
    tensors[name.removesuffix("weight") + "bias"] = random.normal(size=len(tensors[name])).astype("<f4") / 2
gguf_convert.write_tensors(folder / "model.safetensors", tensors)
file = out / f"{model.name}.gguf"
gguf_file.write(file, *gguf_convert.convert(folder))
logits = []
for number, source in enumerate([folder, file]):
    to = out / f"{model.name}-{number}"
    subprocess.run([transfold, "eval", source, "--in", f"input_ids={model / 'golden/input_ids.npy'}", "--out", to],
                   check=True)
    logits.append(numpy.load(to / "logits.npy"))
apart = abs(logits[0] - logits[1]).max()
print(f"{model.name}: {apart:.1e} apart")
assert apart < 1e-8 * abs(logits[0]).max(), "other biases"
