# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The names, assumptions and claims of a rule.

A tensor is an uninterpreted function of integer indices, so its axes have every size; an operation is a Python function
of indices. A rule is stated several times: with axes of any size, for the proof, and for each of its mutants with axes
of two positions, so that what a solver finds are counterexamples.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from terms import Function, Term, Value, bound_variable, forall, implies, number, real


@dataclass
class Axis:
    """An axis of `size` positions."""

    name: str
    size: Term
    count: int  # of the positions in a mutant


@dataclass
class Merged(Axis):
    """An axis whose positions are those of two axes, the second one fastest: join(high(h), low(h)) = h."""

    join: Function
    high: Function
    low: Function


@dataclass
class Obligation:
    """What follows from the assumptions, if the rule holds."""

    assumptions: list[Term]
    goal: Term


class Names:
    """What a rule has said so far."""

    BOUND = 2  # the positions of each axis of a mutant

    def __init__(self, mutant: int | None = None, bounded: bool = False):
        self.mutant, self.bounded = mutant, bounded
        self.declared: dict[str, str] = {}
        self.assumptions: list[Term] = []
        self.obligations: list[Obligation] = []
        self.mutants = 0  # the ways in which the rule can be made wrong
        self.depth = 0  # of the sums around a term

    # --- Values ----------------------------------------------------------------------------------------------------

    def declare(self, name: str, operands: Sequence[str], result: str) -> None:
        line = f"(declare-fun {name} ({' '.join(operands)}) {result})"
        assert self.declared.setdefault(name, line) == line, f"{name} is declared twice"

    def constant(self, name: str, sort: str) -> Term:
        self.declare(name, [], sort)
        return Term(name, (), sort)

    def numbers(self, names: str) -> list[Term]:
        return [self.constant(name, "Real") for name in names.split()]

    def integers(self, names: str) -> list[Term]:
        return [self.constant(name, "Int") for name in names.split()]

    def tensors(self, names: str, rank: int) -> list[Function]:
        """Real values by `rank` indices."""
        return [self.function(name, ["Int"] * rank, "Real") for name in names.split()]

    def masks(self, names: str, rank: int = 2) -> list[Function]:
        """Conditions by `rank` indices."""
        return [self.function(name, ["Int"] * rank, "Bool") for name in names.split()]

    def functions(self, names: str) -> list[Function]:
        """Functions of a real number of which nothing is known."""
        return [self.function(name, ["Real"], "Real") for name in names.split()]

    def function(self, name: str, operands: Sequence[str], result: str) -> Function:
        self.declare(name, operands, result)

        def apply(*arguments: Value) -> Term:
            own = [real(x) if sort == "Real" else x if isinstance(x, Term) else number(x, "Int")
                   for x, sort in zip(arguments, operands, strict=True)]
            return Term(name, own, result)
        return apply

    def axis(self, name: str, exactly: int | None = None, in_mutants: int = BOUND) -> Axis:
        """An axis of any size of at least 1, or of this size."""
        size, count = self.constant(f"size_{name}", "Int"), exactly or in_mutants
        self.assume(size == count if self.bounded or exactly else size >= 1)
        return Axis(name, size, count)

    def appended(self, one: Axis, other: Axis) -> Axis:
        """The positions of one axis, and after them those of another."""
        return Axis(one.name + other.name, one.size + other.size, one.count + other.count)

    def merged(self, one: Axis, other: Axis) -> Merged:
        """All pairs of positions, as one axis. That division and remainder are `high` and `low` is a law of sums.py."""
        name = one.name + other.name
        size, count = self.constant(f"size_{name}", "Int"), one.count * other.count
        if self.bounded:
            self.assume(size == count)
            width = other.count
            return Merged(name, size, count, lambda i, j: i * width + j, lambda h: h // width, lambda h: h % width)
        join = self.function(f"join_{name}", ["Int", "Int"], "Int")
        high, low = (self.function(f"{part}_{name}", ["Int"], "Int") for part in ("high", "low"))
        i, j, h = (Term(text, (), "Int") for text in ("i", "j", "h"))

        def within(place: Term, axis_size: Term) -> Term:
            return (place >= 0) & (place < axis_size)
        pair = join(i, j)
        self.assume(forall([i, j], implies(within(i, one.size) & within(j, other.size),
                                           (high(pair) == i) & (low(pair) == j) & within(pair, size))))
        self.assume(forall([h], implies(within(h, size), (join(high(h), low(h)) == h) & within(high(h), one.size)
                                        & within(low(h), other.size))))
        return Merged(name, size, count, join, high, low)

    def axes(self, names: str) -> list[Axis]:
        return [self.axis(name) for name in names.split()]

    def index(self, axis: Axis, name: str = "") -> Term:
        """Any position of the axis."""
        index = self.constant(name or f"at_{axis.name}", "Int")
        self.assume((index >= 0) & (index < axis.size))
        return index

    # --- Statements ------------------------------------------------------------------------------------------------

    def assume(self, condition: Term) -> None:
        """What holds by the types of values, or by an earlier rule."""
        self.assumptions.append(condition)

    def condition(self, condition: Term) -> None:
        """A side condition of the rule. A mutant lacks it."""
        if not self.is_mutated():
            self.assumptions.append(condition)

    def either(self, right: Value, wrong: Value) -> Term:
        """`right`; a mutant has `wrong` instead."""
        chosen = wrong if self.is_mutated() else right
        return chosen if isinstance(chosen, Term) else number(chosen)

    def is_mutated(self) -> bool:
        self.mutants += 1
        return self.mutant == self.mutants - 1

    def claim(self, *goals: Term) -> None:
        """What the rule states; later claims may use earlier ones."""
        for goal in goals:
            self.obligations.append(Obligation(list(self.assumptions), goal))
        self.assumptions += goals

    # --- Positions -------------------------------------------------------------------------------------------------

    def positions(self, axis: Axis, body: Function) -> tuple[Term, Term, Term]:
        """A variable of positions, the condition that it is one, and the term there."""
        name = f"{axis.name}!{self.depth}"
        variable = bound_variable(name)
        self.declare(name, [], "Int")
        self.depth += 1  # sums in the body have other variables
        term = body(variable)
        self.depth -= 1
        return variable, (variable >= 0) & (variable < axis.size), term

    def everywhere(self, axis: Axis, goal: Callable[[Term], Term]) -> None:
        """Claims something at each position, without using it later."""
        if self.bounded:
            for k in range(axis.count):
                term = goal(number(k, "Int"))
                self.obligations.append(Obligation(list(self.assumptions), term))
            return
        _, inside, term = self.positions(axis, goal)
        self.obligations.append(Obligation([*self.assumptions, inside], term))

    def each(self, axis: Axis, goal: Callable[[Term], Term]) -> Term:
        """That a condition holds at each position."""
        if self.bounded:
            conditions = [goal(number(k, "Int")) for k in range(axis.count)]
            return conditions[0] if len(conditions) == 1 else Term("and", conditions, "Bool")
        k = Term(f"each_{axis.name}", (), "Int")
        return forall([k], implies((k >= 0) & (k < axis.size), goal(k)))
