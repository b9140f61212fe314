# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Directories as the releases of sentence-transformers write them, around a BERT.

sentence.py TRANSFOLD MODEL DIR   evaluates each of them in double, and compares with NumPy on
                                  the hidden states of MODEL/golden
"""

import json
import pathlib
import shutil
import struct
import subprocess
import sys

import numpy

transfold, model, folder = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
golden = model / "golden"
hidden = numpy.load(golden / "last_hidden_state_f64.npy")
mask = numpy.load(golden / "attention_mask.npy")
texts = [hidden[i, : mask[i].sum()] for i in range(len(hidden))]
random = numpy.random.default_rng(7)
OLD, SPELLED = "sentence_transformers.models.", "sentence_transformers.base.modules."
FLAGS = {"cls": "cls_token", "max": "max_tokens", "mean": "mean_tokens",
         "mean_sqrt_len_tokens": "mean_sqrt_len_tokens", "weightedmean": "weightedmean_tokens",
         "lasttoken": "lasttoken"}


def pooled(x, mode):
    places = numpy.arange(1, len(x) + 1)
    return {"cls": lambda: x[0], "max": lambda: x.max(0), "mean": lambda: x.mean(0),
            "mean_sqrt_len_tokens": lambda: x.sum(0) / len(x) ** 0.5,
            "weightedmean": lambda: places @ x / places.sum(), "lasttoken": lambda: x[-1]}[mode]()


def write(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")


def write_tensors(path, tensors):
    header, data = {}, b""
    for name, array in tensors.items():
        body = array.astype("<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": list(array.shape), "data_offsets": [len(data), len(data) + len(body)]}
        data += body
    text = json.dumps(header).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def flags(modes):
    return {f"pooling_mode_{flag}": mode in modes for mode, flag in FLAGS.items()}


class Model:
    """A directory, and what its modules compute."""

    def __init__(self, name, old=True, inner=""):
        self.path, self.old, self.inner = folder / name, old, inner
        shutil.rmtree(self.path, ignore_errors=True)
        (self.path / inner).mkdir(parents=True)
        for file in ("config.json", "model.safetensors"):
            shutil.copy(model / file, self.path / inner / file)
        self.modules, self.steps = [], []
        self.add("Transformer", inner)

    def add(self, kind, path):
        of = f"{OLD}{kind}" if self.old else f"{SPELLED}{kind.lower()}.{kind}"
        self.modules.append({"idx": len(self.modules), "name": str(len(self.modules)), "path": path, "type": of})
        return self.path / path

    def pooling(self, modes, settings):
        write(self.add("Pooling", "1_Pooling") / "config.json", settings)
        self.steps.append(lambda x: numpy.concatenate([pooled(x, mode) for mode in modes]))
        return self

    def normalize(self):
        write(self.add("Normalize", f"{len(self.modules)}_Normalize") / "config.json",
              {} if self.old else {"module_input_name": "sentence_embedding", "module_output_name": "sentence_embedding"})
        self.steps.append(lambda y: y / numpy.linalg.norm(y))
        return self

    def dense(self, before, after, function, name, bias=True, **more):
        path = self.add("Dense", f"{len(self.modules)}_Dense")
        W = random.standard_normal((after, before)).astype("f4") / 8
        c = random.standard_normal(after).astype("f4") if bias else numpy.zeros(after)
        R = random.standard_normal((after, before)).astype("f4") / 8
        if before == after:
            R = numpy.eye(after)
        write(path / "config.json", {"in_features": before, "out_features": after, "bias": bias,
                                     "activation_function": f"torch.nn.modules.{name}", **more})
        tensors = {"linear.weight": W, **({"linear.bias": c} if bias else {})}
        if more and before != after:
            tensors["residual.weight"] = R
        write_tensors(path / "model.safetensors", tensors)
        W, c, R = (a.astype("f8") for a in (W, c, R))
        self.steps.append(lambda y: function(W @ y + c) + (R @ y if more else 0))
        return self

    def layer_norm(self, size):
        path = self.add("LayerNorm", f"{len(self.modules)}_LayerNorm")
        g, b = (random.standard_normal(size).astype("f4") for _ in range(2))
        write(path / "config.json", {"dimension": size})
        write_tensors(path / "model.safetensors", {"norm.weight": g, "norm.bias": b})
        self.steps.append(lambda y: (y - y.mean()) / numpy.sqrt(y.var() + 1e-5) * g.astype("f8") + b.astype("f8"))
        return self

    def file(self, name, value):
        write(self.path / name, value)
        return self

    def truncated(self, size):
        self.steps.append(lambda y: y[:size])
        return self.file("config_sentence_transformers.json", {"truncate_dim": size, "prompts": {"q": "q: "}})

    def check(self):
        write(self.path / "modules.json", self.modules)
        out = self.path / "out"
        arrays = [f"--in={name}={golden / name}.npy" for name in ("input_ids", "attention_mask", "token_type_ids")]
        subprocess.run([transfold, "eval", self.path, *arrays, "--out", out], check=True, stdout=subprocess.DEVNULL)
        found = numpy.load(out / "embedding.npy")
        for row, x in zip(found, texts):
            for step in self.steps:
                x = step(x)
            assert row.shape == x.shape, (self.path, row.shape, x.shape)
            assert numpy.abs(row - x).max() < 1e-9, (self.path, numpy.abs(row - x).max())
        print(f"{self.path.name}: {len(self.modules)} modules, {found.shape[1]} numbers")


size = hidden.shape[2]
names = list(FLAGS)
for mode in FLAGS:
    Model(f"flag-{mode}").pooling([mode], {"word_embedding_dimension": size, **flags([mode])}).check()
    Model(f"word-{mode}", old=False).pooling([mode], {"embedding_dimension": size, "pooling_mode": mode,
                                                      "include_prompt": True}).normalize().check()
Model("all-flags").pooling(names, {"word_embedding_dimension": size, **flags(names)}).check()
turned = ["mean", "cls"]
Model("list", old=False).pooling(turned, {"embedding_dimension": size, "pooling_mode": turned}).check()
Model("no-flags").pooling(["mean"], {"word_embedding_dimension": size}).check()


def one(mode="mean", **given):
    return Model(**given).pooling([mode], {"word_embedding_dimension": size, **flags([mode])})


one("cls", name="dense").dense(size, 24, numpy.tanh, "activation.Tanh").normalize().check()
one(name="dense-new", old=False).dense(size, size, lambda y: y, "linear.Identity", bias=False).normalize().normalize().check()
one(name="dense-twice").dense(size, 40, lambda y: numpy.maximum(y, 0), "activation.ReLU") \
    .dense(40, 12, lambda y: 1 / (1 + numpy.exp(-y)), "activation.Sigmoid").check()
one(name="residual", old=False).dense(size, size, numpy.tanh, "activation.Tanh", use_residual=True) \
    .dense(size, 20, numpy.tanh, "activation.Tanh", use_residual=True).check()
softplus = lambda y: numpy.log1p(numpy.exp(y))
for name, function in {
        "SiLU": lambda y: y / (1 + numpy.exp(-y)), "Mish": lambda y: y * numpy.tanh(softplus(y)),
        "ELU": lambda y: numpy.where(y > 0, y, numpy.expm1(y)), "LeakyReLU": lambda y: numpy.where(y > 0, y, 0.01 * y),
        "Softplus": softplus, "Softsign": lambda y: y / (1 + abs(y)), "Tanhshrink": lambda y: y - numpy.tanh(y),
        "LogSigmoid": lambda y: -softplus(-y), "Hardtanh": lambda y: y.clip(-1, 1), "ReLU6": lambda y: y.clip(0, 6),
        "Hardswish": lambda y: y * (y + 3).clip(0, 6) / 6, "Hardsigmoid": lambda y: (y + 3).clip(0, 6) / 6,
        "SELU": lambda y: 1.0507009873554805 * numpy.where(y > 0, y, 1.6732632423543772 * numpy.expm1(y))}.items():
    one(name=name).dense(size, 8, function, f"activation.{name}").check()
one(name="norm-first").normalize().dense(size, 16, numpy.tanh, "activation.Tanh").layer_norm(16).normalize().check()
one(name="truncated").normalize().truncated(10).check()
one(name="old-layout", inner="0_Transformer").normalize().file("config.json", {"__version__": "0.2.0"}).check()
