#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the time of a program grows with the length and with the batch, and where it jumps.

Encoders: runs of 16 tokens up to the model's limit, and batches of 1 to 64. Decoders:
prompts of these lengths, and the decode steps after them. Needs only Python.
"""

import argparse
import pathlib

from measure import machine
from measure.cliffs import cliffs, default_lengths
from measure.grow import info, measure
from measure.problem import Problem, numbers, run
from report import curves, files

EXAMPLES = """examples:
  python3 bench/growth.py build/minilm --out build/growth
  python3 bench/growth.py build/smollm2 --threads 1,2 --to 8192
  python3 bench/growth.py build/minilm --lengths 120,127,128,129,136 --batches 1
  python3 bench/growth.py --report build/growth/growth.json
"""


def parse():
    parser = argparse.ArgumentParser(description=__doc__, epilog=EXAMPLES,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("program", nargs="?", type=pathlib.Path, help="program that transfold compiled")
    add("--threads", default="1", metavar="1,2", help="numbers of threads (1)")
    add("--to", type=int, default=8192, metavar="N",
        help="longest length, up to the model's limit (%(default)s)")
    add("--lengths", metavar="N,…", help="lengths (default: from 16, each 1.4 times the one before)")
    add("--batches", default="1,2,4,8,16,32,64", metavar="N,…", help="sizes of batches (%(default)s)")
    add("--length-of-batches", type=int, default=64, metavar="N",
        help="length of the sequences of a batch (%(default)s)")
    add("--rounds", type=int, default=5, help="measurements of each size (%(default)s)")
    add("--cliff", type=float, default=1.25, metavar="X",
        help="report neighbors if the time for the same work rises by this factor (%(default)s)")
    add("--out", metavar="DIR", help="folder for growth.json and growth.svg")
    add("--report", metavar="FILE", help="measure nothing: list the cliffs of a growth.json, "
                                         "and draw it with --out")
    return parser.parse_args()


def check(options):
    if not options.program:
        raise Problem("nothing to measure: give a program that transfold compiled (see --help)")
    if not options.program.is_file():
        raise Problem(f"there is no {options.program}; 'transfold compile MODEL -o "
                      f"{options.program}' creates it")
    options.threads = numbers(options.threads, "--threads")
    options.batches = sorted(numbers(options.batches, "--batches"))
    generates, limit = info(options.program)
    longest = min(options.to, limit or options.to)
    options.lengths = (sorted(numbers(options.lengths, "--lengths")) if options.lengths else
                       default_lengths(longest))
    if max(options.lengths) > longest:
        raise Problem(f"--lengths: the model takes {longest} tokens at most")
    options.length_of_batches = min(options.length_of_batches, longest)
    return generates


def main():
    options = parse()
    if options.report:
        results = files.read(options.report, "program", "processor", "series")
    else:
        generates = check(options)
        series = [each for threads in options.threads
                  for each in measure(options.program, threads, generates, options)]
        results = {"program": options.program.name, "processor": machine.description(),
                   "rounds": options.rounds, "series": series}
    for each in results["series"]:
        each["cliffs"] = cliffs(each["points"], options.cliff)
    print("\n".join(curves.table(results)))
    if options.out:
        files.write(options.out, "growth.json", files.as_json(results))
        files.write(options.out, "growth.svg", curves.svg(results))


if __name__ == "__main__":
    run(main)
