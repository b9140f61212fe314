# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The list of rules. A rule is a function beside its pass, in a folder `rules`:

  FILE = "dialect/laws/GaugeLaws.cpp"

  @rule(of="ReluOp::gaugeLaw")
  def relu(t):
      \"\"\"max(s x, 0) = s max(x, 0) for s > 0.\"\"\"
      s, x = t.numbers("s x")
      t.condition(s > 0)
      t.claim(maximum(s * x, 0) == s * maximum(x, 0))

The first paragraph of its comment is its statement for readers. `of` are words of FILE that the rule is about;
complete.py checks that they exist, and that no law and no rewrite lacks a rule. A rule that no solver can prove names
the test that covers it: @rule(of=…, tested="test/…").
"""

from __future__ import annotations

import importlib.util
import pathlib
import sys
from dataclasses import dataclass
from typing import Callable

from world import World

ROOT = pathlib.Path(__file__).resolve().parents[2]

Statement = Callable[[World], None]


@dataclass
class Rule:
    """A statement with the part of the compiler that relies on it."""

    name: str
    statement: str
    file: str
    source: str  # the file that states it
    of: tuple[str, ...]
    tested: str
    state: Statement


RULES: list[Rule] = []


def rule(of: str | tuple[str, ...], tested: str = "", file: str = "") -> Callable[[Statement], Statement]:
    """Adds a function to the list."""
    def add(state: Statement) -> Statement:
        module = sys.modules[state.__module__]
        statement = " ".join((state.__doc__ or "").split("\n\n")[0].split())
        assert statement, f"{state.__name__} has no statement"
        source = str(pathlib.Path(str(module.__file__)).resolve().relative_to(ROOT))
        words = (of,) if isinstance(of, str) else of
        RULES.append(Rule(state.__name__, statement, file or module.FILE, source, words, tested, state))
        return state
    return add


def load() -> list[Rule]:
    """All rules of the project, by folder."""
    import sums  # noqa: F401  # the laws of sums come first
    for path in sorted([*ROOT.glob("dialect/**/rules/*.py"), *ROOT.glob("compiler/**/rules/*.py")]):
        name = "_".join(path.relative_to(ROOT).with_suffix("").parts)
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec and spec.loader
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return RULES
