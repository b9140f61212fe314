# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""random_specs.py TRANSFOLD OUT: random equations, computed by transfold and by NumPy.

    --specs N      how many (60)
    --first SEED   the first seed (0)
    --seed SEED    this one only, and its files stay
    --programs N   one of N is also compiled to a program (6); 0: none
    --targets N    one of N programs is also compiled for OpenCL (0: none)
    --cover        print the productions of the grammar that no model of this run has
    --productions  print the productions of the models, and their counts
    --without LIST leave out models with these traits (lengths,division,zero,extreme,…)
    --with LIST    only models with one of these traits (indexed,recurrent,…)
    --refusal TEXT a refusal with this text is a finding, too
    --keep-going   continue after a finding
    --no-shrink    do not search for a smaller spec with the finding

Each seed is one model. A refusal is counted by its message; any other disagreement with
NumPy is a finding, with the smallest spec that shows it. See README.md.
"""

import argparse
import collections
import pathlib
import re
import sys
import traceback

import cover
import shrink
from examine import Examination, Finding, Unfit
from models import Model


def options():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("transfold")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--specs", type=int, default=60)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--programs", type=int, default=6)
    parser.add_argument("--targets", type=int, default=0)
    parser.add_argument("--cover", action="store_true")
    parser.add_argument("--productions", action="store_true")
    parser.add_argument("--without", type=lambda text: set(text.split(",")), default=set())
    parser.add_argument("--with", type=lambda text: set(text.split(",")), default=set())
    parser.add_argument("--refusal")
    parser.add_argument("--keep-going", action="store_true")
    parser.add_argument("--no-shrink", action="store_true")
    return parser.parse_args()


def message_of(refusal):
    """The kind of a refusal: its first line without places and numbers."""
    for line in refusal.split("\n"):
        if "error:" in line:
            line = line.split("error:", 1)[1]
            line = re.sub(r"kernel @\w+", "kernel @…", line)
            return re.sub(r"\b\w+_\d+(\.\w+)*|-?\d[\d.e-]*", "…", line).strip()[:100]
    return refusal.strip().split("\n")[0][:100]


class Search:
    def __init__(self, given):
        self.given = given
        self.counts, self.refusals = collections.Counter(), collections.Counter()
        self.examples, self.findings = {}, []
        self.used = collections.Counter()

    def examine(self, model, program):
        """Raises the finding, or returns what was done."""
        targets = self.given.targets * max(1, self.given.programs)
        device = program and targets and model.seed % targets == 0
        if self.given.seed is not None:
            device = self.given.targets > 0
        examination = Examination(
            self.given.transfold, model, self.given.out / f"seed-{model.seed}"
        )
        try:
            examination.examine(program, thorough=self.given.specs > 100, device=device)
        finally:
            if self.given.seed is None:
                examination.clean_up()
        for step, refusal in examination.refused.items():
            if self.given.refusal and self.given.refusal in refusal:
                raise Finding(f"refused by {step}", refusal)
        return examination

    def one(self, seed):
        model = Model(seed)
        wanted = getattr(self.given, "with")
        if self.given.without & model.traits() or wanted and not wanted & model.traits():
            self.counts["left out"] += 1
            return
        every = self.given.programs
        program = self.given.seed is not None or every and seed % every == 0
        try:
            examination = self.examine(model, program)
        except Unfit as unfit:
            self.counts[f"unfit: {unfit}"] += 1
            return
        except Finding as finding:
            self.report(model, finding, program)
            return
        self.counts.update(examination.done)
        self.used.update(cover.productions(model))
        for step, refusal in examination.refused.items():
            kind = f"{step}: {message_of(refusal)}"
            self.refusals[kind] += 1
            self.examples.setdefault(kind, seed)
            if self.given.seed is not None:
                print(refusal)

    def report(self, model, finding, program):
        self.findings.append((finding.kind, model.seed))
        print(
            f"\nseed {model.seed} ({', '.join(sorted(model.traits()))}), {finding.kind}: {finding}"
        )
        if not self.given.no_shrink:
            finding = shrink.smaller(model, finding, lambda m: self.examine(m, program))
            print(f"\nthe smallest that was found: {finding}")
        print(f"\n{model.spec()}\n{model.config()}\n\n{model.python()}")
        for name, arrays in model.arguments.items():
            if any(p.name == name for p in model.parameters()):
                print(f"{name}: {[array.tolist() for array in arrays]}")
        print(
            f"replay: {sys.executable} {__file__} {self.given.transfold} {self.given.out} --seed {model.seed}",
            flush=True,
        )
        if not self.given.keep_going:
            self.finish()

    def tell_productions(self):
        missing = cover.missing(self.used)
        print(
            f"{len(self.used)} productions, {len(cover.WANTED) - len(missing)} of "
            f"{len(cover.WANTED)} that docs/language.md has"
        )
        if self.given.productions:
            for name, number in sorted(self.used.items()):
                print(f"  {number:6} {name}")
        if self.given.cover:
            for name in missing:
                print(f"  never: {name}")

    def finish(self):
        counts = ", ".join(f"{number} {kind}" for kind, number in sorted(self.counts.items()))
        print(f"\n{counts}, {len(self.findings)} findings {self.findings or ''}")
        for kind, number in self.refusals.most_common():
            print(f"  refused {number:4} times, first by seed {self.examples[kind]}: {kind}")
        self.tell_productions()
        sys.exit(bool(self.findings))


def main():
    given = options()
    search = Search(given)
    seeds = (
        [given.seed] if given.seed is not None else range(given.first, given.first + given.specs)
    )
    for seed in seeds:
        try:
            search.one(seed)
        except Exception:  # of this script: name the seed
            print(f"seed {seed}:\n{traceback.format_exc()}", flush=True)
            search.findings.append(("script", seed))
            if not given.keep_going:
                break
    search.finish()


if __name__ == "__main__":
    main()
