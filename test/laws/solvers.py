# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Z3 and cvc5, which read the same text."""

from __future__ import annotations

import cvc5
import z3

from terms import Term, constant, implies, number
from world import World


class Script:
    """The text for solvers. Divisions become products with an inverse y of x: x y = 1 unless x is 0."""

    def __init__(self, world: World):
        self.lines = list(world.declared.values())
        self.written: dict[str, Term] = {}
        self.inverses: set[str] = set()

    def add(self, term: Term) -> None:
        self.lines.append(f"(assert {self.without_division(term).text})")

    def without_division(self, term: Term) -> Term:
        if not term.operands or term.operator.startswith("forall"):
            return term
        known = self.written.get(term.text)
        if known is None:
            operands = [self.without_division(operand) for operand in term.operands]
            if term.operator == "/" and not all(constant(operand) for operand in operands):
                known = operands[0] * self.inverse(operands[1])
            else:
                known = Term(term.operator, operands, term.sort)
            self.written[term.text] = known
        return known

    def inverse(self, of: Term) -> Term:
        if of.operator == "*":
            return self.inverse(of.operands[0]) * self.inverse(of.operands[1])
        value = constant(of)
        if value:
            return number(1 / value)
        inverse = Term("inverse", [of])
        if of.text not in self.inverses:
            if not self.inverses:
                self.lines.insert(0, "(declare-fun inverse (Real) Real)")
            self.inverses.add(of.text)
            self.lines.append(f"(assert {implies(of != 0, of * inverse == 1).text})")
        return inverse


def script(world: World, assumptions: list[Term], goal: Term | None) -> str:
    """Satisfiable if the goal does not follow; without a goal, if the assumptions have a model."""
    text = Script(world)
    for term in assumptions:
        text.add(term)
    if goal is not None:
        text.add(~goal)
    return "\n".join(text.lines)


def with_z3(text: str, milliseconds: int) -> str:
    solver = z3.Solver()
    solver.set("timeout", milliseconds)
    solver.from_string(text)
    return str(solver.check())


def with_cvc5(text: str, milliseconds: int) -> str:
    manager = cvc5.TermManager()
    solver = cvc5.Solver(manager)
    solver.setOption("tlimit-per", str(milliseconds))
    solver.setLogic("ALL")
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text + "\n(check-sat)", "rule")
    symbols = parser.getSymbolManager()
    answer = ""
    while True:
        command = parser.nextCommand()
        if command.isNull():
            break
        answer = str(command.invoke(solver, symbols)).strip() or answer
    return "unknown" if answer not in ("sat", "unsat") else answer


SOLVERS = {"Z3": with_z3, "cvc5": with_cvc5}
