# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""examples.py TRANSFOLD MODELS EXAMPLES OUT: the programs of examples/c, with tiny models.

They are compiled by `cc` alone, as C99 with warnings as errors, and print what the same models
print as programs. If there is a `make`, it also builds them with their Makefile.
"""

import json
import pathlib
import shutil
import subprocess
import sys

import numpy

transfold, models, examples, out = sys.argv[1], *map(pathlib.Path, sys.argv[2:])
tools = pathlib.Path(__file__).parents[1] / "tools"
sys.path.append(str(tools))
import byte_model  # noqa: E402

STRICT = ["-std=c99", "-Wall", "-Werror"]
TEXTS = ["the cat sat on the mat.", "I", "on the mat", "sat sat sat"]
# Some of these need escapes in JSON.
QUESTIONS = ["Hello", 'Say "no"\\\tand\nmore', ""]


def run(*words, status=0, where=out):
    ran = subprocess.run([str(word) for word in words], capture_output=True, text=True, cwd=where)
    assert ran.returncode == status, f"{words}: {ran.returncode}: {ran.stdout}{ran.stderr}"
    return ran.stderr if status else ran.stdout


def build(folder):
    """Copies the examples' sources, and compiles the libraries that they need next to them."""
    shutil.copytree(examples / "c", folder, ignore=shutil.ignore_patterns("lib", "embed", "generate"))
    (folder / "lib").mkdir()
    for name, source in sources.items():
        run(transfold, "compile", source, "-q", "--emit=lib", "-o", folder / "lib" / f"lib{name}.so")
    for program, name in (("embed", "minilm"), ("generate", "smollm2")):
        run("cc", *STRICT, f"{program}.c", "-Ilib", "-Llib", f"-l{name}", "-lm", "-Wl,-rpath,$ORIGIN/lib",
            "-o", program, where=folder)


def expected_cosines():
    """The similarities of the vectors that `embed` of the same model prints."""
    lines = run(out / "minilm.exe", "embed", "--json", *TEXTS).splitlines()
    vectors = [numpy.array(json.loads(line)["embedding"]) for line in lines]
    return [vectors[0] @ each / numpy.sqrt((vectors[0] @ vectors[0]) * (each @ each)) for each in vectors[1:]]


def check_embed(folder):
    lines = [line.strip().split("  ", 1) for line in run(folder / "embed", *TEXTS).splitlines()]
    assert [text for _, text in lines] == TEXTS[1:], lines
    for (cosine, _), expected in zip(lines, expected_cosines(), strict=True):
        assert abs(float(cosine) - expected) < 0.00051, (cosine, expected)
    assert "embed TEXT TEXT" in run(folder / "embed", "one", status=1)


def check_generate(folder):
    for question in QUESTIONS:
        (out / "messages.json").write_text(json.dumps([{"role": "user", "content": question}]))
        expected = run(out / "smollm2.exe", "chat", "--messages", out / "messages.json", "--max-tokens", 200)
        assert run(folder / "generate", question) == expected, question
        # It ends with the token that reaches the given length.
        assert run(folder / "generate", question, 5) == expected[:5] + "\n", question
    assert "generate QUESTION" in run(folder / "generate", status=1)


def check_missing_weights(folder):
    for program, name in (("embed", "minilm"), ("generate", "smollm2")):
        (folder / "lib" / f"{name}.weights").unlink()
        said = run(folder / program, "a", "b", status=1)
        assert said.startswith(f"{program}: ") and f"{name}.weights: there are no weights" in said, said


shutil.rmtree(out, ignore_errors=True)
(out / "talk").mkdir(parents=True)
byte_model.write_model(models / "llama", out / "talk")
run(sys.executable, tools / "texts.py", "make", models / "roberta", out / "texts")
sources = {"minilm": out / "texts" / "embed", "smollm2": out / "talk"}
for name, source in sources.items():
    run(transfold, "compile", source, "-q", "-o", out / f"{name}.exe")
build(out / "c")
check_embed(out / "c")
check_generate(out / "c")
if shutil.which("make"):
    run("make", "-B", "-o", "lib/libminilm.so", "-o", "lib/libsmollm2.so", "all", where=out / "c")
    check_embed(out / "c")
    check_generate(out / "c")
check_missing_weights(out / "c")
print("examples: as expected")
