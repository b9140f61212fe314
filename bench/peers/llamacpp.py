# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""llama.cpp, by its own llama-bench, on the same GGUF file.

It rounds what meets the blocks of a file to 8 bits; float32 and bfloat16 stay.
"""

import json
import os
import pathlib
import shutil

from measure.machine import pinned

NAME = "llama.cpp"
MISSING = ("there is no llama-bench on the PATH; build it from llama.cpp (bench/README.md says "
           "how) or set LLAMA_BENCH to where it is")


def find():
    """llama-bench, or None."""
    return os.environ.get("LLAMA_BENCH") or shutil.which("llama-bench")


class LlamaCpp:
    def __init__(self, file, cpus):
        self.file, self.cpus = pathlib.Path(file), cpus
        self.how = ""

    def _rates(self, *test):
        """Tokens per second by the number of tokens. A process for each test: with
        --n-depth all tests begin so deep."""
        found = json.loads(pinned([find(), "-m", self.file, "-t", len(self.cpus), "-r", 1,
                                   "-o", "json", *test], self.cpus))
        self.how = f"build {found[0]['build_number']} ({found[0]['build_commit']})"
        return {row["n_prompt"] or row["n_gen"]: row["avg_ts"] for row in found}

    def prompts(self, lengths):
        return self._rates("-p", ",".join(map(str, lengths)), "-n", 0)

    def decode(self, prompt, tokens):
        """Tokens per second behind a prompt."""
        return self._rates("-p", 0, "-n", tokens, "-d", prompt)[tokens]
