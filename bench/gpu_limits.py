# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What limits a model's kernels on NVIDIA's GPUs, by counting, not by measuring.

For each function that runs on the device: registers and spills as ptxas counts them,
threads and shared memory of a block, how many blocks a multiprocessor holds and which
resource limits that, and the loads of a thread per multiply-add, from PTX.

  python3 bench/gpu_limits.py test/end-to-end/models/bert
  python3 bench/gpu_limits.py DIR --spec FILE.xf --machine sm_80,sm_90 --markdown
"""

import argparse
import os
import pathlib
import sys

from measure.device import gpu
from measure.problem import Problem, run
from report import table

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEAD = ["kernel", "GPU", "threads", "registers", "spilled", "shared KiB", "blocks", "occupancy", "limited by",
        "loads/fma shared", "global", "bytes/fma global"]


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="model, as for `transfold compile`")
    parser.add_argument("--spec", help="spec of the model")
    parser.add_argument("--machine", default="sm_80,sm_90", help="kinds of GPU (%(default)s)")
    parser.add_argument("--transfold", default=ROOT / "build/bin/transfold", help="the compiler (%(default)s)")
    parser.add_argument("--markdown", action="store_true", help="print a Markdown table")
    return parser.parse_args()


def share(number):
    return "–" if number is None else f"{number:.3f}"


def row(entry):
    blocks, limit = entry.blocks()
    return [entry.kernel, entry.machine, str(entry.threads), str(entry.registers), str(entry.spilled),
            f"{entry.shared / 1024:.1f}", str(blocks), f"{100 * entry.occupancy():.0f} %", limit,
            *(share(entry.counts.per_multiply_add(name)) for name in ("shared_loads", "global_loads", "global_bytes"))]


def markdown(rows):
    for i, cells in enumerate(rows):
        yield "| " + " | ".join(cells) + " |"
        if i == 0:
            yield "|---|" + "---:|" * (len(cells) - 1)


def main():
    options = parse()
    machines = options.machine.split(",")
    for machine in machines:
        if machine not in gpu.MACHINES:
            raise Problem(f"--machine {machine}: unknown; choose from {', '.join(gpu.MACHINES)}")
    model = [options.model] + (["--spec", options.spec] if options.spec else [])
    rows = [HEAD] + [row(entry) for entry in gpu.measure(options.transfold, model, machines)]
    try:
        print("\n".join((markdown if options.markdown else table.aligned)(rows)), flush=True)
    except BrokenPipeError:
        # The reader closed the pipe. With this, Python's flush at exit does not fail.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    run(main)
