# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which models are packed for a machine with a GPU, and how they are compiled."""

import json
import pathlib

from measure import sizes
from measure.machine import ROOT
from measure.problem import Problem

MODELS = ROOT / "test" / "end-to-end" / "models"
TOOLS = ROOT / "test" / "end-to-end" / "tools"
CONFIGS = ROOT / "bench" / "models"

# Encoders, also of images; decoders with grouped queries, sliding windows, experts;
# encoder-decoders of texts and of recordings. --quick takes the first four.
GOLDENS = ("bert", "qwen3", "t5", "mixtral", "roberta", "vit", "llama", "gemma3_text", "mistral",
           "gpt2", "bart", "whisper")
QUICK = 4
# Those of them that are also compared with products of bfloat16.
ROUNDED = ("bert", "llama", "t5", "mixtral")
MEASURED = ("minilm", "llama", "gemma3")
PRECISIONS = {"f32": [], "bf16": ["--quantize=bf16:weights"], "int4": ["--quantize=int4:weights"],
              "bf16-products": ["--quantize=bf16"]}


def chosen(text, what, known):
    """Splits 'a,b' into ['a', 'b']. Raises Problem if a name is not known."""
    names = [name for name in text.split(",") if name]
    for name in names:
        if name not in known:
            raise Problem(f"{what} {name}: unknown; choose from {', '.join(known)}")
    return names


def golden_models(text):
    known = sorted(path.parent.name for path in MODELS.glob("*/golden"))
    return chosen(text, "--models", known)


def measured_models(text, folder):
    """Directories by name: the given ones, and models of the sizes in bench/models, which are
    written into `folder`."""
    found = {}
    for word in filter(None, text.split(",")):
        path, config = pathlib.Path(word), CONFIGS / f"{word}.json"
        if config.is_file():
            path = folder / word
            sizes.write(path, json.loads(config.read_text(encoding="utf-8")))
        elif not (path / "config.json").is_file():
            names = sorted(known.stem for known in CONFIGS.glob("*.json"))
            raise Problem(f"--measure {word}: unknown; choose from {', '.join(names)}, or directories of "
                          "Hugging Face models")
        found[path.name] = path
    return found
