# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""examples.py MODELS EXAMPLES OUT: the programs of examples/python, with tiny models.

They get folders, which they compile, and then the names under which those were compiled.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys

import numpy

from models import command, make_sources

examples, out = pathlib.Path(sys.argv[2]) / "python", pathlib.Path(sys.argv[3])
sources = make_sources(pathlib.Path(sys.argv[1]), out)
TEXTS = ["the cat sat on the mat.", "I", "on the mat", "sat sat sat"]
LIMIT = 40  # tokens
# A separate cache of programs; the cache of kernels is shared.
cache = out / "cache"
cache.mkdir()
kernels = pathlib.Path(os.environ["TRANSFOLD_CACHE"]) / "kernels"
kernels.mkdir(parents=True, exist_ok=True)
(cache / "kernels").symlink_to(kernels)


def run(script, *words, typed="", status=0):
    ran = subprocess.run([sys.executable, examples / script, *map(str, words)], input=typed, text=True, timeout=300,
                         capture_output=True, env=os.environ | {"TRANSFOLD_CACHE": str(cache)})
    assert ran.returncode == status, (script, words, ran)
    return ran.stderr if status else ran.stdout


def said(name, *messages):
    """The answer of the command, with a limit of its length."""
    (out / "messages.json").write_text(json.dumps(
        [{"role": ("user", "assistant")[i % 2], "content": text} for i, text in enumerate(messages)]))
    return command(out, out / name, name, "chat", "--messages", out / "messages.json", "--max-tokens",
                   LIMIT).removesuffix("\n")


def make_brief():
    """Writes a Llama of bytes whose answers end: the one of the other tests never ends. Any
    letter except the first ones of an answer is an end token. The program has no option for the
    length."""
    shutil.copytree(sources["talk"], out / "brief")
    letters = set(map(chr, range(33, 127))) - set(said("talk", "Hello")[:3])
    vocabulary = json.loads((out / "brief" / "tokenizer.json").read_text())["model"]["vocab"]
    (out / "brief" / "generation_config.json").write_text(
        json.dumps({"eos_token_id": sorted(vocabulary[letter] for letter in letters)}))


lines = command(out, sources["vectors"], "vectors", "embed", "--json", *TEXTS).splitlines()
vectors = numpy.array([json.loads(line)["embedding"] for line in lines])
vectors /= numpy.sqrt((vectors * vectors).sum(axis=1, keepdims=True))
for model in (sources["vectors"], "embed"):
    found = [line.strip().split("  ", 1) for line in run("embed.py", model, *TEXTS).splitlines()]
    assert [text for _, text in found] == TEXTS[1:], found
    for (cosine, _), expected in zip(found, vectors[1:] @ vectors[0], strict=True):
        assert abs(float(cosine) - expected) < 0.00051, (cosine, expected)
assert "embed.py MODEL TEXT" in run("embed.py", "embed", "one", status=1)

QUESTIONS = ["Hello", 'More "\u00e9"']
make_brief()
first = said("brief", QUESTIONS[0])
second = said("brief", QUESTIONS[0], first, QUESTIONS[1])
assert 3 <= len(first) < LIMIT and len(second) < LIMIT, (first, second)
for model in (out / "brief", "brief"):
    assert run("chat.py", model, typed="\n".join([*QUESTIONS, ""])) == f"> {first}\n> {second}\n> \n"
assert "chat.py MODEL" in run("chat.py", status=1)

for script, words in (("embed.py", ["one", "two"]), ("chat.py", [])):
    told = run(script, "no-such-model", *words, typed="Hello\n", status=1)
    assert told.startswith(f"{script}: ") and "no-such-model" in told and "Traceback" not in told, told
    told = run(script, out, *words, typed="Hello\n", status=1)  # a folder without a model
    assert f"{script}: " in told and "Traceback" not in told, told
print("examples: as expected")
