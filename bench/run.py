#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares compiled programs with the peers that are installed, in alternation.

Encoders (Hugging Face directories of BERT) are compared with ONNX Runtime, OpenVINO,
CTranslate2 and PyTorch; decoders (GGUF files, or directories of a Llama) with llama.cpp. It
compiles our programs, lists missing peers and how to install them, and prints with each
figure its share of the machine's limit. bench/README.md explains how the comparison is kept
fair.
"""

import argparse
import importlib.util
import pathlib
import tempfile

import peers
from measure import machine
from measure.everything import measure
from measure.problem import Problem, numbers, run
from measure.shapes import Shape
from report import bars, files, table

EXAMPLES = """examples:
  python3 bench/run.py --encoder all-MiniLM-L6-v2 --threads 1,2
  python3 bench/run.py --encoder all-MiniLM-L6-v2 --precision f32,bf16,int8 --goldens GOLDENS
  python3 bench/run.py --encoder all-MiniLM-L6-v2 --shapes 1x16,64x5-200 --peers onnxruntime
  python3 bench/run.py --encoder all-MiniLM-L6-v2 --program f32=build/minilm --kernels
  python3 bench/run.py --decoder SmolLM2-135M-Instruct.Q4_1.gguf --precision f32,int8
  python3 bench/run.py --report build/bench/results.json     the table of an earlier run
"""


def parse():
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--encoder", metavar="DIR", action="append", default=[], type=pathlib.Path,
        help="a Hugging Face directory of a BERT; may be repeated")
    add("--decoder", metavar="MODEL", action="append", default=[], type=pathlib.Path,
        help="a GGUF file, or a directory of a Llama; may be repeated")
    add("--precision", default="f32", metavar="f32,bf16,int8", help="precisions to compile for (f32)")
    add("--threads", default="1", metavar="1,2", help="numbers of threads (1)")
    add("--shapes", default="1x16,1x128,1x512,8x128,64x5-200",
        help="shapes for encoders: 1x128 is a sequence of 128 tokens, 64x5-200 are 64 of 5 to 200 "
             "(%(default)s)")
    add("--rounds", type=int, default=7, help="rounds; each program runs once per round (7)")
    add("--peers", metavar="NAME,…", default=",".join(peers.ENCODERS),
        help="peers to compare with (%(default)s); '' for none")
    add("--goldens", metavar="DIR", type=pathlib.Path,
        help="folder with golden.json and embeddings_f64.npy: also report errors against float64")
    add("--kernels", action="store_true",
        help="also report the time by kind of work, for ours and for peers that provide it")
    add("--program", metavar="PRECISION=PATH", action="append", default=[],
        help="a compiled program, if there is one model")
    add("--build", metavar="DIR", default=machine.ROOT / "build",
        help="build folder with the compiler and bench-machine (build)")
    add("--out", metavar="DIR", help="folder for results.json, results.txt and results.svg")
    add("--report", metavar="FILE", help="measure nothing: print the table of a results.json, "
                                         "and draw it with --out")
    return parser.parse_args()


def check(options):
    """Checks the options before the measurements, which may take hours."""
    options.threads = numbers(options.threads, "--threads")
    options.precision = options.precision.split(",")
    for each in options.precision:
        if each not in machine.PEAKS:
            raise Problem(f"--precision {each}: unknown; choose from {', '.join(machine.PEAKS)}")
    options.shapes = [Shape(text) for text in options.shapes.split(",")]
    options.peers = [name for name in options.peers.split(",") if name]
    for name in options.peers:
        if name not in peers.ENCODERS:
            raise Problem(f"--peers {name}: unknown; choose from {', '.join(peers.ENCODERS)}")
    if options.rounds < 1:
        raise Problem("--rounds: expected 1 or more")
    models = options.encoder + options.decoder
    if not models:
        raise Problem("nothing to measure: give --encoder DIR or --decoder FILE.gguf (see --help)")
    for model in models:
        if not model.exists():
            raise Problem(f"there is no {model}")
    options.program = dict(each.partition("=")[::2] for each in options.program)
    if options.program and len(models) > 1:
        raise Problem("--program is for one model; measure the others in separate runs")
    for precision, path in options.program.items():
        if precision not in machine.PEAKS or not pathlib.Path(path).is_file():
            raise Problem(f"--program {precision}={path}: expected an existing program after its "
                          f"precision, such as f32=build/minilm")
    if options.encoder and not importlib.util.find_spec("numpy"):
        raise Problem("encoders need NumPy, and a comparison needs peers: python3 -m pip install "
                      f"-r {machine.ROOT / 'bench' / 'requirements.txt'}")


def main():
    options = parse()
    if options.report:
        results = files.read(options.report, "processor", "rounds", "encoders", "decoders")
    else:
        check(options)
        with tempfile.TemporaryDirectory() as folder:
            results = measure(options, pathlib.Path(folder))
    words = table.text(results)
    print(words, end="")
    if options.out:
        files.write(options.out, "results.json", files.as_json(results))
        files.write(options.out, "results.txt", words)
        files.write(options.out, "results.svg", bars.svg(results))


if __name__ == "__main__":
    run(main)
