# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Directories as the releases of sentence-transformers write them, around a BERT.

sentence.py TRANSFOLD MODEL DIR   each of them is evaluated in double, beside NumPy on the hidden
                                  states of MODEL/golden
"""

import json
import pathlib
import shutil
import subprocess
import sys

import numpy

transfold, model, folder = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
golden = model / "golden"
hidden = numpy.load(golden / "last_hidden_state_f64.npy")
mask = numpy.load(golden / "attention_mask.npy")
texts = [hidden[i, : mask[i].sum()] for i in range(len(hidden))]
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


def flags(modes):
    return {f"pooling_mode_{flag}": mode in modes for mode, flag in FLAGS.items()}


class Model:
    """A directory, and what its modules compute."""

    def __init__(self, name, old=True):
        self.path, self.old = folder / name, old
        shutil.rmtree(self.path, ignore_errors=True)
        self.path.mkdir(parents=True)
        for file in ("config.json", "model.safetensors"):
            shutil.copy(model / file, self.path / file)
        self.modules, self.steps = [], []
        self.add("Transformer", "")

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


one(name="twice").normalize().normalize().check()
one(name="truncated").normalize().truncated(10).check()
