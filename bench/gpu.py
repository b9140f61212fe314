# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packs programs for a GPU on the machine that builds transfold; checks and measures them on
the machine that has the GPU.

`pack` compiles programs and puts them into an archive, without the weights of the measured
ones: time does not depend on their values. The other machine needs this checkout and Python
with NumPy, no compiler and no network. There every packed golden is compared with float64,
then speed is measured, also that of PyTorch and llama.cpp if they are installed. It writes
gpu.md and gpu.json; the exit code is 1 if a golden or a measurement failed.
"""

import argparse
import importlib.util
import pathlib
import re
import sys
import tempfile

from measure.device import gpu_archive, gpu_models, gpu_pack, gpu_run
from measure.clock import Clock
from measure.machine import ROOT
from measure.problem import Problem, numbers, run
from measure.shapes import Shape
from report import files, gpu_table

EXAMPLES = """examples:
  bench/gpu.sh pack                                       writes build/gpu.tar.xz, for CUDA
  bench/gpu.sh pack opencl.tar.xz --target opencl --models bert,qwen3 --measure minilm
  bench/gpu.sh gpu.tar.xz --out results                   on the machine with the GPU
  bench/gpu.sh gpu.tar.xz --quick                         some goldens, one round
  bench/gpu.sh gpu.tar.xz --gguf llama=llama-q4_0.gguf    the file that llama.cpp reads
"""
USUAL = ROOT / "build" / "gpu.tar.xz"


def parser_of(prog):
    return argparse.ArgumentParser(prog=prog, description=__doc__, epilog=EXAMPLES,
                                   formatter_class=argparse.RawDescriptionHelpFormatter)


def parse_pack(words):
    parser = parser_of("gpu.sh pack")
    add = parser.add_argument
    add("file", nargs="?", default=USUAL, type=pathlib.Path,
        help="the archive (build/gpu.tar.xz)")
    add("--target", default="cuda_80", help="targets of the programs (cuda_80), separated by commas "
                                            "as for transfold")
    add("--models", default=",".join(gpu_models.GOLDENS), metavar="NAME,…",
        help="models of test/end-to-end/models whose goldens are compared (%(default)s)")
    add("--measure", default=",".join(gpu_models.MEASURED), metavar="NAME,…",
        help="models to measure: names in bench/models, or directories (%(default)s)")
    add("--precision", default=",".join(gpu_models.PRECISIONS), metavar="f32,…",
        help="precisions of the measured models (%(default)s)")
    add("--most", type=float, default=60, metavar="MB", help="maximum size of the archive (60)")
    add("--build", metavar="DIR", default=ROOT / "build", type=pathlib.Path,
        help="build folder with the compiler (build)")
    return parser.parse_args(words)


def parse_run(words):
    parser = parser_of("gpu.sh")
    add = parser.add_argument
    add("file", nargs="?", default=USUAL, type=pathlib.Path,
        help="archive that `gpu.sh pack` wrote (build/gpu.tar.xz)")
    add("--device", help="target of the programs to run (the first: cuda_80)")
    add("--out", metavar="DIR", default=ROOT / "build" / "bench",
        help="folder for gpu.md and gpu.json (build/bench)")
    add("--quick", action="store_true", help="four goldens, one round")
    add("--minutes", type=float, default=9.5, help="time after which no further step begins (9.5)")
    add("--rounds", type=int, help="rounds; each program runs once per round (3; with --quick 1)")
    add("--jobs", type=int, default=8, help="goldens that run at a time (8)")
    add("--shapes", default="1x128,64x128", help="shapes for encoders (%(default)s)")
    add("--prompts", default="512,2048", help="lengths of prompts in tokens (%(default)s)")
    add("--decode", default="128,64", metavar="PROMPT,TOKENS",
        help="128,64: 64 tokens after a prompt of 128 (%(default)s)")
    add("--limits", metavar="N,N", help="10⁹ operations in float32, 10⁹ bytes a second, and as a third number "
                                        "operations in bfloat16; default: "
                                        "those of the GPU's data sheet, if known")
    add("--gguf", metavar="NAME=FILE", action="append", default=[],
        help="the file that llama.cpp reads for a measured model; may be repeated")
    return parser.parse_args(words)


def check(options):
    """Checks the options before anything runs."""
    options.shapes = [Shape(text) for text in options.shapes.split(",")]
    options.prompts = numbers(options.prompts, "--prompts")
    options.decode = numbers(options.decode, "--decode")
    if len(options.decode) != 2:
        raise Problem("--decode: expected two numbers: --decode 128,64 is 64 tokens after a prompt of 128")
    if options.rounds is None:
        options.rounds = 1 if options.quick else 3
    if options.rounds < 1 or options.jobs < 1 or not options.minutes > 0:
        raise Problem("--rounds, --jobs and --minutes: expected 1 or more")
    if options.limits and not re.fullmatch(r"[\d.]+,[\d.]+(,[\d.]+)?", options.limits):
        raise Problem(f"--limits {options.limits}: expected 10⁹ operations and bytes a second, such as "
                      "67000,3350")
    options.gguf = dict(each.partition("=")[::2] for each in options.gguf)
    for name, file in options.gguf.items():
        if not pathlib.Path(file).is_file():
            raise Problem(f"--gguf {name}={file}: no such file; write NAME=FILE.gguf")
    if not importlib.util.find_spec("numpy"):
        raise Problem("goldens are compared with NumPy: python3 -m pip install numpy")


def main():
    words = sys.argv[1:]
    if words[:1] == ["pack"]:
        gpu_pack.pack(parse_pack(words[1:]))
        return
    options = parse_run(words)
    check(options)
    clock = Clock(options.minutes)
    with tempfile.TemporaryDirectory() as folder:
        manifest = gpu_archive.unpack(options.file, pathlib.Path(folder))
        results = gpu_run.run(manifest, pathlib.Path(folder), options, clock)
    text = gpu_table.text(results)
    files.write(options.out, "gpu.json", files.as_json(results))
    files.write(options.out, "gpu.md", text)
    print("\n" + text)
    clock.say(f"written: {pathlib.Path(options.out) / 'gpu.md'}, gpu.json")
    failed = sum(not golden["passed"] for golden in results["goldens"])
    if failed or results["failed"]:
        raise Problem(f"{failed} of {len(results['goldens'])} goldens failed, and "
                      f"{len(results['failed'])} measurements; gpu.md lists them")


if __name__ == "__main__":
    run(main)
