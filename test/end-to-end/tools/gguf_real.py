# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""gguf_real.py tensors|greedy …: compares a real GGUF file with the results of other software.

    tensors WIDEN_TENSORS FILE TENSORS_JSON   the values of each tensor, with gguf-py
    greedy PROGRAM GOLDEN_JSON OUT            the tokens, with transformers in float32

TENSORS_JSON has under "tensors" for each name "sha256_f32le"; GOLDEN_JSON has "prompts", each with
"name", "ids" and "greedy".
"""

import hashlib
import json
import pathlib
import subprocess
import sys

import numpy


def tensors(widen, file, golden):
    expected = json.loads(pathlib.Path(golden).read_text(encoding="utf-8"))["tensors"]
    found = {}
    with subprocess.Popen([widen, file], stdout=subprocess.PIPE) as program:
        while line := program.stdout.readline():
            name, size = line.decode().rsplit(" ", 1)
            digest, left = hashlib.sha256(), int(size)
            while left:
                chunk = program.stdout.read(min(left, 1 << 20))
                assert chunk, f"{name} ends too early"
                digest.update(chunk)
                left -= len(chunk)
            found[name] = digest.hexdigest()
    assert program.returncode == 0
    assert found.keys() == expected.keys(), found.keys() ^ expected.keys()
    wrong = [name for name in found if found[name] != expected[name]["sha256_f32le"]]
    assert not wrong, f"other numbers than gguf-py's: {wrong}"
    print(f"{len(found)} tensors have gguf-py's numbers, to the last bit")


def greedy(program, golden, out):
    out = pathlib.Path(out)
    out.mkdir(parents=True, exist_ok=True)
    for prompt in json.loads(pathlib.Path(golden).read_text(encoding="utf-8"))["prompts"]:
        numpy.save(out / "ids.npy", numpy.array([prompt["ids"]]))
        new = prompt["greedy"]
        subprocess.run([program, "generate", "--ids", out / "ids.npy", "--max-new", str(len(new)),
                        "--ignore-eos", "--out", out / "all.npy"], check=True,
                       stdout=subprocess.DEVNULL)
        said = numpy.load(out / "all.npy")[0, len(prompt["ids"]):].tolist()
        assert said == new, f"{prompt['name']}: {said}\ninstead of\n{new}"
        print(f"{prompt['name']}: {len(new)} tokens equal")


{"tensors": tensors, "greedy": greedy}[sys.argv[1]](*sys.argv[2:])
