# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The resources that a kernel takes of an NVIDIA multiprocessor, and how many blocks fit."""

import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from measure.device import ptx
from measure.problem import Problem

# CUDA C++ Programming Guide, "Compute Capabilities": KiB of shared memory of a
# multiprocessor, warps, blocks. All have 65,536 registers, allocated per warp in units
# of 256, and reserve 1 KiB of shared memory for each block.
MACHINES = {"sm_70": (96, 64, 32), "sm_75": (64, 32, 16), "sm_80": (164, 64, 32),
            "sm_86": (100, 48, 16), "sm_89": (100, 48, 24), "sm_90": (228, 64, 32)}


@dataclasses.dataclass
class Entry:
    """A function of a kernel that runs on the device."""
    kernel: str
    name: str
    machine: str
    registers: int
    spilled: int
    threads: int
    shared: int
    counts: ptx.Counts

    def blocks(self):
        """How many blocks a multiprocessor holds, and which resource limits that."""
        memory, warps, most = MACHINES[self.machine]
        own = -(-self.threads // 32)
        of_registers = 65536 // (256 * -(-self.registers * 32 // 256)) // own
        limits = {"registers": of_registers, "threads": warps // own, "blocks": most}
        if self.shared:
            limits["memory"] = memory * 1024 // (self.shared + 1024)
        return min((count, name) for name, count in limits.items())

    def occupancy(self):
        return self.blocks()[0] * -(-self.threads // 32) / MACHINES[self.machine][1]


def find_ptxas():
    path = os.environ.get("PTXAS") or shutil.which("ptxas")
    if not path or not shutil.which(path):
        raise Problem(f"ptxas, of the CUDA toolkit, is not {'at ' + path if path else 'on the PATH'}: "
                      "set PTXAS=DIR/bin/ptxas")
    return path


def compile_model(transfold, model, form, target):
    """The compiler's output of kernels as `form`; `model` is its list of arguments."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder, "out")
        try:
            done = subprocess.run([transfold, "compile", *model, f"--target={target}", "-q", f"--emit={form}",
                                   "-o", out], capture_output=True, text=True)
        except OSError as error:
            raise Problem(f"{transfold}: {error.strerror}; give the path of the compiler with --transfold") from None
        if done.returncode:
            raise Problem(f"{' '.join(map(str, model))} does not compile: {done.stderr.strip()}")
        return out.read_text()


def launches(statements):
    """Threads of a block and bytes of its shared memory, by entry."""
    found = {}
    for name, launch in re.findall(r'halide_cuda_run\([^"]*"(\w+)", (.*?), \(void \*\)make_struct\(', statements):
        # Blocks and threads in three dimensions, then bytes, as sums and products of integers.
        sizes = launch.rsplit(", ", 4)[1:]
        x, y, z = (int(size) for size in sizes[:3])
        shared = 0
        for term in re.sub(r"[()\s]", "", sizes[3]).split("+"):
            product = 1
            for factor in term.split("*"):
                product *= int(factor)
            shared += product
        found[name] = (x * y * z, shared)
    return found


def assemble(ptxas, text, machine):
    """Registers and bytes of spills, by entry."""
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write(text)
        file.flush()
        done = subprocess.run([ptxas, "-v", f"-arch={machine}", file.name, "-o", "/dev/null"],
                              capture_output=True, text=True)
    if done.returncode:
        raise Problem(f"ptxas refuses {machine}: {done.stderr.strip()}")
    found = {}
    for part in re.split(r"Compiling entry function '", done.stderr)[1:]:
        spills = [int(number) for number in re.findall(r"(\d+) bytes spill", part)]
        found[part.split("'")[0]] = (int(re.search(r"Used (\d+) registers", part)[1]), sum(spills))
    return found


def measure(transfold, model, machines, target="cuda"):
    ptxas = find_ptxas()
    texts = ptx.kernels(compile_model(transfold, model, "asm", target))
    sizes = launches(compile_model(transfold, model, "stmt", target))
    for kernel, text in texts:
        counts = {name: ptx.count(lines) for name, lines in ptx.entries(text)}
        for machine in machines:
            for name, (registers, spilled) in assemble(ptxas, text, machine).items():
                threads, shared = sizes.get(name, (0, 0))
                yield Entry(kernel, name, machine, registers, spilled, max(threads, 1), shared, counts[name])
