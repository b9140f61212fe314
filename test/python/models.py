# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tiny models of these tests, written once into a folder."""

import pathlib
import subprocess
import sys

tools = pathlib.Path(__file__).resolve().parents[1] / "end-to-end" / "tools"
sys.path.append(str(tools))
import byte_model  # noqa: E402

import transfold  # noqa: E402

TEXT = "Ithe cats\u00e9 sat on <mask> mat."
KINDS = {"vectors": "embed", "classes": "classify", "scores": "rank", "tags": "tag", "masks": "fill"}


def make_sources(models, out):
    """Writes a RoBERTa that embeds, classifies, reranks, tags and fills, and a Llama of bytes that
    generates."""
    (out / "talk").mkdir(exist_ok=True)
    if not (out / "talk" / "config.json").exists():
        byte_model.write_model(models / "llama", out / "talk")
        subprocess.run([sys.executable, tools / "texts.py", "make", models / "roberta", out / "texts"], check=True)
    return {"talk": out / "talk"} | {name: out / "texts" / task for name, task in KINDS.items()}


def command(out, source, name, *words):
    """The output of the model's program."""
    program = out / f"{name}.exe"
    if not program.exists():
        subprocess.run([transfold._places.find_compiler(), "compile", source, "-q", "-o", program], check=True)
    return subprocess.run([program, *map(str, words)], check=True, capture_output=True, text=True).stdout


def raises(kind, part, function, *arguments, **options):
    """Checks that the call raises exactly this class, with this part of a message."""
    try:
        function(*arguments, **options)
    except Exception as error:
        assert type(error) is kind, repr(error)
        assert part in str(error), error
        return error
    raise AssertionError(f"{kind.__name__} was not raised")
