#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How far a program's next-token distributions are from those of the exact model.

GOLDENS is a folder with golden.json: "prompts": [{"name", "ids"}, …], and the exact logits
after each, logits_last_f32_NAME.npy; "ppl": {"ids", "ppl"}, a text and its perplexity.
Prints for each program: the Kullback-Leibler divergence of its next-token distribution from
the exact one in nats, whether the likeliest token is the same, and the perplexity of the
text. --beside FILE.json adds another program's divergences: {"cmp": {"NAME": {"kl": …}}}.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy

from measure.problem import Problem

EXAMPLES = """examples:
  python3 bench/quality.py --goldens goldens/smollm2 build/smollm2-int8 build/smollm2
  python3 bench/quality.py --goldens goldens/smollm2 --beside llamacpp.json build/smollm2-int8
"""


def parse():
    parser = argparse.ArgumentParser(description=__doc__, epilog=EXAMPLES,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("programs", nargs="+", type=pathlib.Path, help="programs that transfold compiled from the model")
    add("--goldens", type=pathlib.Path, required=True, metavar="DIR")
    add("--beside", type=pathlib.Path, metavar="FILE", help="divergences of another program")
    add("--threads", type=int, default=1, help="(%(default)s)")
    return parser.parse_args()


def log_probabilities(logits):
    shifted = logits.astype(float) - logits.max(-1, keepdims=True)
    return shifted - numpy.log(numpy.exp(shifted).sum(-1, keepdims=True))


def logits_by_program(program, threads):
    """A function from ids to the logits after each of them."""
    def logits(ids):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            numpy.save(folder / "ids.npy", numpy.array([ids]))
            done = subprocess.run(
                [program, "eval", "--threads", str(threads), "--in",
                 f"input_ids={folder / 'ids.npy'}", "--out", folder / "out"],
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
            if done.returncode:
                raise Problem(f"{program}: {done.stderr.strip()}")
            return numpy.load(folder / "out" / "logits.npy")[0]
    return logits


class Goldens:
    def __init__(self, folder):
        try:
            read = json.loads((folder / "golden.json").read_text(encoding="utf-8"))
            self.prompts = [(each["name"], each["ids"],
                             numpy.load(folder / f"logits_last_f32_{each['name']}.npy"))
                            for each in read["prompts"]]
        except OSError as error:
            raise Problem(f"--goldens {folder}: {error.strerror}: {error.filename}") from None
        self.text, self.perplexity = read["ppl"]["ids"], read["ppl"]["ppl"]


def divergences(logits, goldens):
    """By prompt: the divergence, and whether the likeliest token is the same."""
    found = {}
    for name, ids, exact in goldens.prompts:
        given, own = logits(ids)[-1], log_probabilities(exact)
        kl = float((numpy.exp(own) * (own - log_probabilities(given))).sum())
        found[name] = (kl, bool(given.argmax() == exact.argmax()))
    return found


def perplexity(logits, ids):
    own = log_probabilities(logits(ids)[:-1])
    return float(numpy.exp(-own[numpy.arange(len(ids) - 1), ids[1:]].mean()))


def row(name, found, text):
    cells = [f"{kl:.2g}{'' if same else ' (other word)'}" for kl, same in found.values()]
    mean = numpy.mean([kl for kl, _ in found.values()])
    print(f"| {name} | " + " | ".join(cells) + f" | {mean:.2g} | {text} |")


def main():
    options = parse()
    goldens = Goldens(options.goldens)
    names = [name for name, _, _ in goldens.prompts]
    print("| | " + " | ".join(names) + " | mean | perplexity |")
    print("|---" * (len(names) + 3) + "|")
    sources = [(program.name, logits_by_program(program, options.threads))
               for program in options.programs]
    for name, logits in sources:
        row(name, divergences(logits, goldens), f"{perplexity(logits, goldens.text):.3f}")
    if options.beside:
        read = json.loads(options.beside.read_text(encoding="utf-8"))["cmp"]
        row(options.beside.name,
            {name: (read[name]["kl"], read[name].get("argmax_same", True)) for name in names}, "")
    print(f"| exact | {'| ' * len(names)}| {goldens.perplexity:.3f} |")


if __name__ == "__main__":
    try:
        main()
    except Problem as problem:
        sys.exit(f"quality.py: error: {problem}")
