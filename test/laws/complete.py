# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every law and every rewrite has a rule, and every rule is about something that exists.

  complete.py                 prints what has none
  complete.py --without NAME  as if the rules of this name did not exist

Found in the sources: the laws of operations in dialect/, traits in its .td files, folders; and in fold, fuse and
stage the passes, whose names are those that `transfold report` prints, and the patterns. Of the passes of other
stages, those that query a law according to compiler/report/Laws.cpp.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from rules import ROOT, Rule, load

LAW = re.compile(r"^(?:\w[\w<>:]* )+(\w+Op::(?:gaugeLaw|shiftLaw|gainLaw|getBatchLaw))\(", re.MULTILINE)
FOLDER = re.compile(r"^OpFoldResult (\w+::fold)\(", re.MULTILINE)
PATTERN = re.compile(r"struct (\w+) : (?:Op)?RewritePattern\b")
PASS = re.compile(r"Pass<\"(xf-[\w-]+)\"")
QUERY = re.compile(r"\"(xf-[\w-]+)\"")
OPERATION = re.compile(r"^def (Xf_\w+Op) :(.*?)(?=^(?:def|class|let|#|//==)|\Z)", re.MULTILINE | re.DOTALL)
# Traits that state a law, with the file of rules about it.
TRAITS = {"Xf_GaugesAgree": "gauge.py", "Xf_ZeroPreserving": "zero.py"}
STAGES = ("fold", "fuse", "stage")
# Laws that claim nothing.
NOTHING = {"LengthOp::getBatchLaw": "always needs whole sequences"}


@dataclass
class Need:
    """A part of the compiler that needs a rule."""

    file: str
    word: str
    source: str = ""  # the file of rules that must have it

    def is_met_by(self, rule: Rule) -> bool:
        return self.word in rule.of and (not self.source or rule.source.endswith("/" + self.source)) and \
            (rule.file == self.file or self.word.startswith("xf-"))


def needs() -> Iterator[Need]:
    for path in sorted(ROOT.glob("dialect/**/*.cpp")):
        for word in [*LAW.findall(path.read_text()), *FOLDER.findall(path.read_text())]:
            if word not in NOTHING:
                yield Need(str(path.relative_to(ROOT)), word)
    for path in sorted(ROOT.glob("dialect/ops/*.td")):
        for name, text in OPERATION.findall(path.read_text()):
            for trait, source in TRAITS.items():
                if re.search(rf"\b{trait}\b", text):
                    yield Need(str(path.relative_to(ROOT)), name, source)
    for stage in STAGES:
        folder = ROOT / "compiler" / stage
        for name in PASS.findall((folder / "Passes.td").read_text()):
            yield Need(f"compiler/{stage}/Passes.td", name)
        for path in sorted(folder.glob("**/*.cpp")):
            for name in PATTERN.findall(path.read_text()):
                yield Need(str(path.relative_to(ROOT)), name)
    laws = "compiler/report/Laws.cpp"
    for name in QUERY.findall((ROOT / laws).read_text()):
        yield Need(laws, name)


def main() -> None:
    rules = load()
    if "--without" in sys.argv:
        rules = [rule for rule in rules if rule.name != sys.argv[-1]]
    found = list(needs())
    problems = [f"{need.file}: {need.word} has no rule{' in ' + need.source if need.source else ''}" for need in found
                if not any(need.is_met_by(rule) for rule in rules)]
    for rule in rules:
        text = (ROOT / rule.file).read_text()
        problems += [f"{rule.source}: {rule.name}: {rule.file} does not contain '{word}'"
                     for word in rule.of if word not in text]
        if rule.tested and not (ROOT / rule.tested).is_file():
            problems.append(f"{rule.source}: {rule.name}: there is no test {rule.tested}")
    print("\n".join(problems) or f"{len(found)} laws and rewrites have rules")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
