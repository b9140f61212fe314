# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""gguf_encoder.py TRANSFOLD MODEL OUT: a tiny BERT, RoBERTa, NomicBERT, ModernBERT,
EuroBERT, T5 or Qwen 3 as a GGUF file.

For the first five, the program's rows are the golden's, and it has the embedding of each kind of
pooling that a file can name; for Qwen 3 that of the last token. T5 agrees, in double, with the
Hugging Face model with the largest distance 128, which GGUF files do not contain. An unknown kind
of pooling is refused.
"""

import json
import pathlib
import shutil
import subprocess
import sys

import numpy

import gguf_convert
import gguf_encoders
import gguf_file
from commands import make_empty, run

transfold, model, out = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
golden = model / "golden"
make_empty(out)
names = {"input_ids": "input_ids", "attention_mask": "attention_mask",
         "token_type_ids": "token_type_ids", "decoder_input_ids": "decoder_input_ids"}
inputs = [part for name in names if (golden / f"{name}.npy").exists()
          for part in ["--in", f"{name}={golden / name}.npy"]]
path = golden / "attention_mask.npy"
mask = numpy.load(path) if path.exists() else numpy.ones_like(numpy.load(golden / "input_ids.npy"))


def results(program, name):
    run(*program, *inputs, "--out", out / name)
    return {file.stem: numpy.load(file) for file in (out / name).glob("*.npy")}


def far(found, expected):
    distance = abs(found - expected).max()
    print(f"{distance:.2g} apart", flush=True)
    return distance


def unit(rows):
    return rows / numpy.linalg.norm(rows, axis=-1, keepdims=True)


def pooled(rows, kind):
    if kind == 1:
        return unit((rows * mask[..., None]).sum(1) / mask.sum(1, keepdims=True))
    return unit(rows[numpy.arange(len(rows)), mask.sum(1) - 1 if kind == 3 else 0])


def embeddings(kinds, refused):
    convert = gguf_convert.convert if model.name in ("qwen3", "eurobert") else gguf_encoders.convert
    metadata, tensors = convert(model)
    architecture = metadata["general.architecture"]
    for kind in kinds:
        file = out / f"pooling-{kind}.gguf"
        gguf_file.write(file, {**metadata, f"{architecture}.pooling_type": kind}, tensors)
        run(transfold, "compile", file, "-q", "-o", out / "program")
        exact = results([transfold, "eval", file], f"exact-{kind}")["last_hidden_state"]
        found = results([out / "program", "eval"], f"found-{kind}")["embedding"]
        assert far(found, pooled(exact, kind)) < 1e-5
    if model.name != "qwen3":
        expected = numpy.load(golden / "last_hidden_state_f64.npy")
        assert far(exact * mask[..., None], expected * mask[..., None]) < 1e-8
    gguf_file.write(out / "refused.gguf", {**metadata, f"{architecture}.pooling_type": refused},
                    tensors)
    wrong = subprocess.run([transfold, "compile", out / "refused.gguf", "--emit=xf", "-o",
                            out / "none"], capture_output=True, text=True)
    print(wrong.stderr)
    assert wrong.returncode == 1 and "pooling" in wrong.stderr


def translation():
    metadata, tensors = gguf_encoders.convert(model)
    gguf_file.write(out / "model.gguf", metadata, tensors)
    original = out / "original"
    original.mkdir()
    config = json.loads((model / "config.json").read_text(encoding="utf-8"))
    config["relative_attention_max_distance"] = 128
    (original / "config.json").write_text(json.dumps(config), encoding="utf-8")
    shutil.copy(model / "model.safetensors", original)
    expected = results([transfold, "eval", original], "expected")
    found = results([transfold, "eval", out / "model.gguf"], "found")
    for name in ("encoder_last_hidden_state", "logits"):
        assert far(found[name], expected[name]) < 1e-9


if model.name.startswith(("t5", "umt5")):
    translation()
elif model.name == "qwen3":
    embeddings([3], refused=1)
else:
    embeddings([1, 2], refused=4)
