# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Proves the rules of folding, fusing and staging for axes of any size, with Z3 and with cvc5 (docs/folding.md).

  prove.py [NAME…]         proves all rules, or those with these names
  prove.py --page FILE     and compares the tables of this page with the results
  prove.py --write FILE    and writes them
  prove.py --script NAME…  prints what the solvers read instead

A rule is proven by a solver if it refutes the negation of each obligation. In addition the assumptions of a rule must
have a model, or the proof would be empty; and no mutant may be proven: a rule without one of its conditions, or with
a wrong sign or exponent. The exit status is 1 if a rule that is not marked as tested is not proven, a mutant is, or a
rule has none.
"""

from __future__ import annotations

import argparse
import pathlib
import re
import sys
import textwrap
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from names import Obligation
from rules import Rule, load
from solvers import SOLVERS, script
from terms import Term
from world import World

TIME, SHORT_TIME = 5000, 500  # milliseconds for an obligation
TIME_OF_MUTANT = 2000
TIME_OF_CONTRADICTION = 300
# The tables of a page are between these lines.
BEGIN, END = "<!-- rules: test/laws/prove.py --write -->", "<!-- end of rules -->"


@dataclass
class Result:
    """What the solvers said about a rule."""

    rule: Rule
    proven: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    obligations: int = 0
    refuted: int = 0  # mutants with a counterexample
    undecided: int = 0  # mutants without, which no solver proves
    seconds: float = 0


def stated(rule: Rule, mutant: int | None = None, bounded: bool = False) -> World:
    world = World(mutant, bounded)
    rule.state(world)
    return world


def has_model(rule: Rule) -> bool:
    """Whether the assumptions of the last obligation, which has the most, have a model with axes of two positions, and
    no contradiction with axes of any size."""
    bounded, any_size = stated(rule, bounded=True), stated(rule)
    text = script(bounded, bounded.obligations[-1].assumptions, None)
    if all(solve(text, TIME) != "sat" for solve in SOLVERS.values()):
        return False
    text = script(any_size, any_size.obligations[-1].assumptions, None)
    return all(solve(text, TIME_OF_CONTRADICTION) != "unsat" for solve in SOLVERS.values())


def is_proven(world: World, obligation: Obligation, solve: Callable[[str, int], str]) -> bool:
    """Whether the negation is refuted; some goals are true by themselves, and assumptions only distract."""
    all_of_them: list[Term] = obligation.assumptions
    attempts = [(all_of_them, SHORT_TIME), ([], SHORT_TIME), (all_of_them, TIME)]
    return any(solve(script(world, assumptions, obligation.goal), limit) == "unsat" for assumptions, limit in attempts)


def judge_mutant(rule: Rule, mutant: int, result: Result) -> None:
    world = stated(rule, mutant, bounded=True)
    answers = set()
    for obligation in world.obligations:
        text = script(world, obligation.assumptions, obligation.goal)
        answer = SOLVERS["Z3"](text, TIME_OF_MUTANT)
        if answer == "unknown":
            answer = SOLVERS["cvc5"](text, TIME_OF_MUTANT)
        answers.add(answer)
        if answer == "sat":
            result.refuted += 1
            return
    result.undecided += "unknown" in answers
    if answers == {"unsat"}:
        result.problems.append(f"mutant {mutant} is proven, too: what it changes is not needed")


def judge(rule: Rule) -> Result:
    result, begin = Result(rule), time.monotonic()
    if rule.tested:
        return result
    world = stated(rule)
    result.obligations = len(world.obligations)
    for name, solve in SOLVERS.items():
        failed = [k for k, obligation in enumerate(world.obligations) if not is_proven(world, obligation, solve)]
        if failed:
            print(f"{rule.file}: {rule.name}: {name} does not prove obligations {failed}", file=sys.stderr)
        else:
            result.proven.append(name)
    if not result.proven:
        result.problems.append("is not proven")
    if not has_model(rule):
        result.problems.append("no model of its assumptions is found")
    if not world.mutants:
        result.problems.append("has no mutant")
    for mutant in range(world.mutants):
        judge_mutant(rule, mutant, result)
    result.seconds = time.monotonic() - begin
    return result


def status(result: Result) -> str:
    if result.rule.tested:
        return f"tested: `{result.rule.tested}`"
    return " and ".join(result.proven) if result.proven else "**not proven**"


def summary(results: list[Result]) -> str:
    proven = [result for result in results if result.proven]
    both = sum(len(result.proven) == len(SOLVERS) for result in proven)
    share = 100 * len(proven) // max(len(results), 1)
    return (f"{len(results)} rules: {len(proven)} are proven ({share} %), {both} of them by {' and '.join(SOLVERS)}, "
            f"and {len(results) - len(proven)} are tested. "
            f"The proofs have {sum(result.obligations for result in results)} obligations. "
            f"{sum(result.refuted for result in results)} mutants have a counterexample, "
            f"{sum(result.undecided for result in results)} are not proven.")


def table(results: list[Result]) -> str:
    """The tables of docs/folding.md, one for each file of rules."""
    lines = textwrap.wrap(summary(results), 120)
    by_source: dict[str, list[Result]] = {}
    for result in results:
        by_source.setdefault(result.rule.source, []).append(result)
    for source, own in by_source.items():
        lines += ["", f"[`{source}`](../{source})", "", "| rule | | code | proven by |", "|---|---|---|---|"]
        for result in own:
            rule = result.rule
            text = re.sub(r"[|*_]", r"\\\g<0>", rule.statement).replace("<", "&lt;")
            name, code = rule.name.replace("_", " "), pathlib.PurePath(rule.file).name
            lines.append(f"| {name} | {text} | `{code}` | {status(result)} |")
    return "\n".join(lines)


def page_with(results: list[Result], page: pathlib.Path) -> str:
    """The text of a page whose tables are up to date."""
    before, rest = page.read_text(encoding="utf-8").split(BEGIN)
    return f"{before}{BEGIN}\n\n{table(results)}\n\n{END}{rest.split(END)[1]}"


def print_scripts(rules: list[Rule]) -> None:
    for rule in rules:
        world = stated(rule)
        for obligation in world.obligations:
            print(script(world, obligation.assumptions, obligation.goal), "(check-sat)\n", sep="\n")


def line_of(result: Result) -> str:
    rule = result.rule
    if rule.tested:
        return f"{rule.source}: {rule.name}: {status(result)}"
    return (f"{rule.source}: {rule.name}: {status(result)}; {result.obligations} obligations, {result.refuted} mutants "
            f"refuted, {result.undecided} not proven; {result.seconds:.2f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--page", type=pathlib.Path)
    parser.add_argument("--write", type=pathlib.Path)
    parser.add_argument("--script", action="store_true")
    options = parser.parse_args()
    rules = [rule for rule in load() if not options.names or rule.name in options.names]
    if options.script:
        print_scripts(rules)
        return
    results = []
    for rule in rules:
        results.append(judge(rule))
        print(line_of(results[-1]), flush=True)
    print(summary(results))
    problems = [f"{result.rule.source}: {result.rule.name}: {problem}"
                for result in results for problem in result.problems]
    page = options.write or options.page
    if page:
        text = page_with(results, page)
        if options.write:
            page.write_text(text, encoding="utf-8")
        elif text != page.read_text(encoding="utf-8"):
            problems.append(f"{page} has other tables: prove.py --write {page}")
    print("\n".join(problems), end="\n" * bool(problems), file=sys.stderr)
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
