# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""llama.cpp, measured by its own llama-bench on the same GGUF file.

It rounds the activations for quantized weights to 8 bits, but not those for float32 and
bfloat16.
"""

import json
import os
import pathlib
import shutil

from measure.machine import pinned

NAME = "llama.cpp"
MISSING = ("there is no llama-bench on the PATH; build it from llama.cpp (bench/README.md describes "
           "how) or set LLAMA_BENCH to its path")


def find():
    """The path of llama-bench, or None."""
    return os.environ.get("LLAMA_BENCH") or shutil.which("llama-bench")


class LlamaCpp:
    def __init__(self, file, cpus):
        self.file, self.cpus = pathlib.Path(file), cpus
        self.how = ""

    def _rates(self, *test):
        """Tokens per second by the number of tokens. One process per test, since --n-depth
        applies to all tests of a process."""
        found = json.loads(pinned([find(), "-m", self.file, "-t", len(self.cpus), "-r", 1,
                                   "-o", "json", *test], self.cpus))
        self.how = f"build {found[0]['build_number']} ({found[0]['build_commit']})"
        return {row["n_prompt"] or row["n_gen"]: row["avg_ts"] for row in found}

    def prompts(self, lengths):
        return self._rates("-p", ",".join(map(str, lengths)), "-n", 0)

    def decode(self, prompt, tokens):
        """Tokens per second of decode steps after a prompt."""
        return self._rates("-p", 0, "-n", tokens, "-d", prompt)[tokens]
