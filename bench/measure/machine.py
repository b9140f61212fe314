# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The machine: the processors to which a measurement is pinned, and their limits."""

import functools
import json
import os
import pathlib
import platform
import subprocess

from measure.problem import Problem

ROOT = pathlib.Path(__file__).resolve().parents[2]

# The keys of bench-machine's output, by the precision of products.
PEAKS = {"f32": "gflops", "bf16": "bf16_gflops", "int8": "int8_gops"}


@functools.cache
def _cpuinfo():
    """Keys and values of the first processor in /proc/cpuinfo."""
    try:
        text = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return {}
    pairs = (line.split(":", 1) for line in text.split("\n\n")[0].splitlines() if ":" in line)
    return {key.strip(): value.strip() for key, value in pairs}


def description():
    return _cpuinfo().get("model name") or platform.processor() or platform.machine()


def has(flag):
    """Whether the processor has an instruction set, as Linux names it."""
    return flag in _cpuinfo().get("flags", "").split()


def processors(threads):
    """One processor per thread, on separate cores as long as there are any: two hardware
    threads of one core share its multipliers."""
    allowed, cores, others = sorted(os.sched_getaffinity(0)), {}, []
    for each in allowed:
        path = f"/sys/devices/system/cpu/cpu{each}/topology/thread_siblings_list"
        siblings = pathlib.Path(path).read_text() if os.path.exists(path) else str(each)
        if cores.setdefault(siblings, each) != each:
            others.append(each)
    chosen = [*cores.values(), *others][:threads]
    if len(chosen) < threads:
        raise Problem(f"--threads {threads}: this process may use {len(allowed)} processors; "
                      "measure with no more than that")
    return chosen


def pinned(command, cpus):
    """The output of a program that runs on these processors only."""
    try:
        return subprocess.run([str(part) for part in command], check=True, capture_output=True,
                              text=True, preexec_fn=lambda: os.sched_setaffinity(0, cpus)).stdout
    except OSError as error:
        raise Problem(f"cannot run {command[0]}: {error.strerror}") from None
    except subprocess.CalledProcessError as error:
        last = (error.stderr.strip() or f"exit status {error.returncode}").splitlines()[-1]
        raise Problem(f"'{' '.join(map(str, command))}' failed: {last}") from None


class Limits:
    """The best results of bench-machine: other load on the machine can only lower them."""

    def __init__(self, build, cpus):
        self.program, self.cpus = pathlib.Path(build) / "bin" / "bench-machine", cpus
        self.best = {}

    def is_known(self):
        return self.program.exists()

    def measure(self):
        if self.is_known():
            for key, value in json.loads(pinned([self.program, len(self.cpus)], self.cpus)).items():
                self.best[key] = max(value, self.best.get(key, 0))
