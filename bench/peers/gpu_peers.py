# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The peers on a GPU: PyTorch, and for decoders llama.cpp."""

import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile

from measure.device.gpu_speed import DECODE, ENCODED, PROMPT
from measure.machine import ROOT
from measure.problem import Problem
from peers import llamacpp

NAMES = ("pytorch", "llama.cpp")


class PyTorch:
    """torch_gpu.py in a separate process, which answers each line of JSON with another."""

    def __init__(self, config, precision, device, options):
        self.options, self.encodes = options, config["model_type"] == "bert"
        self.errors = tempfile.TemporaryFile("w+", encoding="utf-8")
        torch_device = "cuda" if device.name.startswith("cuda") else "cpu"
        self.process = subprocess.Popen(
            [sys.executable, "-m", "peers.torch_gpu", json.dumps(config), precision, torch_device],
            cwd=ROOT / "bench", stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=self.errors, text=True)
        self.how = self._answer()

    def _answer(self):
        line = self.process.stdout.readline()
        if not line:
            self.close()
            self.errors.seek(0)
            said = self.errors.read().strip().splitlines()
            raise Problem(f"PyTorch: {said[-1] if said else 'it ended'}")
        return json.loads(line)

    def _ask(self, *question):
        try:
            print(json.dumps(question), file=self.process.stdin, flush=True)
        except BrokenPipeError:
            pass  # _answer reports why the process ended
        return self._answer()

    def turn(self):
        if self.encodes:
            return {ENCODED.format(shape.text): self._ask("encode", shape.batch, shape.longest)
                    for shape in self.options.shapes}
        figures = {PROMPT.format(prompt): self._ask("prompt", prompt)
                   for prompt in self.options.prompts}
        return figures | {DECODE: self._ask("decode", *self.options.decode)}

    def close(self):
        if self.process.poll() is None:
            self.process.communicate()


class LlamaCpp:
    def __init__(self, file, device, options):
        self.file, self.device, self.options, self.how = file, device, options, ""

    def _rates(self, *test):
        found = json.loads(self.device.output([
            llamacpp.find(), "-m", self.file, "-ngl", 99, "-r", 3, "-o", "json", *test]))
        self.how = (f"{pathlib.Path(self.file).name}, build {found[0]['build_number']} "
                    f"({found[0]['build_commit']}), all layers on the GPU")
        return {row["n_prompt"] or row["n_gen"]: row["avg_ts"] for row in found}

    def turn(self):
        behind, tokens = self.options.decode
        prompts = self._rates("-p", ",".join(map(str, self.options.prompts)), "-n", 0)
        return {PROMPT.format(prompt): rate for prompt, rate in prompts.items()} | {
            DECODE: self._rates("-p", 0, "-n", tokens, "-d", behind)[tokens]}

    def close(self):
        pass


def of(name, config, device, options, folder):
    """Peers by name, and why others are missing."""
    peers, without = {}, {}
    if not importlib.util.find_spec("torch"):
        without["pytorch"] = "not installed: python3 -m pip install torch"
    elif config.get("model_type") not in ("bert", "llama", "gemma3_text"):
        without["pytorch"] = f"a {config.get('model_type')} is not written for it here"
    else:
        for precision in ("f32", "bf16"):
            try:
                peers[f"pytorch {precision}"] = PyTorch(config, precision, device, options)
            except Problem as problem:
                without[f"pytorch {precision}"] = str(problem)
    if config.get("model_type") == "bert":
        return peers, without
    try:
        file = options.gguf.get(name) or written(config, folder)
        peers["llama.cpp"] = LlamaCpp(file, device, options)
    except Problem as problem:
        without["llama.cpp"] = str(problem)
    return peers, without


def written(config, folder):
    """Writes a GGUF file in bfloat16 of the Llama that random_llama.py makes."""
    if not llamacpp.find():
        raise Problem(llamacpp.MISSING)
    ours = json.loads((ROOT / "bench" / "models" / "llama.json").read_text(encoding="utf-8"))
    if config != ours or not importlib.util.find_spec("gguf"):
        raise Problem("there is no file: give one with --gguf, or install the package gguf for "
                      "the Llama of bench/models")
    from peers import llama_gguf
    subprocess.run([sys.executable, ROOT / "bench" / "random_llama.py", folder / "llama",
                    "bfloat16"], check=True)
    llama_gguf.convert(folder / "llama", folder / "llama-bf16.gguf")
    return folder / "llama-bf16.gguf"
