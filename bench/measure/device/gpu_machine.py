# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The machine with the GPU: its description, its limits, and the programs that run on it."""

import json
import os
import shutil
import subprocess

from measure.machine import description
from measure.problem import Problem

# From NVIDIA's data sheets: 10⁹ operations in float32 without tensor cores, 10⁹ bytes, and 10⁹
# operations in bfloat16 on tensor cores, dense and added up in float32, per second. The first entry
# whose name is part of nvidia-smi's name applies. The T4 has no bfloat16.
DATA_SHEETS = {
    "H200": (66900, 4800, 989500), "H100 NVL": (60000, 3938, 835500),
    "H100 PCIe": (51200, 2039, 756500), "H100": (66900, 3352, 989500),
    "A100-SXM4-80GB": (19500, 2039, 312000), "A100 80GB": (19500, 1935, 312000),
    "A100": (19500, 1555, 312000), "L40S": (91600, 864, 362050), "L4": (30300, 300, 121000),
    "A10": (31200, 600, 125000), "T4": (8100, 320), "RTX 4090": (82600, 1008, 165200),
    "RTX 3090": (35600, 936, 71000),
}
ASKED = ("name", "driver_version", "memory.total", "power.limit", "clocks.max.sm", "clocks.max.mem")


def describe(device):
    """The machine's properties; those of ASKED if nvidia-smi reports them."""
    machine = {"processor": description(), "device": device}
    if device.startswith("cuda") and shutil.which("nvidia-smi"):
        told = subprocess.run(
            ["nvidia-smi", f"--query-gpu={','.join(ASKED)}", "--format=csv,noheader"],
            capture_output=True, text=True, check=False).stdout.splitlines()
        if told:  # the first GPU: programs use only this one
            machine |= dict(zip(ASKED, (word.strip() for word in told[0].split(","))))
    return machine


def limits_of(machine, given):
    """"N,N,N" for `PROGRAM bench --limits`, and its source; None if programs measure the limits
    themselves."""
    if given:
        return given, "as given"
    for name, numbers in DATA_SHEETS.items():
        if name in machine.get("name", ""):
            return ",".join(map(str, numbers)), f"data sheet of {name}"
    return None, "memory: copying; multiplying: unknown"


class Failed(Problem):
    """A program failed; `said` has its whole output."""

    def __init__(self, words, code, said):
        self.said = said.strip().splitlines()
        why = f"it was ended by signal {-code}" if code < 0 else f"exit status {code}"
        super().__init__(f"'{' '.join(words)}' failed: {self.said[-1] if self.said else why}")


class Device:
    """Runs programs on one of their targets, each with a time limit."""

    def __init__(self, name, seconds):
        self.name, self.seconds = name, seconds
        self.environment = {**os.environ, "TRANSFOLD_DEVICE": name}

    def output(self, command, seconds=None):
        """Standard output of a program. Raises Problem if it fails."""
        words = [str(word) for word in command]
        try:
            found = subprocess.run(words, capture_output=True, text=True, check=False,
                                   env=self.environment, timeout=seconds or self.seconds)
        except subprocess.TimeoutExpired:
            raise Problem(f"'{' '.join(words)}' took more than {seconds or self.seconds:.0f} s") \
                from None
        except OSError as error:
            raise Problem(f"cannot run {words[0]}: {error.strerror}") from None
        if found.returncode:
            raise Failed(words, found.returncode, found.stdout + found.stderr)
        return found.stdout

    def answer(self, *command):
        """The JSON output of a program."""
        return json.loads(self.output([*command, "--json"]))
